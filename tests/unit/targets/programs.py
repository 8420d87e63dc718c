"""Programs that more than one target is tried with."""


def nested(x, n):
    for i in range(int(n)):
        if x.sum() > i:
            while x.abs().max() > 2:
                x = x / 2 if x[0] > 0 else x / 3
        else:
            x = x + 1
    return x
