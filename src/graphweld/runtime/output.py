"""Printing, logging and warning when a compiled program returns: what it said, in order, and only what it would have.

The tracer records the calls with the values of their moment; the code behind the graph makes them, each under the
predicate of the branch it stood in.
"""

import sys
import warnings
from typing import Any


def say(pred: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """`function(*args, **kwargs)` where `pred` holds."""
    if pred:
        function(*args, **kwargs)


def say_to(pred: Any, receiver: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """`receiver.name(*args, **kwargs)` where `pred` holds."""
    if pred:
        getattr(receiver, name)(*args, **kwargs)


def warn(pred: Any, place: tuple[str, int, str], message: Any, category: Any = UserWarning) -> None:
    """`warnings.warn(message, category)` of the user's line `place`, under Python's rule of once per place."""
    if pred:
        file, line, module = place
        registry = vars(sys.modules[module]).setdefault("__warningregistry__", {}) if module in sys.modules else None
        warnings.warn_explicit(message, category, file, line, module, registry)
