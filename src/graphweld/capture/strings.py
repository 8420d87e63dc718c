"""Builtins that make strings of values of the data: made behind the graph, as `formatting` tells."""

from collections.abc import Callable
from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.misc import StringFormatVariable

from graphweld.capture import sites
from graphweld.capture.variables import Tx

Args = list[VariableTracker]
Handler = Callable[..., Any]


def concatenate(plain: Handler) -> Handler:
    """`a + b` of strings with numbers of the data in them; `plain` is Dynamo's."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if all(vt.python_type() is str for vt in args):
            return StringFormatVariable.create("{}{}", args, {})
        return plain(tx, args, kwargs)

    return handler


def text_of(fn: Callable[..., Any], plain: Handler) -> Handler:
    """`str` or `repr` of a list, tuple or dict with values of the data in it."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if sites.trace_of(tx) is not None and not args[0].is_python_constant():
            return StringFormatVariable.create("{!s}" if fn is str else "{!r}", args, {})
        return plain(tx, args, kwargs)

    return handler
