r"""Write text as LaTeX, and read LaTeX as text: accents, symbols, braces, mathematics.

Reading takes one pass without recursion: a field of a million braces costs as much as one of a
million letters. pylatexenc, which knows what `\aleph` or `\textmu` stand for, serves as dictionary.
"""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {character: "\\" + character for character in "&%$#_"}
_ESCAPED = re.compile(r"[\\{}~^&%$#_]")
# Two of these in a row would be set as one character, such as a dash or a quotation mark.
_LIGATURE = re.compile(
    r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[?!])(?=`)|(?<=,)(?=,)|(?<=<)(?=<)|(?<=>)(?=>)"
)

_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
_SIGNS = {character: character for character in "&%$#_{}"} | dict.fromkeys(" ,;:\\\n\t", " ")
_LIGATURES = {"---": "\u2014", "--": "\u2013", "``": "\u201c", "''": "\u201d"}
_NAMED = {
    "i": "i",
    "j": "j",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textbackslash": "\\",
    "textbraceleft": "{",
    "textbraceright": "}",
    "quad": " ",
    "newline": " ",
    "par": " ",
} | {name: name for name in ("TeX", "LaTeX", "BibTeX", "LaTeXe", "XeTeX", "LuaTeX", "TikZ")}
_DROPPED = frozenset(
    "href label hspace vspace textcolor color input include cite citep citet ref eqref".split()
)
"""Macros whose first argument is no text."""
_ACTIVE = re.compile(r"[\\{}$~]|--|``|''")
_TOKEN = re.compile(
    r"\\(?P<name>[A-Za-z]+)[ \t\n]*|\\(?P<sign>.)|(?P<mark>[{}$~\\])|(?P<ligature>---?|``|'')|"
    r"(?P<text>[^\\{}$~\-`']+|[-`'])",
    re.DOTALL,
)


def to_latex(text: str) -> str:
    """Escape text on one line so that LaTeX sets it as it is."""
    parts = _LIGATURE.split(text)
    return "{}".join(_ESCAPED.sub(lambda match: _SPECIAL[match[0]], part) for part in parts)


def is_macro(name: str) -> bool:
    """Tell whether a macro is one of LaTeX's or of its usual packages', not an author's own."""
    return name in _ACCENTS or name in _NAMED or name in _DROPPED or name in _macro_names()


def from_latex(source: str) -> str:
    r"""Return the text that LaTeX would set: no braces, no macros, accents on their letters.

    >>> from_latex(r"G\"{o}del, {\L}ukasz \& Mar{\'\i}a: {BERT} in $O(n^2)$")
    'Gödel, Łukasz & María: BERT in O(n2)'
    """
    if not _ACTIVE.search(source):
        return source
    scanner = _Scanner()
    for match in _TOKEN.finditer(source):
        scanner.take(match)
    return scanner.text()


class _Scanner:
    """The text so far, and what the macro just read still waits for."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.depth = 0
        self.dropping: int | None = None  # Depth outside the argument that is being dropped.
        self.waits_to_drop = False
        self.accent = ""
        self.opened = False  # Whether the accent's argument has its brace.
        self.in_formula = False

    def take(self, match: re.Match[str]) -> None:
        """Read one token."""
        kind, token = str(match.lastgroup), match[str(match.lastgroup)]
        if kind == "mark":
            self._mark(token)
        elif self.dropping is None:
            self.waits_to_drop = False
            getattr(self, f"_{kind}")(token)

    def text(self) -> str:
        """Return what was read."""
        self._close_accent()
        return "".join(self.out)

    def _mark(self, mark: str) -> None:
        if mark == "{":
            self.depth += 1
            if self.waits_to_drop:
                self.waits_to_drop, self.dropping = False, self.depth - 1
            self.opened = bool(self.accent)
        elif mark == "}":
            self._close_accent()
            self.depth = max(self.depth - 1, 0)
            if self.dropping is not None and self.depth <= self.dropping:
                self.dropping = None
        elif self.dropping is None:
            self._close_accent()
            self.in_formula ^= mark == "$"
            self.out.append(" " if mark == "~" else "")

    def _name(self, name: str) -> None:
        if name in _ACCENTS:
            self._begin_accent(name)
        elif name in _DROPPED:
            self.waits_to_drop = True
        else:
            self._text(_symbol(name))

    def _sign(self, sign: str) -> None:
        if sign in _ACCENTS:
            self._begin_accent(sign)
        else:
            self._text(_SIGNS.get(sign, ""))

    def _ligature(self, ligature: str) -> None:
        self._text(_LIGATURES[ligature])

    def _text(self, text: str) -> None:
        if self.in_formula:
            text = re.sub(r"[\^_]", "", text)
        if self.accent and text:
            base = text if self.opened else text.lstrip()
            accent, self.accent = self.accent, ""
            text = unicodedata.normalize("NFC", base[:1] + _ACCENTS[accent]) + base[1:]
        self.out.append(text)

    def _begin_accent(self, accent: str) -> None:
        self._close_accent()
        self.accent, self.opened = accent, False

    def _close_accent(self) -> None:
        if self.accent:  # `\~{}` is the character itself.
            self.out.append(self.accent if self.accent in "^~`'\"" else "")
            self.accent = ""


def _symbol(name: str) -> str:
    if name in _NAMED:
        return _NAMED[name]
    return _dictionary().get(name, "")


@cache
def _dictionary() -> dict[str, str]:
    """Return what the macros that stand for a character stand for."""
    return {name: text for name, text in _macros() if isinstance(text, str) and "%" not in text}


@cache
def _macro_names() -> frozenset[str]:
    return frozenset(name for name, _ in _macros())


def _macros() -> "Iterator[tuple[str, Any]]":
    from pylatexenc.latex2text import get_default_latex_context_db

    for spec in get_default_latex_context_db().iter_macro_specs():
        yield spec.macroname, spec.simplify_repl
