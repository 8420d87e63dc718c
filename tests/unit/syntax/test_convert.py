"""`convert` and `sites`: what they promise about the twin and the record that comes with it."""

from __future__ import annotations

import ast
import doctest
import linecache
import textwrap
import threading
import traceback
import types
from collections.abc import Callable
from typing import Any

import pytest

from graphweld.syntax import SourceUnavailable, UnsupportedSyntax, convert, sites

FILE = __file__


def twin_of(function: Callable[..., Any]) -> Callable[..., Any]:
    assert isinstance(function, types.FunctionType)
    conversion = convert(function.__code__)
    assert conversion is not None
    twin = types.FunctionType(
        conversion.code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


def from_text(text: str, name: str = "f", filename: str = "<cell 1>") -> types.FunctionType:
    """A function whose source only `linecache` has, as in a notebook."""
    text = textwrap.dedent(text)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), namespace)
    function = namespace[name]
    assert isinstance(function, types.FunctionType)
    return function


def absolute(x: int, scale: int = 2, *, shift: int = 1) -> int:
    """The docstring."""
    # A comment.
    if x < 0:
        return -x * scale
    return x + shift


def no_site(x: int) -> int:
    assert isinstance(x, int)
    return x + 1


def test_record() -> None:
    conversion = convert(absolute.__code__)
    assert conversion is not None
    assert conversion.filename == FILE
    assert conversion.first_line == absolute.__code__.co_firstlineno
    assert conversion.name == "absolute"
    assert conversion.original.startswith("def absolute(x: int, scale")
    assert "# A comment." in conversion.original
    (site,) = conversion.sites
    assert (site.construct, site.line, site.text, site.function) == (
        "if", conversion.first_line + 3, "if x < 0:", "absolute",
    )  # fmt: skip
    assert (site.column, site.end_line, site.end_column) == (4, site.line, 12)


def test_source_is_readable_python() -> None:
    conversion = convert(absolute.__code__)
    assert conversion is not None
    assert conversion.source == textwrap.dedent('''\
        def absolute(x: int, scale: int = 2, *, shift: int = 1) -> int:
            """The docstring."""
            from graphweld import runtime as gw

            # A comment.
            def then_1(gw_returned_1):
                gw_returned_1 = -x * scale
                return (gw_returned_1,)

            def else_1(gw_returned_1):
                gw_returned_1 = x + shift
                return (gw_returned_1,)

            (gw_returned_1,) = gw.if_stmt(x < 0, then_1, else_1, (gw.UNDEFINED,), ('gw_returned_1',), 0)
            return gw_returned_1
        ''')


def test_source_runs() -> None:
    conversion = convert(absolute.__code__)
    assert conversion is not None
    namespace: dict[str, Any] = {}
    exec(compile("from __future__ import annotations\n" + conversion.source, "converted", "exec"), namespace)
    assert [namespace["absolute"](x) for x in (-2, 2)] == [absolute(-2), absolute(2)]


def test_without_a_site_there_is_no_twin() -> None:
    assert convert(no_site.__code__) is None
    assert sites(no_site.__code__) == ()


def test_twin_is_not_converted_again() -> None:
    def outer(x: int) -> Callable[[int], int]:
        def inner(y: int) -> int:
            return y if y else x

        if x:
            return inner
        return lambda y: y or x

    twin = twin_of(outer)
    assert convert(twin.__code__) is None
    for x in (0, 1):
        made = twin(x)
        assert convert(made.__code__) is None
        assert [made(y) for y in (0, 1)] == [outer(x)(y) for y in (0, 1)]


def test_outcomes_are_cached() -> None:
    assert convert(absolute.__code__) is convert(absolute.__code__)


def test_equal_code_in_two_files() -> None:
    text = "def f(x):\n    return 1 if x else 2\n"
    one, other = from_text(text, filename="<cell one>"), from_text(text, filename="<cell other>")
    assert one.__code__ == other.__code__
    first, second = convert(one.__code__), convert(other.__code__)
    assert first is not None and second is not None
    assert (first.filename, second.filename) == ("<cell one>", "<cell other>")


def test_threads() -> None:
    function = from_text("def f(x):\n    while x:\n        x -= 1\n    return x\n", filename="<cell threads>")
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.append(convert(function.__code__))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len({id(one) for one in seen}) == 1


def fails_deep(n: int) -> int:
    total = 0
    for i in range(n):
        if i > 1:
            while True:
                total += 1
                if total > 2 and (i == 2):
                    return total // (i - 2)
        total += i
    return 1 if n else (
        1 // n
    )  # fmt: skip


@pytest.mark.parametrize("n", [0, 3])
def test_tracebacks_show_the_users_lines(n: int) -> None:
    def lines(function: Callable[[int], int]) -> list[int]:
        with pytest.raises(ZeroDivisionError) as caught:
            function(n)
        return [
            frame.lineno or 0 for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == FILE
        ]

    original, twin = lines(fails_deep), lines(twin_of(fails_deep))
    first = fails_deep.__code__.co_firstlineno
    assert original[-1] == twin[-1]
    assert all(first <= line <= first + 15 for line in twin[1:])


def test_every_line_is_one_of_the_original() -> None:
    conversion = convert(fails_deep.__code__)
    assert conversion is not None
    original = {fails_deep.__code__.co_firstlineno, *(line for *_, line in fails_deep.__code__.co_lines())}
    assert {line for code in all_codes(conversion.code) for *_, line in code.co_lines()} - {None} <= original


def all_codes(code: types.CodeType) -> list[types.CodeType]:
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return [code, *(deeper for part in inner for deeper in all_codes(part))]


def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


@decorate
@decorate
def decorated(x: int) -> int:
    return x or 5


def test_decorated() -> None:
    twin = twin_of(decorated)
    assert twin.__code__.co_firstlineno == decorated.__code__.co_firstlineno
    assert twin(0) == 5


one, two, three = lambda x: x or 1, lambda x: x or 2, [lambda x: (lambda y: y or x), lambda x: x or 2]  # fmt: skip


@pytest.mark.parametrize("function", [one, two, three[0], three[0](4), three[1]])
def test_lambdas_on_one_line(function: Callable[[int], Any]) -> None:
    twin = twin_of(function)
    result, expected = twin(0), function(0)
    assert callable(result) or result == expected


def test_lambdas_without_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    from graphweld.syntax.source import _compiles_to

    tree = ast.parse("a, b = lambda x: x or 1, lambda x: x or 2")
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    codes = [code for code in compile(tree, "f", "exec").co_consts if isinstance(code, types.CodeType)]
    assert [[_compiles_to(node, code) for node in nodes] for code in codes] == [[True, False], [False, True]]


def test_source_in_linecache_only() -> None:
    function = from_text("""
        def f(x):
            if x:
                return 'é' and (x if x > 1 else 'none')
            return 'zero'
    """)
    twin = twin_of(function)
    assert [twin(x) for x in (0, 1, 2)] == [function(x) for x in (0, 1, 2)]
    site = next(site for site in sites(function.__code__) if site.construct == "conditional expression")
    line = "        return 'é' and (x if x > 1 else 'none')"
    assert line[site.column : site.end_column] == "x if x > 1 else 'none'"


def test_doctests() -> None:
    """A function in a doctest converts while the doctest runs.

    >>> def f(x):
    ...     if x:
    ...         return 1
    ...     return 2
    >>> from graphweld.syntax import convert
    >>> convert(f.__code__).sites[0].text
    'if x:'
    """
    text = test_doctests.__doc__
    assert text is not None
    test = doctest.DocTestParser().get_doctest(text, {}, "in_a_doctest", None, None)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_no_source() -> None:
    namespace: dict[str, Any] = {}
    exec("def f(x):\n    return x or 1", namespace)
    with pytest.raises(SourceUnavailable, match="no source text for <string>"):
        convert(namespace["f"].__code__)


def test_source_changed_since() -> None:
    function = from_text("def f(x):\n    y = x or 1\n    return y\n", filename="<cell changed>")
    from_text("def f(x):\n    z = x or 1\n    return z\n", filename="<cell changed>")
    with pytest.raises(SourceUnavailable, match="line 1 of <cell changed> does not define f"):
        convert(function.__code__)


def test_source_does_not_parse() -> None:
    function = from_text("def f(x):\n    return x or 1\n", filename="<cell broken>")
    linecache.cache["<cell broken>"] = (9, None, ["def f(:\n"], "<cell broken>")
    with pytest.raises(SourceUnavailable, match="<cell broken> does not parse"):
        convert(function.__code__)


@pytest.mark.parametrize("call", ["locals()", "vars()", "dir()", "eval('x')", "exec('x')"])
def test_frame_access_is_refused(call: str) -> None:
    function = from_text(f"def f(x):\n    if x:\n        return {call}\n", filename=f"<cell {call}>")
    with pytest.raises(UnsupportedSyntax) as caught:
        convert(function.__code__)
    refused = caught.value
    assert (refused.construct, refused.line, refused.column) == (f"{call.split('(')[0]}()", 3, 15)
    assert "a frame of its own" in refused.reason


def test_frame_access_without_site() -> None:
    assert convert(from_text("def f(x):\n    return locals()\n", filename="<cell locals>").__code__) is None


def test_not_a_function() -> None:
    module = compile("[x or 1 for x in y]\nclass C:\n    a = 1 or 2\n", FILE, "exec")
    inner = [code for code in module.co_consts if isinstance(code, types.CodeType)]
    assert [convert(code) for code in (module, *inner)] == [None] * (1 + len(inner))


def test_sites_of_every_construct() -> None:
    function = from_text("""
        def f(x, y):
            if x: pass
            elif y: pass
            while x: pass
            for i in y: pass
            match x:
                case 1: pass
            assert x
            a = x if y else x
            a = x and y
            a = x or y
            a = not x
            a = 0 < x < 1
            a = x in y
            a = x not in y
            def inner():
                return x and y
            return inner
    """)
    found = sites(function.__code__)
    assert [site.construct for site in found] == [
        "if", "elif", "while", "for", "match", "assert", "conditional expression", "and", "or", "not",
        "comparison chain", "in", "not in", "and",
    ]  # fmt: skip
    assert [site.function for site in found[-2:]] == ["f", "f.<locals>.inner"]
    assert [site.line for site in found] == [3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 18]


def test_what_never_depends_on_data_is_no_site() -> None:
    function = from_text("""
        def f(self, x, mode):
            if isinstance(x, int) and not __debug__: pass
            if self.training or torch.jit.is_scripting(): pass
            for k in ("a", "b"): pass
    """)
    assert sites(function.__code__) == ()
    assert convert(function.__code__) is None
