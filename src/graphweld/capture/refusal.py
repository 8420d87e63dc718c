"""Leaving a trace with a reason: the exception that carries a diagnostic out through Dynamo."""

from typing import NoReturn

from torch._dynamo.exc import Unsupported

from graphweld.capture.sites import span_here
from graphweld.capture.variables import Tx
from graphweld.diagnostics import Diagnostic, Rule, diagnose, rules


class Refusal(Unsupported):
    """A site or a read that cannot be kept exact; `diagnostic` says which and why."""

    def __init__(self, diagnostic: Diagnostic, final: bool = False) -> None:
        super().__init__(diagnostic.message, gb_type=f"graphweld {diagnostic.code}")
        self.diagnostic = diagnostic
        self.final = final


def refusal(tx: Tx, rule: Rule, site: int | None = None, notes: tuple[str, ...] = ()) -> Refusal:
    """The refusal `rule` at the user's line that is being traced, or at one of its sites."""
    span, line = span_here(tx, site)
    return Refusal(diagnose(rule, span, line, notes))


def refuse(tx: Tx, rule: Rule, site: int | None = None) -> NoReturn:
    """Raise `refusal`."""
    raise refusal(tx, rule, site)


def export_failed(step: str, error: BaseException) -> Diagnostic:
    """What to tell of an exception of torch's that is not about a place in the program."""
    first, _, rest = str(error).strip().partition("\n")
    rule = rules.ExportFailed(step, first.rstrip(".") or type(error).__name__)
    return diagnose(rule, None, notes=[line for line in rest.splitlines()[:8] if line.strip()])
