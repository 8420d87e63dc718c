# `make demo` and `make test` each work alone on a fresh machine: they create .venv and install everything pinned.
PYTHON ?= $(shell tools/find_python.sh 3.11)
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

.PHONY: demo test full docs site bench lint torch-free clean

demo: $(READY)
	$(BIN)/graphweld demo

test: lint torch-free  # pytest comes last, so that its closing line is the last one printed
	$(BIN)/python -m pytest -n 2 -m "not slow" tests

full: lint
	tools/test_torch_free.sh -m "not needs_torch" --seeds 0:200
	$(BIN)/python -m pytest -n 2 --seeds 0:1000 tests

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/gen_docs.py --check

torch-free: $(READY)
	tools/test_torch_free.sh

docs: $(READY)
	$(BIN)/python tools/gen_docs.py

site: docs
	$(BIN)/python -m sphinx -W -q docs build/site

bench: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/branches.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/loops.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/loop_memory.py

# torch goes first and alone: asked for by its exact version, pip takes the CPU build where one lies at hand.
$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || test -n "$(PYTHON)" || { echo "graphweld: Python 3.11 is needed, and was not found" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) setuptools
	$(PIP) --no-build-isolation -e ".[dev]"
	touch $(READY)

clean:
	rm -rf .venv .venv-3.* .mypy_cache .ruff_cache .pytest_cache
