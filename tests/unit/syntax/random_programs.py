"""Random functions: all the control flow of Python, on a few variables, always ending."""

from __future__ import annotations

import random
from collections.abc import Iterator

NAMES = ["a", "b", "c", "d", "e"]


class Fuel(Exception):
    """A program has run long enough."""


class Generator:
    """Writes the body of one function."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._functions = 0

    def program(self) -> str:
        body = "\n".join(self._block(1, 4, in_loop=False))
        return f"def f(a, b):\n{body}\n    return a\n"

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _name(self) -> str:
        return self._random.choice(NAMES)

    def _expression(self, depth: int = 2) -> str:
        if depth == 0 or self._chance(0.3):
            return self._random.choice([self._name(), self._name(), str(self._random.randrange(4)), "None"])
        one, two, three = (self._expression(depth - 1) for _ in range(3))
        return self._random.choice(
            [
                f"({one} if {two} else {three})",
                f"({one} and {two})",
                f"({one} or {two})",
                f"(not {one})",
                f"log({one})",
                f"log({one})",
                f"({one} is {two})",
                f"({one} in (0, {two}))",
                f"(log({one}) == {two} != {three})",
                f"({self._name()} := {one})",
                f"add({one}, {two})",
                f"[{one} for i in range(2) if {two}]",
                f"(lambda: {one})()",
            ]
        )

    def _block(self, indent: int, budget: int, in_loop: bool) -> Iterator[str]:
        for _ in range(self._random.randint(1, max(1, budget))):
            yield from self._statement(indent, budget, in_loop)

    def _statement(self, indent: int, budget: int, in_loop: bool) -> Iterator[str]:
        pad = "    " * indent
        kind = self._random.random()
        if budget <= 1 or kind < 0.35:
            yield pad + self._simple(in_loop)
            return

        def block(loop: bool = in_loop) -> Iterator[str]:
            return self._block(indent + 1, budget - 1, loop)

        if kind < 0.6:
            yield f"{pad}if {self._expression()}:"
            yield from block()
            if self._chance(0.3):
                yield f"{pad}elif {self._expression()}:"
                yield from block()
            if self._chance(0.5):
                yield f"{pad}else:"
                yield from block()
        elif kind < 0.8:
            if self._chance(0.5):
                yield f"{pad}for {self._name()} in range({self._random.randrange(4)}):"
            else:
                yield f"{pad}while {self._random.choice(['True', self._expression(), self._expression()])}:"
            yield f"{pad}    fuel()"
            yield from block(True)
            if self._chance(0.3):
                yield f"{pad}else:"
                yield from block()
        elif kind < 0.88:
            yield f"{pad}try:"
            yield from block()
            if self._chance(0.7):
                name = f" as {self._name()}" if self._chance(0.3) else ""
                yield f"{pad}except (ValueError, UnboundLocalError, NameError){name}:"
                yield from block()
                if self._chance(0.3):
                    yield f"{pad}else:"
                    yield from block()
                if self._chance(0.3):
                    yield f"{pad}finally:"
                    yield from block()
            else:
                yield f"{pad}finally:"
                yield from block()
        elif kind < 0.92:
            yield f"{pad}with {self._random.choice(['nullcontext()', 'suppress(ValueError)'])}:"
            yield from block()
        elif kind < 0.96:
            yield f"{pad}match {self._expression()}:"
            for pattern in self._random.sample(
                ["0", "1 | None", f"{self._name()} if {self._name()}", "[*_]", "True"], 2
            ):
                yield f"{pad}    case {pattern}:"
                yield from self._block(indent + 2, budget - 1, in_loop)
        else:
            self._functions += 1
            name = f"g{self._functions}"
            target = self._name()
            yield f"{pad}def {name}(x=0):"
            if self._chance(0.5):
                yield f"{pad}    nonlocal {target}"
                yield f"{pad}    {target} = add({target}, x)"
            yield f"{pad}    return {target}"
            yield f"{pad}log({name}({self._expression(1)}))"

    def _simple(self, in_loop: bool) -> str:
        choices = [f"{self._name()} = {self._expression()}"] * 5 + [
            f"log({self._expression()})",
            f"{self._name()} += 1",
            f"del {self._name()}",
            "pass",
            f"return {self._expression()}",
            f"{self._name()}, {self._name()} = {self._expression()}, {self._expression()}",
            "raise ValueError",
        ]
        if in_loop:
            choices += ["break", "continue"] * 2
        return self._random.choice(choices)
