"""The program of docs/how-it-works.md."""


def halve(x):
    steps = 0
    while x.abs().max() > 1:
        x = x / 2
        steps += 1
    return x, steps
