# ruff: noqa: F401, F821, F842
from tests.unit.syntax.twins import log, program


@program(1, -1, 0)
def plain_if(x):
    y = 0
    if x > 0:
        y = x
    return y


@program(1, -1, 0)
def if_else(x):
    if x > 0:
        y = x
    else:
        y = -x
    return y


@program(1, 2, 3, 4)
def elif_chain(x):
    if log(x == 1):
        y = "a"
    elif log(x == 2):
        y = "b"
    elif log(x == 3):
        y = "c"
    else:
        y = "d"
    return y


@program(1, 2, 3)
def elif_without_else(x):
    y = None
    if x == 1:
        y = "a"
    elif x == 2:
        y = "b"
    return y


@program((1, 1), (1, 0), (0, 1), (0, 0))
def nested(a, b):
    if a:
        t = 1
        if b:
            t += 1
            u = t
        else:
            u = -t
    else:
        u = 5
        if b:
            u = u * 2
    return u


@program((1, 1), (1, 0), (0, 1), (0, 0))
def temporaries_of_the_same_name(a, b):
    if a:
        t = 1
        log(t)
    if b:
        t = 2
    else:
        t = 3
    return t


@program(0, 1)
def maybe_unbound(c):
    if c:
        x = 1
    return x


@program(0, 1)
def unbound_in_other_branch(c):
    if c:
        log(later)
    later = 1
    if c:
        return later
    return later + 1


@program((0, 0), (0, 1), (1, 0), (1, 1))
def maybe_unbound_twice(a, b):
    if a:
        x = 1
    if b:
        x += 1
    return x


@program((0, 0), (0, 1), (1, 0), (1, 1))
def bound_by_try(a, b):
    try:
        x = 1 // a
    except ZeroDivisionError:
        pass
    if b:
        x = 2
    return x


@program(0, 1)
def delete_in_branch(c):
    x = 1
    if c:
        del x
    return x


@program((0, 0), (0, 1), (1, 0), (1, 1))
def delete_twice(a, b):
    x = y = 1
    if a:
        del x, y
    if b:
        del (x,)
    return y


@program(0, 1)
def delete_unbound(a):
    if a:
        x = 1
    del x
    return 5


@program(0, 1)
def delete_item_and_attribute(a):
    d = {"x": 1, "y": 2}
    if a:
        del d["x"]
    return d


@program(0, 1)
def delete_parameter(a):
    if a:
        del a
    else:
        return 3
    return a


@program((0, 1), (1, 1))
def augmented(a, x):
    if a:
        x += 1
        x -= 3
        x *= 2
    return x


@program(0, 1)
def augmented_unbound(a):
    if a:
        x += 1
    else:
        x = 0
    return x


@program(0, 1)
def subscripts_and_attributes(a):
    d = {"k": [1, 2]}
    if a:
        d["k"][0] += 5
        d["n"] = a
    else:
        d["k"].append(3)
    return d


@program(0, 1)
def unpacking(a):
    if a:
        x, (y, *z) = 1, (2, 3, 4)
    else:
        [x, y], z = (5, 6), 7
    return x, y, z


@program(0, 1)
def imports(a):
    if a:
        import collections.abc
        import os.path as p
        from math import pi as number
    else:
        number = 3
    return number


@program(0, 1)
def import_binds_root(a):
    if a:
        import os.path
    else:
        os = 5
    return type(os).__name__


@program(0, 1)
def with_binding(a):
    import contextlib

    if a:
        with contextlib.nullcontext(3) as v, contextlib.nullcontext((1, 2)) as (p, q):
            v += p
    else:
        v = q = 0
    return v, q


@program(0, 1)
def def_in_branch(a):
    if a:
        def helper(n):
            return 1 if n == 0 else n * helper(n - 1)
    else:
        helper = lambda n: n
    return helper(4)


@program(0, 1)
def class_in_branch(a):
    if a:
        class C:
            v = 1
    else:
        class C:
            v = 2
            w = v + 1 if v else 0
            def m(self, x):
                if x:
                    return __class__.__name__, self.w
                return self.v
    return C.v, [C().m(x) for x in (0, 1)] if not a else None


@program(0, 1)
def raise_in_branch(a):
    if a:
        raise ValueError("a is true")
    return a + 1


@program((0, 1), (1, 0), (1, 1), (0, 0))
def raise_in_both(a, b):
    if a:
        raise ValueError("a")
    elif b:
        raise KeyError("b")
    else:
        raise TypeError("none")


@program(0, 1)
def pass_branch(a):
    if a:
        pass
    else:
        a = 7
    return a


@program(0, 1)
def no_state(a):
    if a:
        log("yes")
    else:
        log("no")


@program(0, 1)
def condition_is_walrus(a):
    if (n := log(a + 1)) > 1:
        return n
    return -n


@program((0, 0), (1, 0), (1, 1))
def never_data_dependent(a, b):
    if isinstance(a, str):
        y = 1
    elif isinstance(b, int) and a:
        y = 2
    else:
        y = 3
    return y


@program("x", 1)
def string_comparison(mode):
    if mode == "x":
        y = 1
    else:
        y = 2
    z = y if mode else 0
    return y, z


@program(None, 1)
def is_none(x):
    if x is None:
        x = 5
    if x is not None:
        x = x + 1
    return x


@program(0, 1)
def star_arguments(c, *args, k=3, **kw):
    if c:
        args = (*args, 1)
        kw["z"] = k
    else:
        k = 4
    return args, kw, k


@program(0, 1)
def positional_only(c, /, d=2, *, e=5):
    if c:
        d, e = e, d
    return d, e


GLOBAL = 0


@program(0, 1)
def global_assigned(c):
    global GLOBAL
    GLOBAL = 1
    if c:
        GLOBAL += 1
    return GLOBAL


@program(0, 1)
def global_declared_in_branch(c):
    if c:
        global GLOBAL_2
        GLOBAL_2 = 5
    else:
        GLOBAL_2 = 6
    return GLOBAL_2, globals()["GLOBAL_2"]


@program(0, 1)
def annotated(c):
    y: int
    if c:
        y: int = 1
        z: str
    else:
        y = 2
    return y


@program(0, 1)
def f_string(c):
    x = 3
    return f"{x if c else 'no'!r:>{4 if c else 6}} {c and x}"


@program(0, 1)
def docstring_kept(c):
    """A docstring."""
    if c:
        c = 2
    return c
