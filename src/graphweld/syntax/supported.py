"""What is refused at once: code that sees its frame, which a region would change under it."""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.scopes import FunctionLike, body_of, walk_scope
from graphweld.syntax.errors import UnsupportedSyntax

# Looks at the names of the frame that calls it, when given no more arguments than this.
_FRAME_READERS = {"locals": 0, "vars": 0, "dir": 0, "eval": 1, "exec": 1}


def refuse_frame_access(function: FunctionLike) -> None:
    """Raise UnsupportedSyntax for `locals()` and the like."""
    for node in walk_scope(body_of(function)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name in _FRAME_READERS:
                if len(arguments) + len(keywords) <= _FRAME_READERS[name]:
                    reason = "it reads the names of the frame, and a converted branch or loop has a frame of its own"
                    raise UnsupportedSyntax(f"{name}()", node.lineno, node.col_offset, reason)
            case ast.Name(id="__class__", ctx=ast.Store()):
                raise UnsupportedSyntax("__class__", node.lineno, node.col_offset, "it is assigned to")


def reads_frame(function: FunctionLike) -> bool:
    try:
        refuse_frame_access(function)
    except UnsupportedSyntax:
        return True
    return False
