"""Instructions of Python that are translated in another way than Dynamo's."""

import dis

from torch._dynamo.symbolic_convert import InstructionTranslatorBase


def dispatch(*names: str) -> None:
    """Have every translator run what the base class has for these instructions now; each keeps a table of its own."""
    pending: list[type[InstructionTranslatorBase]] = [InstructionTranslatorBase]
    while pending:
        cls = pending.pop()
        for name in names:
            cls.dispatch_table[dis.opmap[name]] = getattr(InstructionTranslatorBase, name)
        pending.extend(cls.__subclasses__())
