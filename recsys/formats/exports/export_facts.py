"""Facts as exports spell them: pages, phrases, the numbers that databases give to works."""

import re
from collections.abc import Iterable

from recsys.formats.papers.language import looks_english
from recsys.formats.references.bibliography import keywords_in, split_phrases, text_in

_PAGE = re.compile(
    r"(?!\d{1,5} ?(?:pp?|pages)\.?\Z)(?![ivxlc]+ ?\+)"
    r"(?:pp?\.? ?|(?i:art(?:icle)?\.?(?: no\.?)? ?))?"
    r"([ivxlcdm]{1,9}|[IVXLCDM]{1,9}|(?:[A-Za-z]{0,6}[ .-]?)?\d[\w.]{0,19})"
    r"(?= ?(?:[-\u2010-\u2015+,;]|to |\Z))"
)
_HEADED = re.compile(r"[A-Z][A-Z &/]{1,40}:")
_BEFORE_VOLUME = re.compile(r"(?i)(?:v(?:ol(?:ume)?)?\b\.?\s{0,3}){1,3}(?=\d)")
_ISSUE = re.compile(r"(?i)(?<=\d)(?:\s?\([^()]{1,20}\)|,? (?:issue|iss|no)\b.{0,40})\Z")
_NOTHING = frozenset({"", "na", "n/a", "nan", "null", "none"})
_ACCESSION = re.compile(r"(?:ISI|WOS|MEDLINE|PubMed|PMID) ?: ?(\S{1,60})|(PMC\d{1,10})", re.I)
_PUBMED = re.compile(
    r"https?://(?:www\.ncbi\.nlm\.nih\.gov/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)/(\d{1,9})\b"
)
_LENS = re.compile(r"https?://(?:www\.)?lens\.org/(?:lens/scholar/article/)?([\dX-]{15,25})\b")
_DIMENSIONS = re.compile(r"(\d{1,9}) ?\[PMID\]|(pub\.\d{6,12})\Z")
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


def abstract_in(texts: Iterable[str]) -> tuple[str | None, bool]:
    """Return the abstract of several, and whether another is left out: the first in English.

    Parts of one that have headings are put together.

    >>> abstract_in(["AIM: To see bark.", "RESULTS: We saw it."])
    ('AIM: To see bark. RESULTS: We saw it.', False)
    >>> abstract_in(["Wir sehen die Rinde und das Holz.", "We see the bark and the wood."])
    ('We see the bark and the wood.', True)
    """
    told = list(dict.fromkeys(filter(None, map(text_in, texts))))
    told = [one for one in told if not any(one in other for other in told if one != other)]
    if len(told) > 1 and all(map(_HEADED.match, told)):
        return " ".join(told), False
    return next(filter(looks_english, told), next(iter(told), None)), len(told) > 1


def volume_in(text: str | None) -> str | None:
    """Return a volume without its issue, and without the word.

    >>> volume_in("v. 40"), volume_in("50(2)"), volume_in("Vol. 7 issue 4"), volume_in("nan")
    ('40', '50', '7', None)
    """
    plain = text_in((text or "")[:100]) or ""
    volume = _ISSUE.sub("", _BEFORE_VOLUME.sub("", plain, count=1))
    return None if volume.lower() in _NOTHING else volume


def phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases in lists with semicolons, each once."""
    parts = (part for text in texts for part in keywords_in(split_phrases(text, ";")))
    return tuple(dict.fromkeys(part for part in parts if len(part) < _MORE_THAN_A_PHRASE))


def parted_phrases(
    found: tuple[str, ...], ids: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Part keywords of authors from Keywords Plus, which Clarivate makes from the titles cited.

    They would tell what a paper cites. Web of Science writes them behind the others, in capitals.

    Args:
        found: the phrases of a record, in its order.
        ids: of the record; without one of Web of Science, all phrases are the authors'.

    >>> parted_phrases(("GIS", "Lidar", "MAYA", "LAND-USE"), ["wos:000123"])
    (('GIS', 'Lidar'), ('maya', 'land-use'))
    """
    if not any(each.startswith("wos:") for each in ids):
        return found, ()
    begin = next((at for at in range(len(found), 0, -1) if not found[at - 1].isupper()), 0)
    return found[:begin], tuple(phrase.lower() for phrase in found[begin:])


def accession(text: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the PubMed id and the other ids that an accession number or an address tells.

    >>> accession("WOS:000123"), accession("MEDLINE:123"), accession("PMC77")
    ((None, ('wos:000123',)), ('123', ()), (None, ('pmc:PMC77',)))
    """
    plain = (text or "")[:2_000].strip()
    if match := _EID.search(plain):
        return None, (f"eid:{match[1]}",)
    if match := _PUBMED.match(plain):
        return match[1], ()
    if match := _LENS.match(plain):
        return None, (f"lens:{match[1].lower()}",)
    if match := _DIMENSIONS.match(plain):
        return match[1], (f"dimensions:{match[2]}",) if match[2] else ()
    match = _ACCESSION.match(plain)
    if match is None:
        return None, ()
    if match[2]:
        return None, (f"pmc:{match[2].upper()}",)
    if match[0][0] in "IWiw":
        return None, (f"wos:{match[1]}",)
    return (match[1], ()) if match[1].isdecimal() and match[1].isascii() else (None, ())
