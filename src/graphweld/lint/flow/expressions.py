"""Expressions: what each gives, and the places in it at which tensor values are asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from graphweld.lint.flow import calls, torch_names
from graphweld.lint.flow.events import Event, Events, What
from graphweld.lint.flow.narrowing import Narrowed, narrowed
from graphweld.lint.flow.program import Function, Program
from graphweld.lint.flow.values import MASK, NUMBER, PLAIN, UNKNOWN, VARYING, Kind, Value, join, pair, sequence

Env = dict[str, Value]
_COMPARES_IDENTITY = (ast.Is, ast.IsNot)
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)


class Expressions:
    """The evaluator of one function. Its environment changes as statements are followed."""

    def __init__(self, program: Program, function: Function, env: Env, events: Events) -> None:
        self.program = program
        self.function = function
        self.env = env
        self.events = events
        self._handlers: dict[type[ast.AST], Callable[[Any], Value]] = {
            ast.Constant: lambda node: PLAIN,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: lambda node: calls.call(self, node),
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._bool,
            ast.Compare: self._compare,
            ast.Subscript: self._subscript,
            ast.IfExp: self._if_exp,
            ast.Tuple: self._display,
            ast.List: self._display,
            ast.Set: self._display,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.NamedExpr: self._walrus,
            ast.Starred: lambda node: self.value(node.value).item(),
            ast.Lambda: self._lambda,
            ast.Slice: self._slice,
        }

    def value(self, node: ast.expr) -> Value:
        """What an expression gives."""
        handler = self._handlers.get(type(node))
        if handler is not None:
            return handler(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return PLAIN if isinstance(node, ast.JoinedStr) else UNKNOWN

    def note(
        self,
        what: What,
        construct: str,
        node: ast.stmt | ast.expr,
        subject: ast.expr,
        value: Value,
        end: ast.expr | None = None,
    ) -> None:
        """Note a place."""
        last = end if end is not None else subject if isinstance(node, ast.stmt) else node
        statement = node if isinstance(node, ast.stmt) else None
        assert isinstance(last, ast.expr)
        sure = value.sure and (self.function.is_reached or not value.is_array)
        self.events.add(Event(what, construct, node, last, subject, sure, self.function, statement))

    def test(self, node: ast.expr, construct: str, place: ast.stmt | ast.expr, what: What = "branch") -> Narrowed:
        """A test: a place of its own where tensor values decide it. Gives what either outcome tells about names."""
        mark = self.events.mark()
        value = self._truth(node)
        if value.steers:
            self.events.drop_since(mark, "scalar", "branch")
            self.note(what, construct, place, node, value, node)
        return narrowed(node, self.program)

    def with_names(self, changes: Env, node: ast.expr, evaluate: Callable[[ast.expr], Value]) -> Value:
        """Evaluate under what a test has told about names."""
        before = self.env
        self.env = {**before, **changes}
        try:
            return evaluate(node)
        finally:
            self.env = before

    def _truth(self, node: ast.expr) -> Value:
        """The value whose truth is asked for: of `a and b`, whichever part holds tensor values."""
        match node:
            case ast.BoolOp(op=op, values=values):
                before, found = self.env, PLAIN
                for part in values:
                    value = self._truth(part)
                    if value.steers:
                        found = value if not found.steers or value.sure else found
                    told = narrowed(part, self.program)
                    if (told.then if isinstance(op, ast.And) else told.orelse) is None:
                        break  # the rest is never asked while torch traces
                    self.env = {**self.env, **((told.then if isinstance(op, ast.And) else told.orelse) or {})}
                self.env = before
                return found
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._truth(operand)
        return self.value(node)

    def _name(self, node: ast.Name) -> Value:
        value = self.env.get(node.id)
        if value is None:
            value = self.program.globals.get(node.id)
        return UNKNOWN if value is None else value

    def _attribute(self, node: ast.Attribute) -> Value:
        name = node.attr
        if self.program.resolve(node) is not None and not calls.is_local(self, node):
            return PLAIN
        base = self.value(node.value)
        if base.kind is Kind.OBJECT:
            return self._member(base, name)
        if base.kind is Kind.TENSOR:
            if name in torch_names.TENSOR_ATTRIBUTES:
                return base
            if name == "shape" and base.varies:
                return pair(NUMBER._replace(sure=base.sure), PLAIN)._replace(element=PLAIN)  # the first size varies
            return PLAIN if name in torch_names.PLAIN_ATTRIBUTES else UNKNOWN
        if name in torch_names.PLAIN_ATTRIBUTES or base.kind is Kind.PLAIN:
            return PLAIN
        return UNKNOWN

    def _member(self, base: Value, name: str) -> Value:
        method = self.program.method(base.name, name)
        if method is not None and any(d.endswith("property") for d in method.decorators):
            return calls.enter(self, method, [], {}, base)
        known = self.program.attribute(base.name, name)
        if known is not None:
            return known
        return PLAIN if name in torch_names.PLAIN_ATTRIBUTES else UNKNOWN

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        tensors = [value for value in (left, right) if value.kind is Kind.TENSOR]
        if tensors:
            is_mask = isinstance(node.op, _BITWISE) and all(value.is_bool for value in tensors)
            return join(*tensors)._replace(is_bool=is_mask)
        if Kind.SEQUENCE in (left.kind, right.kind):
            if left.kind is right.kind and isinstance(node.op, ast.Add):
                return join(sequence(left.item(), varies=left.varies), sequence(right.item(), varies=right.varies))
            listed, other = (left, right) if left.kind is Kind.SEQUENCE else (right, left)
            return sequence(listed.item(), varies=listed.varies or other.kind is Kind.NUMBER)
        if Kind.NUMBER in (left.kind, right.kind):
            return left if left.kind is Kind.NUMBER else right
        return PLAIN if left.kind is right.kind is Kind.PLAIN else UNKNOWN

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            mark = self.events.mark()
            value = self._truth(node.operand)
            if not value.steers:
                return PLAIN
            self.events.drop_since(mark, "scalar", "branch")
            self.note("branch", "not", node, node.operand, value)
            return NUMBER._replace(sure=value.sure)
        return self.value(node.operand)

    def _bool(self, node: ast.BoolOp) -> Value:
        """`a and b` as a value: all parts but the last are asked for their truth."""
        before, results = self.env, []
        for number, part in enumerate(node.values):
            mark = self.events.mark()
            value = self._truth(part) if isinstance(part, ast.BoolOp | ast.UnaryOp) else self.value(part)
            results.append(value)
            if value.steers and number < len(node.values) - 1:
                self.events.drop_since(mark, "scalar", "branch")
                self.note("branch", "and" if isinstance(node.op, ast.And) else "or", node, part, value)
            told = narrowed(part, self.program)
            changes = told.then if isinstance(node.op, ast.And) else told.orelse
            if changes is None:
                break
            self.env = {**self.env, **changes}
        self.env = before
        return join(*results)

    def _compare(self, node: ast.Compare) -> Value:
        sides = [self.value(side) for side in (node.left, *node.comparators)]
        if all(isinstance(op, _COMPARES_IDENTITY) for op in node.ops):
            return PLAIN
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            return self._contains(sides)
        if any(
            isinstance(side, ast.Constant) and (side.value is None or isinstance(side.value, str))
            for side in (node.left, *node.comparators)
        ):
            return PLAIN
        tensors = [side for side in sides if side.kind is Kind.TENSOR]
        if tensors:
            first = join(*tensors)
            return first._replace(is_bool=True) if len(node.ops) == 1 else NUMBER._replace(sure=first.sure)
        numbers = [side for side in sides if side.kind is Kind.NUMBER]
        if numbers:
            return NUMBER._replace(sure=any(number.sure for number in numbers))
        return PLAIN if all(side.kind is Kind.PLAIN for side in sides) else UNKNOWN

    def _contains(self, sides: Sequence[Value]) -> Value:
        item, container = sides[0], sides[-1]
        if container.kind is Kind.TENSOR:
            return NUMBER._replace(sure=container.sure)
        if container.kind is Kind.SEQUENCE and container.item().steers:
            return NUMBER._replace(sure=container.item().sure)
        # A tensor looked up by its identity, in a set or dict, asks for no values: only a sequence compares.
        if item.kind is Kind.NUMBER:
            return item
        return PLAIN

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        index = self.value(node.slice)
        if base.kind is Kind.TENSOR:
            return self._rows(node, base, index)
        if base.kind is Kind.SEQUENCE:
            if isinstance(node.slice, ast.Slice):
                return sequence(base.item(), varies=base.varies)
            match node.slice:
                case ast.Constant(value=int(position)):
                    return base.item(position)
                case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(position))):
                    return base.item(-position)
            return base.item()
        return base if base.kind is Kind.PLAIN else UNKNOWN

    def _rows(self, node: ast.Subscript, base: Value, index: Value) -> Value:
        parts = index.items if index.kind is Kind.SEQUENCE and isinstance(node.slice, ast.Tuple) else (index,)
        masks = [part for part in parts if part.kind is Kind.TENSOR and part.is_bool]
        if not masks and _is_called_mask(node.slice) and index.kind in (Kind.TENSOR, Kind.UNKNOWN):
            masks = [MASK]
        if masks and isinstance(node.ctx, ast.Load):
            sure = any(mask.sure for mask in masks) and base.sure
            self.note("size", "mask", node, node, VARYING._replace(sure=sure, is_array=base.is_array))
            return VARYING._replace(sure=sure, is_array=base.is_array)
        cut = any(part.kind is Kind.NUMBER for part in parts) and isinstance(node.slice, ast.Slice | ast.Tuple)
        picked = [part for part in parts if part.kind is Kind.TENSOR and part.varies]
        return base._replace(varies=cut or bool(picked))

    def _slice(self, node: ast.Slice) -> Value:
        parts = [self.value(part) for part in (node.lower, node.upper, node.step) if part is not None]
        tensors = [part for part in parts if part.kind is Kind.TENSOR]
        if tensors:
            self.note("scalar", "a slice", node, node, join(*tensors))
        numbers = [part for part in parts if part.kind is Kind.NUMBER]
        return numbers[0] if numbers else NUMBER._replace(sure=tensors[0].sure) if tensors else PLAIN

    def _if_exp(self, node: ast.IfExp) -> Value:
        told = self.test(node.test, "conditional expression", node)
        results = []
        if told.then is not None:
            results.append(self.with_names(told.then, node.body, self.value))
        if told.orelse is not None:
            results.append(self.with_names(told.orelse, node.orelse, self.value))
        return join(*results)

    def _display(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        items = [self.value(part) for part in node.elts]
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return sequence(join(*items))
        return pair(*items)._replace(element=None if items else UNKNOWN)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        before, self.env = self.env, dict(self.env)
        varies = False
        for generator in node.generators:
            varies |= self.iterate(generator.iter, generator.target, node, "comprehension").varies
            for test in generator.ifs:
                mark = self.events.mark()
                told = self.test(test, "comprehension", node)
                varies |= bool(self.events.mark() - mark)
                self.env.update(told.then or {})
        if isinstance(node, ast.DictComp):
            self.value(node.key)
            self.value(node.value)
            result = UNKNOWN
        else:
            result = sequence(self.value(node.elt), varies=varies)
        self.env = before
        return result

    def iterate(self, iterable: ast.expr, target: ast.expr, place: ast.stmt | ast.expr, construct: str) -> Value:
        """A loop's header: note it where tensor values decide how often the loop runs; bind what it binds."""
        mark = self.events.mark()
        value = self.value(iterable)
        end = iterable if isinstance(place, ast.stmt) else place
        assert isinstance(end, ast.expr)
        if value.varies:
            self.events.drop_since(mark, "scalar")
            self.note("loop", construct, place, iterable, value, end)
        elif isinstance(place, ast.stmt):
            read = self.events.drop_since(mark, "scalar")
            if read:
                sure = any(event.sure for event in read)
                self.note("scalar", construct, place, read[0].subject, NUMBER._replace(sure=sure), end)
        self.bind(target, value.item())
        return value

    def bind(self, target: ast.expr, value: Value) -> None:
        """Give a target its value."""
        match target:
            case ast.Name(id=name):
                self.env[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for position, part in enumerate(targets):
                    if isinstance(part, ast.Starred):
                        self.bind(part.value, sequence(value.item()))
                    else:
                        self.bind(part, value.item(position))
            case ast.Attribute(value=base, attr=name):
                holder = self.value(base)
                if holder.kind is Kind.OBJECT and holder.name in self.program.classes:
                    attributes = self.program.classes[holder.name].attributes
                    attributes[name] = join(attributes[name], value) if name in attributes else value
            case ast.Subscript():
                self.value(target.value)
                self.value(target.slice)
            case ast.Starred(value=part):
                self.bind(part, value)

    def _walrus(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.env[node.target.id] = value
        return value

    def _lambda(self, node: ast.Lambda) -> Value:
        unknown = {p.arg: UNKNOWN for p in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        self.with_names(unknown, node.body, self.value)
        return UNKNOWN


def _is_called_mask(index: ast.expr) -> bool:
    """`x[padding_mask]`, `x[~mask]`: nothing but a mask is named so and selects alone."""
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
        return True
    if isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute) and index.func.attr == "to":
        return _is_called_mask(index.func.value)
    name = index.id if isinstance(index, ast.Name) else index.attr if isinstance(index, ast.Attribute) else ""
    return name.endswith("mask")
