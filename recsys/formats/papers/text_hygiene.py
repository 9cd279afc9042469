r"""Bring titles and abstracts of any source to plain text: no mark-up, no notices, no mojibake.

Each step is taken only where a cheap test finds what it is for. Letters of every script stay, and
so does what only looks like mark-up, such as "a<b" or "$5 and $10".
"""

import re
import unicodedata
from html import unescape
from html.entities import html5

from recsys.formats.latex.latex_text import from_latex, is_macro
from recsys.formats.papers.mark_up import without_tags
from recsys.formats.papers.publisher_tails import says_absent, without_notices
from recsys.formats.papers.title_case import sentence_case

_DEEPEST = 3
"""So often entities are written as entities, at most."""
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
# The first two bytes of a character of UTF-8, read as Windows-1252 or Latin-1.
_LATER = (
    "\x80-\xbf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122"
)
_MOJIBAKE = re.compile(f"[\xc2-\xf4][{_LATER}]")
_C1 = re.compile("[\x80-\x9f]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
    "|(?<=[\x00-\u024f])[\u200c\u200d]"
)
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_PROTECTED = re.compile(r"\{([A-Z][\w-]{0,60})\}")

_LONGEST_LATEX = 1_000
_DOLLARS = re.compile(
    rf"\$\$([^$]{{1,{_LONGEST_LATEX}}})\$\$|\$(?!\s)([^$]{{1,{_LONGEST_LATEX}}}?)(?<!\s)\$(?!\d)"
)
_TYPESET = re.compile(r"[\\^_{}=<>|]")
# One letter or number with what may stand beside it: no two words, as between two prices.
_SYMBOLS = re.compile(r"[\W\d]*(?:[^\W\d_]{1,3}[\W\d]*){0,6}")
_FORMULA = re.compile(rf"\\[(\[](.{{1,{_LONGEST_LATEX}}}?)\\[)\]]", re.DOTALL)
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
_ESCAPED = {"$": r"\$", "~": r"\~{}"}


def plain_text(text: str) -> str:
    r"""Return a title or an abstract on one line without mark-up; its words stay as they are.

    >>> plain_text(r"ON <i>HOMO</i> &amp; CO<sub>2</sub> in $\beta$-sheets, a < b")
    'ON HOMO & CO2 in β-sheets, a < b'
    """
    return _on_one_line(_plain(text))


def tidy_title(text: str) -> str:
    r"""Return a title as plain text on one line, in sentence case if it was in capitals.

    >>> tidy_title("THE <i>GENOME</i> OF {\\'E}TAPLES &amp;amp; DNA")
    'The genome of étaples & DNA'
    """
    plain = plain_text(text)
    if "{" in plain:
        plain = _PROTECTED.sub(r"\1", plain)
    return sentence_case(plain)


def tidy_abstract(text: str) -> str | None:
    """Return an abstract as plain text on one line, without notices; None if it says nothing.

    >>> tidy_abstract("<jats:p>CO<jats:sub>2</jats:sub> rises. (C) 2001 Elsevier Ltd.</jats:p>")
    'CO2 rises.'
    """
    plain = _on_one_line(without_notices(_plain(text).strip()))
    return None if says_absent(plain) else plain


def _on_one_line(text: str) -> str:
    plain = text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " "
    return text if plain else " ".join(text.split())


def _plain(text: str) -> str:
    if not text.isascii() and _MOJIBAKE.search(text):
        import ftfy

        text = ftfy.fix_encoding(text)
    for _ in range(_DEEPEST if "&" in text else 0):
        text = _ENTITY.sub(
            lambda match: (
                unescape(match[0]) if match[0][1] == "#" else html5.get(match[0][1:], match[0])
            ),
            text,
        )
    if "<" in text:
        text = without_tags(text)
    if "\\" in text or "$" in text:
        text = without_latex(text)
    if not text.isprintable():
        # A byte of Windows-1252 that was taken for Latin-1; five are no characters.
        text = _C1.sub(lambda match: match[0].encode("latin-1").decode("cp1252", "ignore"), text)
        text = _UNSEEN.sub("", text)
    if not text.isascii():
        text = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
        text = unicodedata.normalize("NFC", text)
    return text


def without_latex(text: str) -> str:
    r"""Write out the formulas and macros of LaTeX; an unknown macro leaves its name.

    >>> without_latex(r"G{\"o}del's \emph{proof} of $\pi_1$ by \ours for $5 and $10")
    "Gödel's proof of π1 by ours for $5 and $10"
    """
    text = _LINE_END.sub(" ", text)
    if "\\(" in text or "\\[" in text:
        text = _FORMULA.sub(lambda match: _formula(match[1]), text)

    def formula_or_prices(match: re.Match[str]) -> str:
        inner = match[1] or match[2]
        is_formula = match[1] or _TYPESET.search(inner) or _SYMBOLS.fullmatch(inner)
        return _formula(inner) if is_formula else match[0]

    if "$" in text:
        text = _DOLLARS.sub(formula_or_prices, text)
    if not _LATEX.search(text):
        return text
    text = _LITERAL.sub(lambda match: _ESCAPED[match[0]], _ENVIRONMENT.sub(" ", text))
    return from_latex(_COMMAND.sub(_macro, text))


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
