"""Blank what is code in a LaTeX source that R or Python weaves (.Rnw, .Snw, .Pnw)."""

import re

SUFFIXES = (".rnw", ".snw", ".pnw", ".rtex")

_CHUNK = re.compile(
    r"^[^\S\n]*<<[^\n]{0,1000}>>=[^\S\n]*\n.*?(?:^@(?:[^\S\n][^\n]*)?$|\Z)|"
    r"^[^\S\n]*%%[^\S\n]*begin\.rcode[^\n]*\n.*?(?:^[^\S\n]*%%[^\S\n]*end\.rcode[^\n]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_INLINE = re.compile(r"\\(?:Sexpr|rinline|inlinecode)\s*\{[^{}\n]{0,1000}\}")
_LETTER = re.compile(r"[^\n]")


def blanked(text: str) -> str:
    """Put spaces in the place of code, so that every line and character stays where it is.

    >>> blanked("a \\\\Sexpr{x} b")
    'a           b'
    """
    return _INLINE.sub(_blank, _CHUNK.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    return _LETTER.sub(" ", match[0])
