# ruff: noqa: B023, B905, BLE001, C400, F821
from tests.unit.syntax.twins import log, program


@program(0, 1)
def captured_before(c):
    x = 1
    get = lambda: x
    if c:
        x = 2
        log(get())
        x += 1
    return get(), x


@program(0, 1)
def captured_inside(c):
    x = 1
    if c:
        x = 2
        get = lambda: x
        x = 3
    else:
        get = lambda: -x
    x = x + 10
    return get()


@program(0, 3)
def closures_in_loop_share(n):
    fs = []
    for i in range(n):
        t = i * 2
        fs.append(lambda: (i, t))
    return [f() for f in fs]


@program(0, 3)
def closures_in_loop_defaults(n):
    fs = []
    for i in range(n):
        fs.append(lambda i=i: i)
    return [f() for f in fs]


@program(0, 3)
def captured_loop_state(n):
    total = 0

    def add(k):
        nonlocal total
        if k > 1:
            total += k
        return total

    for i in range(n):
        add(i)
        if i == 2:
            total = total * 10
    return total, add(5)


@program(0, 1)
def counter(c):
    def make():
        n = 0
        def step():
            nonlocal n
            if c:
                n += 1
            else:
                n -= 1
            return n
        return step
    s = make()
    return s(), s()


@program(0, 1)
def captured_unbound(c):
    def get():
        return x
    if c:
        x = 1
    try:
        return get()
    except NameError as e:
        return type(e).__name__


def _outer(flag):
    seen = []

    def inner(a, b=2, *, k=3):
        nonlocal flag
        if a > 0:
            flag = a
            seen.append(b)
            return k
        for i in range(b):
            flag += i
        return flag, seen

    return inner


def _make_inner():
    global _inner
    flag, seen = 10, []

    def _inner(a, b=2, *, k=3):
        nonlocal flag
        if a > 0:
            flag = a
            seen.append(b)
            return k
        for i in range(b):
            flag += i
        return flag, seen

    def reset():
        nonlocal flag
        flag = 10
        seen.clear()

    return reset


_reset = _make_inner()


@program(-1, 0, 1, convert=lambda: (_inner,))
def free_variables_of_converted(a):
    _reset()
    return _inner(a), _inner(a, k=a)


@program(0, 1, 2, convert=lambda: (_outer,))
def outer_converted(a):
    inner = _outer(10)
    return inner(a), inner(a), inner(0)


class Base:
    def __init__(self, v):
        self.v = v

    def step(self, x):
        return self.v + x


class Child(Base):
    training = False
    __secret = 5

    def __init__(self, v):
        if v > 0:
            super().__init__(v)
        else:
            super().__init__(-v)
        self.__hidden = v if v else "zero"

    def step(self, x, *args):
        if self.training:
            return "training"
        while x < 3:
            x = super().step(x)
        return super().step(x) if x > 3 else super().step(-x)

    def private(self, __p):
        if __p:
            self.__hidden += 1
            __local = self.__secret
        else:
            __local = __p
        return self.__hidden, __local, [self.__secret and y for y in (1, 2)]

    def klass(self, x):
        if x:
            return __class__
        return super().__class__

    @staticmethod
    def static(x):
        return x or "static"

    @classmethod
    def cls(cls, x):
        return cls.__secret if x else cls(3).v

    @property
    def prop(self):
        if self.v > 2:
            return "big"
        return "small"


@program(
    *[(v, x) for v in (-2, 0, 3) for x in (0, 1, 2, 3)],
    convert=lambda: (
        Child.__init__, Child.step, Child.private, Child.klass, Child.static, Child.cls.__func__, Child.prop.fget,
    ),
)
def methods(v, x):
    out = []
    for call in (
        lambda: Child(v).private(x),
        lambda: Child(v).klass(x),
        lambda: Child(v).static(x),
        lambda: Child(v).cls(x),
        lambda: Child(v).prop,
        lambda: Child(v or 1).step(x),
    ):
        try:
            out.append(call())
        except Exception as e:
            out.append(repr(e))
    return out


absolute = lambda x: x if x > 0 else -x
pair = lambda a, *b, c=1: (a and b, not c)
one, two = lambda x: x and 1, lambda x: x or 2


@program(1, -1, 0, convert=lambda: (absolute, pair, one, two))
def lambdas(x):
    return absolute(x), pair(x, x), pair(x, c=x), one(x), two(x)


@program(0, 1)
def nested_defaults_and_decorators(c):
    def deco(k):
        def wrap(f):
            log(k)
            return f
        return wrap

    @deco(log("yes") if c else log("no"))
    def inner(x=c and 5, *, y=not c):
        if x:
            return y
        return x, y

    return inner(), inner(0), inner(3, y="z")


@program(0, 1)
def comprehension_scopes(c):
    x = "outer"
    ys = [x if x else "zero" for x in range(3)]
    s = {k: v or "none" for k, v in zip("ab", (0, 1)) if not c or v}
    g = list(y and x for y in (0, 1))
    z = {not x for x in (0, 1)}
    return x, ys, s, g, sorted(z), [[i and j for j in range(2)] for i in range(2) if i or c]


@program(0, 1)
def comprehension_walrus(c):
    if c:
        ys = [last := i for i in range(3)]
    else:
        ys = [last for i in range(2) if (last := i)]
    return ys, last


@program(0, 1)
def generator_captures(c):
    t = 1
    if c:
        t = 2
        g = (t * i for i in range(3))
        t = 3
    else:
        g = iter(())
    t = t + 10
    return list(g), any(t > 3 for _ in range(1))


@program(0, 1)
def recursion(n):
    def fact(k):
        if k <= 1:
            return 1
        return k * fact(k - 1)
    if n:
        r = fact(5)
    else:
        r = fact(1)
    return r


@program(0, 1)
def names_like_ours(gw):
    then_1 = 1
    gw_value_1 = 2
    if gw:
        then_1 = gw_value_1
        body_1 = 3
    else:
        body_1 = then_1 < (gw + 1) < 5
    return then_1, body_1, gw


@program(0, 1)
def class_body_statements(c):
    class C:
        a = 1
        if c:
            b = a or 2
        else:
            b = [k for k in range(3) if k]
        for i in range(2):
            if i:
                break
    return C.b, C.i


@program(0, 1)
def except_names(c):
    e = "outer"
    if c:
        try:
            1 / 0
        except ZeroDivisionError as e:
            log(str(e))
    return e


@program(0, 1)
def except_in_loop(n):
    out = []
    for i in range(3):
        try:
            if i == n:
                raise KeyError(i)
            out.append(i)
        except KeyError as err:
            out.append(err.args)
    return out


@program((0, 0), (0, 1), (1, 0), (1, 1))
def assigned_before_raise(a, b):
    x = 0
    try:
        if a:
            x = 1
            if b:
                raise ValueError
            x = 2
    except ValueError:
        log("caught", x)
    return x


@program((0, 0), (0, 1), (1, 0), (1, 1))
def assigned_before_raise_only_there(a, b):
    try:
        if a:
            y = 1
            if b:
                raise ValueError
    except ValueError:
        pass
    return y


@program((0, 0), (0, 1), (1, 0), (1, 1))
def try_inside_region(a, b):
    if a:
        y = 0
        try:
            for i in range(3):
                y += 1
                if b:
                    y = y // (1 - i)
        except ZeroDivisionError:
            y = -y
        finally:
            log(y)
    else:
        y = None
    return y


@program(0, 1)
def async_function_inside(c):
    import asyncio

    async def co(x):
        if x:
            return 1
        while x < 3:
            x += 1
        await asyncio.sleep(0)
        if x > 2:
            y = "big"
        else:
            y = "small"
        return y

    return asyncio.run(co(c))


@program(0, 1)
def locals_in_nested(c):
    def inner(a):
        if a:
            b = 1
        return sorted(locals())
    if c:
        return inner(1)
    return inner(0)


@program((0, 0), (0, 1), (1, 0), (1, 1))
def captured_after_regions(a, b):
    if a:
        x = 1
    else:
        x = 2
    y = x
    for i in range(3):
        y += i
    if b:
        z = y
    get = lambda: (x, y, z if b else None)
    first = get()
    if b:
        x = 5
    return first, get()


@program((0, 0), (0, 1), (1, 0), (1, 1))
def captured_in_common_loop(a, b):
    out = []
    for i in range(3):
        if i == a:
            x = i
        else:
            x = -i
        out.append(lambda: x)
        if b:
            x += 10
            out.append(out[-1]())
    return [f() if callable(f) else f for f in out]


@program((0, 0), (0, 1), (1, 0), (1, 1))
def captured_in_branches(a, b):
    x = 0
    if a:
        x = 1
        if b:
            x = 2
        get = lambda: x
        x += 1
        if b:
            x += 1
    else:
        get = lambda: -1
    return get(), x


@program(0, 1)
def key_functions(c):
    t = 1
    if c:
        t = -1
        xs = sorted([1, 3, 2], key=lambda v: v * t)
        t = 5
    else:
        xs = [t]
    return xs, max([1, 2], key=lambda v: -v * t)


@program(0, 1)
def unbound_before_capture(c):
    if c:
        log(x)
        x = 1
    else:
        x = 2
    return (lambda: x)()


@program((0, 0), (0, 1), (1, 0), (1, 1))
def captured_after_inner_region(a, b):
    if a:
        if b:
            x = 1
        else:
            x = 2
        get = lambda: x
        if b:
            x += 5
    else:
        get = lambda: 0
    return get()


@program(0, 1)
def captured_and_bound_by_test(c):
    if n := log(c + 5):
        get = lambda: n
        if c:
            n += 1
            log(get())
        n = n * 2
    return get(), n
