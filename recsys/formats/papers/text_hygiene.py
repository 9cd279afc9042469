r"""Bring titles and abstracts of any source to plain text: no mark-up, no notices, no mojibake.

Each step is taken only where a cheap test finds what it is for. Letters of every script stay, and
so does what only looks like mark-up, such as "a<b" or "$5 and $10". A notice of copyright begins
with its mark or with a set phrase, and every word of it that is not capitalised is one that such
notices use: a sentence about copyright has others, and stays.
"""

import re
import unicodedata
from html import unescape
from html.entities import html5

from recsys.formats.latex.latex_text import from_latex, is_macro
from recsys.formats.papers.mark_up import without_tags
from recsys.formats.papers.title_case import sentence_case

_TAIL = 700
"""Characters of the end that are searched."""
_HEAD = 300
_HINTS = ("\u00a9", "(c)", "copyright", "published by", "rights reserved", "licen")
_NAMES = (
    r"Elsevier|Wiley|Springer|Blackwell|Academic Press|Oxford|Cambridge|Taylor|Sage|SAGE|Karger|"
    r"Informa|Kluwer|Nature|Macmillan|BioMed|Thieme|Lippincott|Emerald|World Scientific|IOP|IEEE|"
    r"ACM|AAAS|MDPI|Frontiers|NRC|Hindawi|"
    r"[A-Z][\w&' -]{0,60}(?:Ltd|Inc|B\.V|GmbH|Press|Society|LLC)"
)
_MARK = r"(?:\u00a9|\([cC]\)|&copy;)"
_YEAR = r"(?:1[89]|20)\d\d"
_BEFORE = r"(?:\A|(?<=[.!?;:)\]\"'\u201d\u2019>])\s*|\n\s*)"
_START = re.compile(
    rf"\(?(?:Crown )?(?:Copyright|COPYRIGHT)?\s*{_MARK}\s*(?={_YEAR}|\s*[A-Z])|"
    rf"{_BEFORE}(?:\(?(?:Crown )?(?:Copyright|COPYRIGHT)\s*(?:{_YEAR}|[A-Z])|"
    rf"(?:Published|PUBLISHED) by (?:the )?(?:{_NAMES})|(?i:all rights reserved)\b|"
    r"This article is protected by copyright|"
    r"(?:This is an )?[Oo]pen[- ][Aa]ccess (?:article )?(?:under|distributed|published)|"
    r"\(?(?:PsycINFO|APA PsycInfo) Database Record)"
)
_PROPERTY = re.compile(
    r"\s*Copyright of .{3,200} is the property of .{3,200} and its content may not be copied.*",
    re.DOTALL,
)
_SMALL = frozenset(
    """all rights reserved by the of and for on behalf in is an a under this article open access
    licence license licensed licensee licenses published publishing protected copyright terms
    distributed creative commons attribution non commercial noncommercial derivs derivatives
    unported hosting production et und de van y e der la le du des di del en association with
    international inc ltd co publishers publisher society author authors as where otherwise noted
    except http https www org com by nc nd sa part to it which permits any exclusive database record
    c cc press kgaa gmbh corporation company from c pte llc plc sons s
    creativecommons doi reproduced permission from""".split()
)
_WORD = re.compile(r"[^\W\d_]+")
# What follows a notice, or is the rest of a name that was cut at its full stop.
_MORE = re.compile(
    r"\s*(?:(?i:all rights reserved)|Published by[^.]{0,100}|Production and hosting[^.]{0,60}|"
    r"(?:This article is published )?[Uu]nder (?:an? )?exclusive licen[cs]e[^.]{0,80}|"
    r"This (?:is an open[- ]access article|article is (?:protected|published))[^.]{0,160}|"
    r"Open [Aa]ccess[^.]{0,100}|Licensee [^.]{0,60}|on behalf of[^.]{0,120}|"
    r"[A-Z]\.|V\.|B\.\s?V\.?|Inc|Ltd|LLC|Co\.|& Co[^.]{0,40}|KGaA[^.]{0,40}|Weinheim)\s*[.,;)]*"
)
_SENTENCE_END = re.compile(r"[.;]\s+(?=\S)|\n\s*")
_STARTERS = (
    "We|The|This|These|In|A|An|It|Our|There|To|For|Here|Although|While|With|On|Many|Most|As|At|By|"
    "Recent|Recently|Background|Objectives?|Purpose|Aims?|Introduction|Context|Motivation|Methods?|"
    "Despite|Since|When|One|Both|From|Over|Given|Is|How|What|Using|Based|If|Some|Several|Two|Three"
)
_LABEL = re.compile(
    r"\s*(?:(?i:abstract|summary|abstracts?\s*/\s*\w+|zusammenfassung|r\u00e9sum\u00e9|resumen|"
    r"resumo|riassunto|\u6458\s*\u8981|\u8981\u65e8|"
    r"\u0430\u043d\u043d\u043e\u0442\u0430\u0446\u0438\u044f)"
    r"(?:\s*[:.\u2014\u2013]\s*|\s+[-\u2014\u2013]\s*|\s*\n\s*)|"
    rf"(?:Abstract|Summary)\s*(?=(?:{_STARTERS})\b)|(?:ABSTRACT|SUMMARY)\s+(?=\S*[a-z]|A\s)|"
    # What a web page had in a heading sticks to the first word.
    r"(?:Abstract|Summary)(?=[A-Z])|(?:ABSTRACT|SUMMARY)(?=[A-Z][a-z]|A\s))"
)
_ABSENT = frozenset(
    """abstract, abstract available from the publisher, abstract is missing, abstract missing
    abstract not available, abstract not provided, abstract unavailable
    an abstract is not available
    an abstract is not available for this content, click to view, first page of article
    first page preview, kein abstract, missing, n a, na, nan, no abstract, no abstract available
    no abstract available for this article, no abstract is available, no abstract provided
    no abstract is available for this article, no abstract was provided, no abstracts, no data
    no summary available, none, not applicable, not available, not provided, null, object object
    summary, tbd, there is no abstract, this article has no abstract, unavailable, undefined
    unknown, without abstract""".replace("\n    ", ", ").split(", ")
)
"""In lower case, words alone."""
_LONGEST_ABSENT = 60


def says_absent(text: str) -> bool:
    """Tell whether a text only says that there is none, or says nothing.

    >>> says_absent("[No abstract available]"), says_absent("N/A"), says_absent("None of us knows")
    (True, True, False)
    """
    if len(text) > _LONGEST_ABSENT:
        return False
    words = " ".join(_WORD.findall(text.casefold()))
    return not words or words in _ABSENT


def without_notices(text: str) -> str:
    """Cut the notices of a publisher, and the label, from the ends of an abstract.

    >>> without_notices("Abstract: Ice melts. (C) 2015 Elsevier B.V. All rights reserved.")
    'Ice melts.'
    >>> without_notices("\u00a9 2020 IEEE. We ask who owns a copyright.")
    'We ask who owns a copyright.'
    """
    lower = text[-_TAIL:].lower()
    if any(hint in lower for hint in _HINTS):
        if match := _PROPERTY.search(text, max(0, len(text) - 3 * _TAIL)):
            text = text[: match.start()].rstrip()
        else:
            starts = _START.finditer(text, max(0, len(text) - _TAIL))
            if match := next((m for m in starts if _is_notice(text[m.start() :])), None):
                text = text[: match.start()].rstrip(" \n\t-\u2013\u2014([|/*")
    if text[:20].lstrip("( ").startswith(("\u00a9", "C)", "c)", "Copyright", "COPYRIGHT", "Crown")):
        # Up to the end of the first sentence, and what goes on with the notice after that.
        end = _SENTENCE_END.search(text, 0, _HEAD) if _START.match(text) else None
        if end and _is_notice(text[: end.start()]):
            at = end.end()
            while (more := _MORE.match(text, at)) and more.end() > at:
                at = more.end()
            left = text[at:].lstrip()
            if left[:1].isalnum() or left[:1] in "\"'([\u201c\u2018":
                text = left
    return _LABEL.sub("", text, count=1) if _LABEL.match(text) else text


def _is_notice(text: str) -> bool:
    return all(word[0].isupper() or word in _SMALL for word in _WORD.findall(text))


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
