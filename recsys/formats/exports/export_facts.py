"""Facts as exports spell them: pages, phrases, the numbers that databases give to works."""

import re
from collections.abc import Iterable

from recsys.formats.references.bibliography import text_in

_PAGE = re.compile(
    r"(?:pp?\.? ?)?([ivxlcdm]{1,9}|[IVXLCDM]{1,9}|(?:[A-Za-z]{0,6}[ .]?)?\d[\w.]{0,19})"
    r"(?= ?(?:[-\u2010-\u2015+,;]|to |\Z))"
)
_ACCESSION = re.compile(r"(?:ISI|WOS|MEDLINE|PubMed|PMID) ?: ?(\S{1,60})|(PMC\d{1,10})", re.I)
_EID = re.compile(r"(?:\A|eid=)(2-s2\.0-\d{5,15})(?!\d)")
_MORE_THAN_A_PHRASE = 200
"""Characters; what is longer is a sentence that strayed among the keywords."""


def first_page(text: str | None) -> str | None:
    """Return the first page of a range, or the number of an article.

    >>> first_page("6913-7"), first_page("pp. e12\u2013e19"), first_page("173 s.")
    ('6913', 'e12', None)
    """
    match = _PAGE.match((text or "")[:100].strip())
    return match[1] if match else None


def phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases in lists with semicolons, each once."""
    parts = (text_in(part) for text in texts for part in text.split(";"))
    return tuple(dict.fromkeys(part for part in parts if part and len(part) < _MORE_THAN_A_PHRASE))


def accession(text: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the PubMed id and the other ids that an accession number or an address tells.

    >>> accession("WOS:000123"), accession("MEDLINE:123"), accession("PMC77")
    ((None, ('wos:000123',)), ('123', ()), (None, ('pmc:PMC77',)))
    """
    plain = (text or "")[:2_000].strip()
    if match := _EID.search(plain):
        return None, (f"eid:{match[1]}",)
    match = _ACCESSION.match(plain)
    if match is None:
        return None, ()
    if match[2]:
        return None, (f"pmc:{match[2].upper()}",)
    if match[0][0] in "IWiw":
        return None, (f"wos:{match[1]}",)
    return (match[1], ()) if match[1].isdecimal() and match[1].isascii() else (None, ())
