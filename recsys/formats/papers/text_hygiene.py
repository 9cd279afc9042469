"""Bring titles and abstracts of any source to plain text: no mark-up, no notices, no mojibake.

Each step is taken only where a cheap test finds what it is for. Letters of every script stay.
"""

import re
import unicodedata
from functools import cache
from html import unescape
from html.entities import html5
from typing import TYPE_CHECKING

from recsys.formats.papers.mark_up import without_tags
from recsys.formats.papers.publisher_tails import says_absent, without_notices
from recsys.formats.papers.title_case import sentence_case
from recsys.formats.papers.typeset_text import without_latex

if TYPE_CHECKING:
    import ftfy

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
_LIGATURES = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
_LIGATURE = re.compile(f"[{_LIGATURES}]")
_PROTECTED = re.compile(r"\{([A-Z][\w-]{0,60})\}")


def tidy_title(text: str) -> str:
    r"""Return a title as plain text on one line, in sentence case if it was in capitals.

    >>> tidy_title("THE <i>GENOME</i> OF {\\'E}TAPLES &amp;amp; DNA")
    'The genome of étaples & DNA'
    """
    plain = _on_one_line(_plain(text))
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


def _plain(text: str) -> str:
    if not text.isascii() and _MOJIBAKE.search(text):
        text = _mended(text)
    if "&" in text:
        text = _without_entities(text)
    if "<" in text:
        text = without_tags(text)
    if "\\" in text or "$" in text:
        text = without_latex(text)
    if not (text.isascii() and text.isprintable()):
        text = _composed(text)
    return text


def _on_one_line(text: str) -> str:
    plain = text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " "
    return text if plain else " ".join(text.split())


def _without_entities(text: str) -> str:
    for _ in range(_DEEPEST):
        former, text = text, _ENTITY.sub(_character, text)
        if text == former:
            break
    return text


def _character(match: re.Match[str]) -> str:
    return unescape(match[0]) if match[0][1] == "#" else html5.get(match[0][1:], match[0])


def _composed(text: str) -> str:
    if not text.isprintable():
        text = _UNSEEN.sub("", _C1.sub(_windows, text))
    if any(each in text for each in _LIGATURES):
        text = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return unicodedata.normalize("NFC", text)


def _windows(match: re.Match[str]) -> str:
    """Read a byte of Windows-1252 that was taken for Latin-1; five are no characters."""
    return bytes([ord(match[0])]).decode("cp1252", "ignore")


def _mended(text: str) -> str:
    import ftfy

    return ftfy.fix_encoding(text, _mending())


@cache
def _mending() -> "ftfy.TextFixerConfig":
    """Mend what was decoded wrong, and nothing else."""
    import ftfy

    return ftfy.TextFixerConfig(
        unescape_html=False,
        remove_terminal_escapes=False,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        remove_control_chars=False,
        normalization=None,
        explain=False,
    )
