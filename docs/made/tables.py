"""Tables of words in Markdown."""

import re
from collections.abc import Sequence

_OPTION = re.compile(r"(?<![\w`-])--[a-z][a-z-]*")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table, all columns to the left; cells are Markdown."""
    lines = (header, ["---"] * len(header), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def words(text: str) -> str:
    """Make Markdown of a sentence for the terminal: options as code, nothing else marked up."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece.replace("|", r"\|") if piece.startswith("`") else _plain(piece) for piece in pieces
    )


def code(text: str) -> str:
    """Set a text as code within a table."""
    return "`" + text.replace("|", r"\|") + "`"


def _plain(text: str) -> str:
    escaped = re.sub(r"([*_<>|\[\]])", r"\\\1", text)
    return _OPTION.sub(lambda match: f"`{match[0]}`", escaped)
