r"""Read the LaTeX within a text of any origin: what is no LaTeX, such as "$5 and $10", stays."""

import re

from recsys.formats.latex.latex_text import from_latex, is_macro

_LONGEST = 1_000
_DOLLARS = re.compile(
    rf"\$\$([^$]{{1,{_LONGEST}}})\$\$|\$(?!\s)([^$]{{1,{_LONGEST}}}?)(?<!\s)\$(?!\d)"
)
_TYPESET = re.compile(r"[\\^_{}=<>|]")
# One letter or number with what may stand beside it: no two words, as between two prices.
_SYMBOLS = re.compile(r"[\W\d]*(?:[^\W\d_]{1,3}[\W\d]*){0,6}")
_FORMULA = re.compile(rf"\\[(\[](.{{1,{_LONGEST}}}?)\\[)\]]", re.DOTALL)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_LATEX = re.compile(
    r"\\[A-Za-z]{2,}|\\[A-Za-z]\s*\{|\\[\"'`^~=.]\s*\{?\\?[A-Za-z]|\\[&%$#_{}]|\\[a-zA-Z](?![A-Za-z])"
)
_LINE_END = re.compile(r"\\[nrt](?![A-Za-z])|\\n(?=[A-Z])")
_SWITCHES = frozenset(
    """cal rm it bf em tt sc sf sl displaystyle textstyle scriptstyle scriptscriptstyle left right
    big Big bigg Bigg bigl bigr Bigl Bigr middle over atop limits nolimits boldmath unboldmath mbox
    hbox mathop mathrel mathbin operatorname ensuremath text textnormal mathstrut boldsymbol bm
    mathbb mathcal mathfrak mathscr mathrm mathit mathbf mathsf mathtt rmfamily bfseries
    itshape normalfont centering noindent small large Large footnotesize textup uppercase
    lowercase""".split()
)
"""Macros that say how something is set, whether or not the codec knows them."""
_OPERATORS = frozenset(
    "log ln exp sin cos tan min max lim sup inf det dim ker arg deg gcd Pr sinh cosh tanh".split()
)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^{}]{1,40}\}")
# What LaTeX reads as something else, and a text hardly means so.
_LITERAL = re.compile(r"(?<!\\)\$|(?<!\S)~")
_KEPT = {"$": r"\$", "~": r"\~{}"}


def without_latex(text: str) -> str:
    r"""Return the text with formulas and macros written out; an unknown macro leaves its name.

    >>> without_latex(r"G{\"o}del's \emph{proof} of $\pi_1$ by \ours for $5 and $10")
    "Gödel's proof of π1 by ours for $5 and $10"
    """
    text = _LINE_END.sub(" ", text)
    if "\\(" in text or "\\[" in text:
        text = _FORMULA.sub(lambda match: _formula(match[1]), text)
    if "$" in text:
        text = _DOLLARS.sub(_dollars, text)
    if not _LATEX.search(text):
        return text
    text = _LITERAL.sub(lambda match: _KEPT[match[0]], _ENVIRONMENT.sub(" ", text))
    return from_latex(_COMMAND.sub(_macro, text))


def _dollars(match: re.Match[str]) -> str:
    inner = match[1] or match[2]
    is_formula = match[1] or _TYPESET.search(inner) or _SYMBOLS.fullmatch(inner)
    return _formula(inner) if is_formula else match[0]


def _formula(source: str) -> str:
    return from_latex(f"${_COMMAND.sub(_macro, _ENVIRONMENT.sub(' ', source))}$")


def _macro(match: re.Match[str]) -> str:
    if match[1] in _OPERATORS:
        return match[1]
    if match[1] in _SWITCHES or is_macro(match[1]):
        return match[0]
    before = match.string[max(match.start() - 1, 0) : match.start()].isalnum()
    after = match.string[match.end() : match.end() + 1] == "{"
    return f"{' ' if before else ''}{match[1]}{' ' if after else ''}"
