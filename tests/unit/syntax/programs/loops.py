# ruff: noqa: B007, B012, B905, E701, F821, F841
from tests.unit.syntax.twins import log, program


@program(0, 1, 5)
def while_plain(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total, n


@program(0, 1, 5)
def for_plain(n):
    total = 0
    for i in range(n):
        total += i
    return total


@program(0, 1, 5)
def target_after_loop(n):
    for i in range(n):
        pass
    return i


@program(0, 3)
def target_bound_before(n):
    i = "before"
    for i in range(n):
        log(i)
    return i


@program(0, 1, 5)
def last_value(n):
    for i in range(n):
        last = i * 2
    return last


@program(*range(-1, 5))
def breaks(n):
    for i in range(4):
        log(i)
        if i == n:
            break
        log("on")
    return i


@program(*range(-1, 5))
def break_else(n):
    for i in range(4):
        if i == n:
            log("found")
            break
    else:
        i = "none"
    return i


@program(0, 3)
def else_without_break(n):
    for i in range(n):
        log(i)
    else:
        log("else")
    return n


@program(*range(-1, 5))
def while_else(n):
    i = 0
    while i < 4:
        if i == n:
            break
        i += 1
    else:
        return "completed"
    return i


@program(*range(-1, 5))
def continues(n):
    out = []
    for i in range(4):
        if i == n:
            continue
        out.append(i)
    return out


@program(*range(-1, 6))
def break_and_continue(n):
    out = []
    for i in range(6):
        if i % 2 == n % 2:
            if i > n:
                break
            log("even")
            continue
        elif i == 3:
            continue
        out.append(i)
        if i == 5:
            break
        log(i)
    else:
        out.append("else")
    return out, i


@program(*range(0, 6))
def while_true(n):
    while True:
        if n > 3:
            break
        n += 1
    return n


@program(*range(0, 6))
def while_true_do(n):
    while True:
        n += 1
        if n > 3:
            break
    return n


@program(*range(0, 6))
def while_true_not(n):
    while True:
        if not n < 3:
            break
        n += 1
        if n == 2:
            continue
        log(n)
    return n


@program(*[(a, b) for a in range(4) for b in range(4)])
def nested_breaks(a, b):
    found = None
    for i in range(3):
        for j in range(3):
            if i == a and j == b:
                found = i, j
                break
            if j > b:
                break
        else:
            log("row", i)
            continue
        if found:
            break
        log("broke", i)
    return found, i, j


@program(0, 1, 2)
def break_in_inner_else(n):
    for i in range(3):
        for j in range(2):
            if i == n:
                break
        else:
            break
        log(i)
    return i, j


@program(*range(4))
def iterator_is_not_read_ahead(n):
    it = iter(range(5))
    for x in it:
        if x == n:
            break
    return x, list(it)


@program(0, 2)
def iterates_over_changed_list(n):
    xs = [1, 2]
    for x in xs:
        if n > 0:
            n -= 1
            xs.append(x)
    return xs


@program([], [(1, 2), (3, 4)])
def tuple_target(pairs):
    total = 0
    for i, (a, b) in enumerate(pairs):
        total += i + a * b
    return total


@program([1, 2])
def attribute_and_item_targets(xs):
    d = {}
    class C: pass
    c = C()
    for d["k"] in xs:
        pass
    for c.v, *d["rest"] in [(1, 2, 3)]:
        pass
    return d, c.v


@program([[1, 2, 3], [4]])
def star_target(rows):
    out = []
    for head, *tail in rows:
        out.append((tail, head))
    return out


@program(3)
def two_state_swap(n):
    a, b = 0, 1
    while n:
        a, b = b, a + b
        n = n - 1
    return a


@program(0, 3)
def walrus_in_test(n):
    out = []
    while (m := log(n - 1)) >= 0:
        out.append(m)
        n = m
    return out, m


@program(0, 1, 3)
def walrus_in_test_with_exits(n):
    while (m := n - 1) >= 0 and (k := m):
        n = m
        if n == 1:
            continue
        if n == 5:
            break
        log(k)
    else:
        log("else", m)
    return n


@program(0, 3)
def test_calls(n):
    i = 0
    while log(i) < n:
        i += 1
    return i


@program(0, 3)
def temporaries(n):
    x = 0
    for i in range(n):
        t = i
        if t > 1:
            t = t * 2
            u = t
        else:
            u = 1
        x += u
    return x


@program(0, 3)
def read_before_bound_on_later_round(n):
    first = True
    for i in range(n):
        if not first:
            log(previous)
        previous = i
        first = False


@program(0, 1, 3)
def unbound_on_first_round(n):
    for i in range(n):
        log(i)
        if i == 1:
            log(x)
        if n == 3:
            x = i


@program(0, 1, 3)
def delete_in_loop(n):
    x = 0
    for i in range(n):
        if i == 0:
            del x
        else:
            x = 1
    return x


@program(0, 3)
def fixed_sequence(n):
    total = 0
    for k in ("a", "b"):
        if n:
            total += len(k)
    for k in [1, 2, 3]:
        if k == n:
            break
        total += k
    return total


@program(0, 1, 2)
def loop_over_dict(n):
    d = {"a": 1, "b": 2}
    for k, v in d.items():
        if v == n:
            d[k] = 10
            break
    return d


@program(0, 1, 4)
def generator_with_regions(n):
    for i in range(n):
        if i == 2:
            x = "two"
        else:
            x = i
        yield x
        if i > 2:
            break
    else:
        yield "else"
    if n:
        return
    yield "end"


@program(0, 1, 4)
def generator_with_inner_loop(n):
    total = 0
    for i in range(n):
        for j in range(5):
            if j > i:
                break
            total += j
        got = yield total
        while total > 3:
            total -= 1
    return total


@program(0, 3)
def exception_in_body(n):
    done = []
    try:
        for i in range(n):
            done.append(i)
            last = i
            if i == 1:
                raise ValueError("one")
    except ValueError:
        return done, last
    return done


@program(0, 1, 2, 3)
def try_finally_with_break(n):
    for i in range(3):
        try:
            if i == n:
                break
            log(i)
        finally:
            log("finally")
    else:
        return "else"
    return i


@program(0, 1, 2, 3)
def finally_that_leaves(n):
    for i in range(3):
        try:
            if i == n:
                raise ValueError
        finally:
            if i == n:
                break
        log(i)
    return i


@program(0, 3)
def comprehension_in_loop(n):
    out = []
    for i in range(n):
        out.append([j if j > i else -j for j in range(3) if j or i])
    return out


@program(0, 1, 3)
def loop_target_reassigned(n):
    for i in range(n):
        i = i * 2
        if i == 2:
            continue
        log(i)
    return n


@program(0, 1, 3)
def loop_else_uses_state(n):
    best = -1
    for i in range(n):
        if i > best:
            best = i
    else:
        best += 100
    return best


@program(3)
def zip_and_enumerate(n):
    s = 0
    for i, (x, y) in enumerate(zip(range(n), range(1, n + 1))):
        if x == 1:
            continue
        s += i * y
    return s


@program(0, 1)
def loop_in_both_branches(c):
    x = 0
    if c:
        for i in range(3):
            x += i
    else:
        while x < 10:
            x += 3
    return x
