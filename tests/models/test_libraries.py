"""Libraries of algorithms, unchanged, in one graph and equal to eager on every input."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

import graphweld as gw  # noqa: E402
from tests.conformance import snapshot  # noqa: E402
from tests.conformance.harness import CountingBackend  # noqa: E402

MASKS = [torch.tensor(m, dtype=torch.bool) for m in ([[1, 1, 1, 1], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 1, 1, 1]])]


def _crf() -> Any:
    torch.manual_seed(0)
    return pytest.importorskip("torchcrf").CRF(5, batch_first=True)


def viterbi() -> tuple[Any, list[tuple[Any, ...]]]:
    crf = _crf()
    return crf.decode, [(torch.randn(2, 4, 5), mask) for mask in MASKS]


def crf_likelihood() -> tuple[Any, list[tuple[Any, ...]]]:
    crf, tags = _crf(), torch.randint(0, 5, (2, 4))
    return lambda scores, mask: crf(scores, tags, mask), [(torch.randn(2, 4, 5), mask) for mask in MASKS]


def entmax_bisection() -> tuple[Any, list[tuple[Any, ...]]]:
    entmax = pytest.importorskip("entmax")
    return lambda x: entmax.entmax_bisect(x, alpha=1.5), [(torch.randn(3, 6),), (torch.randn(3, 6) * 5,)]


def sparsemax() -> tuple[Any, list[tuple[Any, ...]]]:
    entmax = pytest.importorskip("entmax")
    return lambda x: entmax.sparsemax(x, dim=-1), [(torch.randn(3, 6),), (torch.randn(3, 6) * 5,)]


class Field(torch.nn.Module):
    """A small vector field."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = torch.nn.Linear(2, 4), torch.nn.Linear(4, 2)

    def forward(self, t: Any, y: Any) -> Any:
        return self.outer(torch.tanh(self.inner(y))) * torch.cos(5 * t)


def _odeint(method: str, solver: str) -> tuple[Any, Any]:
    torchdiffeq = pytest.importorskip("torchdiffeq")
    torch.manual_seed(0)
    field, solve = Field(), getattr(torchdiffeq, solver)
    return field, lambda y, t: solve(field, y, t, method=method, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "method", ["bosh3", *(pytest.param(m, marks=pytest.mark.slow) for m in ("dopri5", "adaptive_heun"))]
)
@pytest.mark.parametrize("solver", ["odeint", pytest.param("odeint_adjoint", marks=pytest.mark.slow)])
@pytest.mark.parametrize("backend", ["eager", pytest.param("aot_eager", marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore")
def test_adaptive_steps(method: str, solver: str, backend: str) -> None:
    """Forwards and backwards in time, a few steps and many: values and gradients."""
    torch._dynamo.reset()
    field, solve = _odeint(method, solver)
    counter = CountingBackend(backend)
    compiled = gw.compile(solve, backend=counter)
    for times in ([0.0, 1.0], [2.0, -1.0]):
        found = []
        for fn in (solve, compiled):
            field.zero_grad()
            y, t = torch.tensor([1.0, 0.5], requires_grad=True), torch.tensor(times, requires_grad=True)
            out = fn(y, t)
            out.square().sum().backward()
            found.append([out.detach(), y.grad, t.grad, *(p.grad for p in field.parameters())])
        torch.testing.assert_close(found[1], found[0])
    assert len(counter.graphs) == 1


def conjugate_gradients() -> tuple[Any, list[tuple[Any, ...]]]:
    linear_cg = pytest.importorskip("linear_operator.utils.linear_cg").linear_cg
    start = torch.randn(6, 6)
    matrices = [start @ start.T + k * torch.eye(6) for k in (1, 5)]
    return lambda a, b: linear_cg(a.matmul, b, max_iter=20, tolerance=1e-3), [(a, torch.randn(6, 2)) for a in matrices]


@pytest.mark.parametrize("size", [0, 800], ids=["conjugate gradients", "Cholesky"])
@pytest.mark.filterwarnings("ignore")
def test_marginal_likelihood(size: int) -> None:
    """A Gaussian process of gpytorch: the values and the gradients of what it is fitted by."""
    gpytorch = pytest.importorskip("gpytorch")
    torch._dynamo.reset()
    x = torch.linspace(0, 1, 8)

    class Process(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(x, torch.sin(6 * x), gpytorch.likelihoods.GaussianLikelihood())
            self.mean, self.kernel = gpytorch.means.ConstantMean(), gpytorch.kernels.RBFKernel()

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    process = Process().train()
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(process.likelihood, process)

    def loss(y: Any) -> Any:
        with gpytorch.settings.max_cholesky_size(size), gpytorch.settings.num_trace_samples(4):
            return -likelihood(process(x), y)

    counter = CountingBackend("eager")
    compiled = gw.compile(loss, backend=counter)
    for y in (torch.sin(6 * x), torch.cos(3 * x)):
        found = []
        for fn in (loss, compiled):
            torch.manual_seed(1)
            process.zero_grad()
            out = fn(y)
            out.backward()
            found.append([out.detach(), *(p.grad for p in process.parameters())])
        torch.testing.assert_close(found[1], found[0])
    assert len(counter.graphs) == 1


class Equation(torch.nn.Module):
    """A small stochastic differential equation."""

    noise_type, sde_type = "diagonal", "ito"

    def __init__(self) -> None:
        super().__init__()
        self.drift, self.noise = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

    def f(self, t: Any, y: Any) -> Any:
        return torch.tanh(self.drift(y))

    def g(self, t: Any, y: Any) -> Any:
        return torch.sigmoid(self.noise(y)) * 0.3


@pytest.mark.parametrize("backend", ["eager", pytest.param("aot_eager", marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore")
def test_adaptive_stochastic_steps(backend: str) -> None:
    torchsde = pytest.importorskip("torchsde")
    torch._dynamo.reset()
    torch.manual_seed(0)

    class Expansion(torchsde.BaseBrownian):  # type: ignore[misc]
        """A Brownian path as a sum of waves, which gives the same at a time whenever it is asked."""

        waves, rates = torch.randn(20, 3, 2), torch.arange(20).view(-1, 1, 1) + 0.5
        dtype, device, shape, levy_area_approximation = torch.float32, torch.device("cpu"), (3, 2), "none"

        def __call__(self, ta: Any, tb: Any = None, **returned: bool) -> Any:
            ends = (torch.sin(self.rates * torch.pi * t) / (self.rates * torch.pi) for t in (ta, tb))
            before, after = ((self.waves * 2**0.5 * end).sum(0) for end in ends)
            return after - before

        def __repr__(self) -> str:
            return "Expansion()"

    equation, path = Equation(), Expansion()

    def solve(y: Any, t: Any) -> Any:
        return torchsde.sdeint(equation, y, t, path, "milstein", dt=0.1, adaptive=True, rtol=1e-2, atol=1e-2)

    counter = CountingBackend(backend)
    compiled = gw.compile(solve, backend=counter)
    for scale, times in ((1.0, [0.0, 0.4, 1.0]), (3.0, [0.0, 0.7, 1.0])):
        start, found = torch.randn(3, 2) * scale, []
        for fn in (solve, compiled):
            equation.zero_grad()
            y = start.clone().requires_grad_()
            out = fn(y, torch.tensor(times))
            out.square().sum().backward()
            found.append([out.detach(), y.grad, *(p.grad for p in equation.parameters())])
        torch.testing.assert_close(found[1], found[0])
    assert len(counter.graphs) == 1


def accuracy() -> tuple[Any, list[tuple[Any, ...]]]:
    functional = pytest.importorskip("torchmetrics.functional")
    targets = [torch.tensor([0, 1, 2, 3, 1, 1]), torch.tensor([3, 1, 2, 3, 0, 0])]
    return lambda p, t: functional.accuracy(p, t, task="multiclass", num_classes=4), [
        (torch.randn(6, 4), target) for target in targets
    ]


def f1_score() -> tuple[Any, list[tuple[Any, ...]]]:
    functional = pytest.importorskip("torchmetrics.functional")
    target = torch.tensor([0, 1, 1, 0, 1, 1])
    # probabilities as they are, scores through a sigmoid: the values decide
    return lambda p, t: functional.f1_score(p, t, task="binary"), [
        (torch.rand(6), target),
        (torch.randn(6) * 3, target),
    ]


def confusion_matrix() -> tuple[Any, list[tuple[Any, ...]]]:
    functional = pytest.importorskip("torchmetrics.functional")
    targets = [torch.tensor([0, -1, 2, 3, 1, 1]), torch.tensor([3, 1, 2, 3, 0, 0])]
    return lambda p, t: functional.confusion_matrix(p, t, task="multiclass", num_classes=4, ignore_index=-1), [
        (torch.randn(6, 4), target) for target in targets
    ]


def vector_quantization() -> tuple[Any, list[tuple[Any, ...]]]:
    library = pytest.importorskip("vector_quantize_pytorch")
    return library.VectorQuantize(dim=8, codebook_size=16).eval(), [(torch.randn(2, 5, 8),), (torch.randn(2, 5, 8),)]


def token_generation() -> tuple[Any, list[tuple[Any, ...]]]:
    library = pytest.importorskip("x_transformers")
    layers = library.Decoder(dim=16, depth=1, heads=2, attn_dim_head=8)
    model = library.AutoregressiveWrapper(library.TransformerWrapper(num_tokens=12, max_seq_len=32, attn_layers=layers))
    model.eval()
    prompts = [(torch.randint(4, 12, (2, 4)),) for _ in range(4)]  # some end early
    return lambda prompt: model.generate(prompt, 6, eos_token=3, temperature=0.0, cache_kv=True), prompts


def speech_decoding() -> tuple[Any, list[tuple[Any, ...]]]:
    """Greedy, without the cache, which hooks on modules fill; one of the inputs ends early."""
    library = pytest.importorskip("whisper")
    sizes = {"n_vocab": 51864, "n_mels": 8, "n_audio_ctx": 10, "n_text_ctx": 20}
    layers = {
        f"n_{side}_{what}": n for side in ("audio", "text") for what, n in (("state", 16), ("head", 2), ("layer", 1))
    }
    model = library.model.Whisper(library.model.ModelDimensions(**sizes, **layers)).eval()

    class Uncached(library.decoding.Inference):  # type: ignore[misc]
        def logits(self, tokens: Any, audio_features: Any) -> Any:
            return model.decoder(tokens, audio_features)

    options = {"language": "en", "fp16": False, "without_timestamps": True, "suppress_blank": False, "sample_len": 3}
    task = library.decoding.DecodingTask(model, library.DecodingOptions(**options))
    task.inference = Uncached()
    inputs = [(torch.randn(1, 10, 16) * scale, torch.tensor([task.initial_tokens])) for scale in (1, 3, 3)]
    seen: list[Any] = []
    hook = model.decoder.ln.register_forward_hook(lambda module, args, out: seen.append(out[0, -1]))
    with torch.no_grad():
        for given in inputs[:2]:
            task._main_loop(*given)
        hook.remove()
        model.decoder.token_embedding.weight[task.tokenizer.eot] = (seen[1] - seen[4]) * 9
    return torch.no_grad()(task._main_loop), inputs


def mamba() -> tuple[Any, list[tuple[Any, ...]]]:
    library = pytest.importorskip("mambapy.mamba")
    model = library.Mamba(library.MambaConfig(d_model=8, n_layers=2))
    return model, [(torch.randn(2, 7, 8),), (torch.randn(2, 7, 8),)]


def _sampling(name: str) -> tuple[Any, list[tuple[Any, ...]]]:
    scheduler = getattr(pytest.importorskip("diffusers"), name)(num_train_timesteps=50)

    def sample(x: Any) -> Any:
        scheduler.set_timesteps(6)
        for t in scheduler.timesteps:
            x = scheduler.step(torch.tanh(x) * t / 50, t, x).prev_sample
        return x

    return sample, [(torch.randn(1, 3, 4, 4),), (torch.randn(1, 3, 4, 4),)]


def ddim_sampling() -> tuple[Any, list[tuple[Any, ...]]]:
    return _sampling("DDIMScheduler")


def ddpm_sampling() -> tuple[Any, list[tuple[Any, ...]]]:
    return _sampling("DDPMScheduler")


def pndm_sampling() -> tuple[Any, list[tuple[Any, ...]]]:
    return _sampling("PNDMScheduler")


def dense_batch() -> tuple[Any, list[tuple[Any, ...]]]:
    utils = pytest.importorskip("torch_geometric.utils")
    batches = [torch.tensor([0, 0, 1, 1, 1, 2]), torch.tensor([0, 1, 1, 1, 1, 2])]
    return lambda x, b: utils.to_dense_batch(x, b), [(torch.randn(6, 3), batch) for batch in batches]


def dense_adjacency() -> tuple[Any, list[tuple[Any, ...]]]:
    utils = pytest.importorskip("torch_geometric.utils")
    edges = torch.tensor([[0, 0, 1, 3], [0, 1, 0, 3]])
    batches = [torch.tensor([0, 0, 1, 1, 1, 2]), torch.tensor([0, 1, 1, 1, 1, 2])]
    return lambda e, b: utils.to_dense_adj(e, b), [(edges, batch) for batch in batches]


def tensor_product() -> tuple[Any, list[tuple[Any, ...]]]:
    o3 = pytest.importorskip("e3nn.o3")
    kind = o3.Irreps("4x0e+2x1o")
    return o3.FullyConnectedTensorProduct(kind, kind, kind), [(kind.randn(3, -1), kind.randn(3, -1)) for _ in range(2)]


CASES = [
    viterbi, crf_likelihood, entmax_bisection, sparsemax, conjugate_gradients, accuracy, f1_score, confusion_matrix,
    vector_quantization, token_generation, pytest.param(speech_decoding, marks=pytest.mark.slow),
    mamba, ddim_sampling, ddpm_sampling, pndm_sampling, dense_batch, dense_adjacency, tensor_product,
]  # fmt: skip


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
@pytest.mark.filterwarnings("ignore")
def test_one_graph(make: Any) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    fn, inputs = make()
    counter = CountingBackend("eager")
    compiled = gw.compile(fn, backend=counter)
    for args in inputs:
        torch.manual_seed(1)
        want = snapshot.take(out=fn(*args))
        torch.manual_seed(1)
        snapshot.compare(want, snapshot.take(out=compiled(*args)), strides=False)
    assert len(counter.graphs) == 1
