"""`match` becomes `if` and `elif`.

Values compare with `==` and singletons with `is`; any other pattern keeps Python's own matching, in a function that
tells whether the subject matched and what the names in the pattern became.

>>> show(lower_matches, '''
... def f(x):
...     match g(x):
...         case 1 | 2: return "few"
...         case [a, *_] if a > x: return a
...         case y: return y
... ''')
def f(x):
    gw_subject_1 = g(x)
    if gw_subject_1 == 1 or gw_subject_1 == 2:
        return 'few'
    else:
        def match_1(gw_subject_1):
            match gw_subject_1:
                case [a, *_]:
                    return (True, a)
            return (False, gw.UNDEFINED)
        gw_matched_1, gw_capture_1 = match_1(gw_subject_1)
        if gw_matched_1:
            a = gw_capture_1
            gw_case_1 = a > x
        else:
            gw_case_1 = False
        if gw_case_1:
            return a
        else:
            y = gw_subject_1
            return y
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TypeVar

from graphweld.syntax.analysis.events import Kind, bound_names, events
from graphweld.syntax.blocks import Block, rewrite_blocks
from graphweld.syntax.templates import assign, at, attribute, constant, function, load, unpack
from graphweld.syntax.unit import Unit

Placed = TypeVar("Placed", ast.If, ast.BoolOp)


def lower_matches(unit: Unit) -> None:
    def rewrite(block: Block) -> Block:
        out: Block = []
        for node in block:
            if isinstance(node, ast.Match) and node not in unit.plain:
                out.extend(_lower_match(node, unit))
            else:
                out.append(node)
        return out

    unit.body = rewrite_blocks(unit.body, rewrite)


def _lower_match(node: ast.Match, unit: Unit) -> Block:
    lowering = _Lowering(node, unit)
    bound = set(bound_names(node.cases))
    values = unit.scope.locals - unit.scope.captured
    match node.subject:
        case ast.Name(id=name) if name in values - bound and node.subject not in unit.unbound:
            subject, before = name, []
        case _:
            subject = unit.names.value("subject")
            before = [at(assign(subject, node.subject), node.subject)]
    return [*before, *lowering.chain(subject, node.cases)]


class _Lowering:
    def __init__(self, node: ast.Match, unit: Unit) -> None:
        self._node = node
        self._unit = unit

    def chain(self, subject: str, cases: Sequence[ast.match_case]) -> Block:
        """`if` for the first case, with the others in its `else`."""
        if not cases:
            return []
        case, others = cases[0], cases[1:]
        before, test, bindings = self._case(subject, case.pattern)
        if case.guard is None:
            if test is None:
                return [*before, *bindings, *case.body]
            return [*before, self._if(test, [*bindings, *case.body], self.chain(subject, others), case)]
        if test is None:
            return [*before, *bindings, self._if(case.guard, case.body, self.chain(subject, others), case)]
        if not bindings:
            both = self._site(at(ast.BoolOp(ast.And(), [test, case.guard]), case.pattern))
            return [*before, self._if(both, case.body, self.chain(subject, others), case)]
        # The guard reads what the pattern bound, and what it bound stays so when the guard fails.
        chosen = self._unit.names.value("case")
        guard = at(assign(chosen, case.guard), case.guard)
        otherwise = at(assign(chosen, constant(False)), case.pattern)
        decide = self._if(test, [*bindings, guard], [otherwise], case)
        branch = self._if(load(chosen), case.body, self.chain(subject, others), case)
        return [*before, decide, branch]

    def _if(self, test: ast.expr, body: Block, orelse: Block, case: ast.match_case) -> ast.stmt:
        return self._site(at(ast.If(test, body, orelse), case.pattern))

    def _site(self, node: Placed) -> Placed:
        self._unit.sites.alias(node, self._node)
        return node

    def _case(self, subject: str, pattern: ast.pattern) -> tuple[Block, ast.expr | None, Block]:
        """Statements before the test, the test (None: always matches), statements that bind."""
        match pattern:
            case ast.MatchAs(pattern=None, name=name):
                return [], None, self._bind(name, subject, pattern)
            case ast.MatchAs(pattern=ast.pattern() as inner, name=name) if _is_simple(inner):
                return [], self._test(subject, inner), self._bind(name, subject, pattern)
        if _is_simple(pattern):
            return [], self._test(subject, pattern), []
        return self._by_python(subject, pattern)

    def _bind(self, name: str | None, subject: str, pattern: ast.pattern) -> Block:
        return [] if name is None else [at(assign(name, load(subject)), pattern)]

    def _test(self, subject: str, pattern: ast.pattern) -> ast.expr:
        match pattern:
            case ast.MatchValue(value=value):
                return at(ast.Compare(load(subject), [ast.Eq()], [value]), pattern)
            case ast.MatchSingleton(value=value):
                return at(ast.Compare(load(subject), [ast.Is()], [constant(value)]), pattern)
        assert isinstance(pattern, ast.MatchOr)
        tests = [self._test(subject, inner) for inner in pattern.patterns]
        return self._site(at(ast.BoolOp(ast.Or(), tests), pattern))

    def _by_python(self, subject: str, pattern: ast.pattern) -> tuple[Block, ast.expr, Block]:
        unit = self._unit
        tests: list[ast.expr] = []
        captures = bound_names([pattern])
        pattern = self._without_values(pattern, tests)
        parts = [name for name in bound_names([pattern]) if name not in captures]
        # Names that the pattern reads are arguments: then they are read where the `match` stands.
        reads = [event for event in events(pattern) if event.kind is Kind.READ and event.name in unit.scope.locals]
        names = list(dict.fromkeys([subject, *(event.name for event in reads)]))
        found = [*captures, *parts]
        failed = [attribute(unit.runtime, "UNDEFINED") for _ in found]
        matcher = function(
            unit.names.function("match"),
            names,
            [
                ast.Match(load(subject), [ast.match_case(pattern, None, [_result(True, map(load, found))])]),
                _result(False, failed),
            ],
        )
        unit.generated.add(matcher)
        arguments = [load(name) for name in names]
        maybe_unbound = {event.name for event in reads if event.node in unit.unbound}
        unit.unbound.update(argument for argument in arguments if argument.id in maybe_unbound)
        outcome = ast.Call(load(matcher.name), list[ast.expr](arguments), [])
        if not found:
            return [at(matcher, pattern)], at(outcome, pattern), []
        matched = unit.names.value("matched")
        values = [unit.names.value("capture") for _ in captures]
        before = [at(matcher, pattern), at(unpack([matched, *values, *parts], outcome), pattern)]
        test = at(load(matched), pattern)
        return (
            before,
            self._site(at(ast.BoolOp(ast.And(), [test, *tests]), pattern)) if tests else test,
            [at(assign(name, load(value)), pattern) for name, value in zip(captures, values, strict=True)],
        )

    def _without_values(self, pattern: ast.pattern, tests: list[ast.expr]) -> ast.pattern:
        """The pattern with names for the values in it, which are compared afterwards: they may be tensors'."""
        match pattern:
            case ast.MatchSequence(patterns=inner):
                return at(ast.MatchSequence([self._part(p, tests) for p in inner]), pattern)
            case ast.MatchMapping(keys=keys, patterns=inner, rest=rest):
                return at(ast.MatchMapping(keys, [self._part(p, tests) for p in inner], rest), pattern)
            case ast.MatchClass(cls=cls, patterns=inner, kwd_attrs=names, kwd_patterns=named):
                parts = [self._part(p, tests) for p in inner], [self._part(p, tests) for p in named]
                return at(ast.MatchClass(cls, parts[0], names, parts[1]), pattern)
            case ast.MatchAs(pattern=ast.pattern() as whole, name=name):
                return at(ast.MatchAs(self._without_values(whole, tests), name), pattern)
        return pattern

    def _part(self, pattern: ast.pattern, tests: list[ast.expr]) -> ast.pattern:
        if not _is_simple(pattern):
            return self._without_values(pattern, tests)
        name = self._unit.names.value("part")
        tests.append(self._test(name, pattern))
        return at(ast.MatchAs(None, name), pattern)


def _is_simple(pattern: ast.pattern) -> bool:
    """Whether the pattern is a comparison, or several."""
    match pattern:
        case ast.MatchValue() | ast.MatchSingleton():
            return True
        case ast.MatchOr(patterns=patterns):
            return all(_is_simple(inner) for inner in patterns)
    return False


def _result(matched: bool, values: Iterable[ast.expr]) -> ast.stmt:
    values = list(values)
    return ast.Return(ast.Tuple([constant(matched), *values], ast.Load()) if values else constant(matched))
