"""The program of docs/passes.md."""


def first_large(x, limit):
    for row in x:
        if row.sum() > limit:
            return row
    return None
