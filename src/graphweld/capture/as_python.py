"""Small ways in which torch's tracer differs from Python: asserts, and what nested functions share."""

from typing import Any

from torch._dynamo import exc, symbolic_convert
from torch._dynamo.variables.functions import ClosureConversionError, NestedUserFunctionVariable

from graphweld.capture import sites


def hook_asserts() -> None:
    """An assert is `if not test: raise AssertionError(message)`; Dynamo's own rewriting raises another exception."""
    detect = symbolic_convert._detect_and_normalize_assert_statement

    def detected(self: Any, truth_fn: Any, push: Any) -> bool:
        return sites.trace_of(self) is None and detect(self, truth_fn, push)

    symbolic_convert._detect_and_normalize_assert_statement = detected


def hook_cells() -> None:
    """A nested function may be called while a variable that it shares is unbound, as long as it does not read it.

    Before such a call Dynamo tries to make a real function of it; where that reads an unbound cell, it gave up tracing.
    """
    impl = NestedUserFunctionVariable._get_function_impl

    def _get_function_impl(self: Any, converting: set[int]) -> Any:
        try:
            return impl(self, converting)
        except exc.Unsupported as error:
            raise ClosureConversionError("a shared variable is unbound") from error

    NestedUserFunctionVariable._get_function_impl = _get_function_impl  # type: ignore[assignment,method-assign]
