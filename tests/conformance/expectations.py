"""The only list of exceptions of the conformance tests. Strict both ways: what is listed must fail in just that way.

A row names a program (or a pattern of names), a target and a variant ("tensor", "python", "sizes", "grad"; "*" is any),
and what is expected:

- `refused`: the code of the refusal;
- `gap`: why it does not work yet, with words of the error, or with the aspects `without` which it is as eager:
  everything else is still compared.

Values and gradients that differ are faults, and never stand here.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass

# Kinds of programs that are not delivered yet. They still run: each is right or refused with a code, never wrong.
UNDELIVERED = {
    "loop": "loops whose length the data decides: issue 3",
    "state": "state and side effects in regions: issue 4",
}


@dataclass(frozen=True)
class Expect:
    program: str
    refused: str = ""  # the code of the refusal
    gap: str = ""  # or why it does not work yet
    error: str = ""  # a part of the error's text
    without: tuple[str, ...] = ()  # or what has to be left out of the comparison: "aliases", "strides", "requires_grad"
    target: str = "*"
    variant: str = "*"

    def __post_init__(self) -> None:
        assert bool(self.refused) != bool(self.gap), f"{self.program}: either a code or a gap"
        assert bool(self.gap) == bool(self.error or self.without), f"{self.program}: how does the gap show?"

    def covers(self, program: str, target: str, variant: str) -> bool:
        return (
            fnmatch.fnmatchcase(program, self.program)
            and self.target in ("*", target)
            and self.variant in ("*", variant)
        )


EXPECTED: tuple[Expect, ...] = ()


def expected(program: str, target: str, variant: str) -> Expect | None:
    return next((e for e in EXPECTED if e.covers(program, target, variant)), None)
