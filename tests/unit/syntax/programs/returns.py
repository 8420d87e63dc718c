# ruff: noqa: B007, B012
import contextlib

from tests.unit.syntax.twins import log, program


@program(1, -1, 0)
def early(x):
    if x > 0:
        return "positive"
    y = x - 1
    return y


@program(1, -1, 0)
def falls_off(x):
    if x > 0:
        return x


@program(1, -1, 0)
def bare(x):
    if x > 0:
        return
    log("after")
    if x < 0:
        return None
    log("end")


@program(1, 2, 3)
def chain(x):
    if x == 1:
        return "a"
    if x == 2:
        return "b"
    log(x)
    return "c"


@program((0, 0), (0, 1), (1, 0), (1, 1))
def partial(a, b):
    if a:
        log("a")
        if b:
            return "ab"
        log("not b")
    else:
        log("not a")
    log("rest")
    return "end"


@program((0, 0), (0, 1), (1, 0), (1, 1))
def partial_both(a, b):
    if a:
        if b:
            return "ab"
        x = 1
    else:
        if b:
            return "b"
        x = 2
    log(x)
    if x == 1:
        return "x"
    return x


@program((0, 0), (0, 1), (1, 0), (1, 1))
def return_or_raise(a, b):
    if a:
        if b:
            raise ValueError(a)
        return 1
    if b:
        return 2
    raise KeyError(b)


@program(*range(-1, 5))
def in_loop(n):
    for i in range(5):
        log(i)
        if i == n:
            return i
        log("next")
    log("done")


@program(*range(-1, 5))
def in_while(n):
    i = 0
    while i < 4:
        i += 1
        if i == n:
            return ("found", i)
    return "none"


@program(*[(a, b) for a in range(-1, 3) for b in range(-1, 3)])
def in_nested_loops(a, b):
    for i in range(3):
        for j in range(3):
            log(i, j)
            if i == a and j == b:
                return i, j
        if i == a:
            return "row"
    return "none"


@program(0, 1, 2)
def in_try(x):
    try:
        log("try")
        if x == 1:
            return 1 / (x - 1)
        if x == 2:
            return "two"
    except ZeroDivisionError:
        log("caught")
        if x:
            return "zero"
    else:
        log("else")
    finally:
        log("finally")
    log("after")
    return "end"


@program(0, 1)
def in_finally(x):
    try:
        if x:
            y = 1 // 0
        else:
            y = 2
    finally:
        if x:
            return "swallowed"
    return y


@program(0, 1)
def in_with(x):
    with contextlib.nullcontext():
        if x:
            return "in"
        log("not")
    log("after")
    return "out"


@program(0, 1)
def with_always_returns(x):
    with contextlib.nullcontext():
        if x:
            return "in"
        return "else"


@program((0, 0), (0, 1), (1, 0), (1, 1))
def with_suppresses(a, b):
    x = 0
    with contextlib.suppress(ZeroDivisionError):
        if a:
            x = 1
            if b:
                1 / 0
            x = 2
            return "in", x
    return x


@program((0, 0), (0, 1), (1, 0), (1, 1), ("s", 0), ("s", 1))
def under_plain_test(a, b):
    if isinstance(a, str):
        if b:
            return "string"
        log("string")
    elif isinstance(b, int):
        return a if b else "zero"
    if a:
        return a
    return "end"


@program(("s", 0), ("s", 1), (1, 1))
def plain_always_returns(a, b):
    if isinstance(a, str):
        if b:
            return 1
        return 2
    c = a + b
    return c


@program(("s", 0), (1, 0), (1, 1))
def plain_return_before_region(a, b):
    if isinstance(a, str):
        return a
    if b:
        return b
    return "end"


@program(0, 1)
def infinite_loop(x):
    while True:
        x += 1
        if x > 4:
            return x


@program(*range(5))
def loop_in_branch(n):
    if n > 1:
        for i in range(n):
            if i == 2:
                return "two"
            log(i)
        n = 10
    else:
        log("small")
    return n


@program(0, 1, 2, 3)
def deep(x):
    if x > 0:
        log("a")
        if x > 1:
            log("b")
            if x > 2:
                return "c"
            log("not c")
        log("not b")
    return "end"


@program((0, 0), (0, 1), (1, 0), (1, 1))
def return_in_else_of_loop(a, b):
    for i in range(2):
        if a:
            break
    else:
        return "completed"
    if b:
        return "b"
    return "end"


@program(0, 1)
def returns_lambda(x):
    if x:
        return (lambda: x)()
    return (lambda y: y if y else x)(3)


@program(0, 1)
def dead_code(x):
    if x:
        return 1
        x = 2
    return 3
    return 4


@program(0, 1)
def loop_with_two_values(n):
    total, seen = 0, []
    for x in (1, 2, 3, 4):
        if x == 3 and n:
            return total, seen
        total += x
        seen.append(x)
    return total, seen, "end"


@program(0, 1, 2)
def try_in_loop(n):
    for i in range(3):
        try:
            if i == n:
                return 10 // (i - 1)
            log(i)
        except ZeroDivisionError as e:
            log(str(e))
            continue
        finally:
            log("finally")
        if i > n:
            break
    return "end"


@program(0, 1)
def flag_in_try_else(x):
    try:
        if x:
            return "early"
    except ValueError:
        pass
    else:
        log("else")
        x = 5
    return x


@program(*[(a, b) for a in (0, 1) for b in (0, 1, 2)])
def exit_called_off(a, b):
    for i in range(3):
        try:
            try:
                if a:
                    return "left"
                if i == 1:
                    break
            finally:
                log(i // b)
        except ZeroDivisionError:
            log("called off")
        if b == 2 and i:
            return "two"
    return "end"
