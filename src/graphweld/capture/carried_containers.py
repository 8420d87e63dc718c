"""Lists, dicts and objects that a loop carries piece by piece, and what still holds the ones that it started with.

    parts = first = [x, x]
    for i in range(n):
        parts[1] = parts[1] + i        changes `first` as well, on the first trip
        parts = [x * i, parts[0]]

The graph knows the pieces that enter a trip, not who else holds the container. So behind the loop, and in its body, the
containers that it started with are outdated where a trip changes what enters it: reading them is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.lists import TupleVariable

from graphweld.capture import pieces
from graphweld.capture.effects import Effects, contents_of, put_contents
from graphweld.capture.frozen import state_of
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.refusal import Refusal
from graphweld.capture.variables import State, Tx

Assumed = frozenset[tuple[VariableTracker, bool]]


def containers_in(values: State, where: Assumed = frozenset()) -> list[VariableTracker]:
    """The lists, dicts and objects among values, and in them, which a program could change.

    `where` are predicates that hold, or do not.
    """
    found: list[VariableTracker] = []
    for vt in values:
        vt = vt.realize()
        if isinstance(vt, MergeVariable) and vt.joined is None:
            sides = [side for holds, side in ((True, vt.then), (False, vt.orelse)) if (vt.pred, not holds) not in where]
            found += [inner for inner in containers_in(sides, where) if inner not in found]
            continue
        parts = pieces.pieces_of(vt)
        if parts is None and contents_of(vt) is not None and vt.python_type() is list:  # of a length that varies
            found.append(vt)
        elif parts is not None:
            found += [*([] if isinstance(vt, TupleVariable) else [vt]), *containers_in(parts, where)]
    return found


@contextmanager
def whole_meanwhile() -> Iterator[None]:
    """While a loop is staged, what `keep_whole` is told of is carried as the object it is."""
    pieces.WHOLE.append(set())
    try:
        yield
    finally:
        pieces.WHOLE.pop()


def keep_whole(effects: Effects) -> None:
    """Carry what a trip changes in place, and an outer name holds, as the object it is: see `pieces.pieces_of`.

    What it holds after the trace of a trip is again what it held before.
    """
    pieces.WHOLE[-1].update(effects.contents, (vt for vt, _ in effects.attributes))


class Outdated(VariableTracker):
    """What a container holds that a loop has changed under another name."""

    _nonvar_fields = {"reason", *VariableTracker._nonvar_fields}

    def __init__(self, reason: Refusal, **kw: Any) -> None:
        super().__init__(**kw)
        self.reason = reason

    def give_up(self, *_: Any, **__: Any) -> NoReturn:
        raise self.reason

    python_type = as_proxy = as_python_constant = var_getattr = call_method = call_function = reconstruct = give_up  # type: ignore[assignment]


@contextmanager
def outdated(tx: Tx, containers: dict[VariableTracker, Refusal]) -> Iterator[None]:
    """Refuse inside what reads these containers, for their reasons."""
    before = {vt: state_of(tx, vt) for vt in containers}
    for vt, reason in containers.items():
        _put(tx, vt, _marked(before[vt], reason))
    try:
        yield
    finally:
        for vt, held in before.items():
            _put(tx, vt, held)


def outdate(tx: Tx, containers: dict[VariableTracker, Refusal]) -> None:
    """Refuse from here on what reads these containers."""
    for vt, reason in containers.items():
        if contents_of(vt) is not None:
            tx.output.side_effects.mutation(vt)
        _put(tx, vt, _marked(state_of(tx, vt), reason))


def _put(tx: Tx, vt: VariableTracker, held: Any) -> None:
    if contents_of(vt) is not None:
        put_contents(vt, held)
    elif held:
        tx.output.side_effects.store_attr_mutations[vt].update(held)


def _marked(held: Any, reason: Refusal) -> Any:
    if isinstance(held, dict):
        return {key: Outdated(reason) for key in held}
    return [Outdated(reason) for _ in held]
