"""`pickle.dumps` of what is known while tracing, which caches take for a key.

    key = pickle.dumps(kwargs)

The bytes tell whether two equal strings are one object, so strings and the like may stand in it only once.
"""

import pickle
from collections.abc import Iterator
from typing import Any

from torch._dynamo.variables.base import AsPythonConstantNotImplementedError, VariableTracker

from graphweld.capture.variables import Tx, constant


def dumps(tx: Tx, args: list[VariableTracker], kwargs: dict[str, VariableTracker]) -> VariableTracker | None:
    """The bytes; None where they may be other ones than plain Python's."""
    try:
        value, *rest = (arg.as_python_constant() for arg in args)
        named = {key: arg.as_python_constant() for key, arg in kwargs.items()}
    except (AsPythonConstantNotImplementedError, NotImplementedError):
        return None
    leaves = list(_leaves(value))
    if len(set(leaves)) < len(leaves) or any(type(leaf) not in (str, bytes, int, float, bool) for leaf in leaves):
        return None
    return constant(pickle.dumps(value, *rest, **named))


def _leaves(value: Any) -> Iterator[Any]:
    if type(value) is dict:
        for pair in value.items():
            yield from _leaves(pair[0])
            yield from _leaves(pair[1])
    elif type(value) in (list, tuple):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value
