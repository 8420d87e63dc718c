"""The static check: where a graph would break, read off the source. Runs no user code and imports no torch."""

from graphweld.lint.checker import check, check_text
from graphweld.lint.settings import Settings

__all__ = ["Settings", "check", "check_text"]
