"""The items of a list that are rows of tensors: what is read of a row, and the rows that an item becomes.

A list, dict or object among the items is made anew by each read. So it is refused to change one of them in place, after
it was put into such a list or was taken from one.
"""

from torch._dynamo.variables.base import VariableTracker

from graphweld.capture import carries
from graphweld.capture.carried_containers import containers_in
from graphweld.capture.carries import Carry
from graphweld.capture.frozen import freeze
from graphweld.capture.variables import State, Tx, example, existing


def item_of(tx: Tx, element: Carry, values: State) -> VariableTracker:
    """The item that values of rows stand for. Takes them off the front of `values`."""
    item = carries.unpack(tx, element, values, "an item")
    freeze(tx, containers_in([item]), "a list", None, "an item")
    return item


def stand_in(tx: Tx, element: Carry) -> VariableTracker:
    """An item that nobody reads. Of its tensors require grad those that may in any item."""
    fillers = carries.fillers(tx, element)
    for k, leaf in enumerate(carries.leaves(element)):
        if leaf.requires_grad:
            proxy = fillers[k].as_proxy()
            proxy.node.meta["example_value"] = example(fillers[k]).requires_grad_().clone()
            fillers[k] = existing(tx, proxy)
    return carries.unpack(tx, element, fillers, "an item")


def rows_of_item(tx: Tx, element: Carry, item: VariableTracker) -> State:
    """The rows that stand for an item."""
    freeze(tx, containers_in([item]), "a list", None, "an item")
    return carries.pack(tx, element, item)
