"""Keyphrases as a part of a text: those that its authors gave stand before its abstract.

Author keywords name what a paper is about in the words of its field, some of which its abstract
does without. Whatever reads an abstract reads them, then: encoder, BM25, features, reasons.
"""

import re
from collections.abc import Iterable, Mapping

OWN, LABELS = "keyphrases", "labels."
"""Where a paper has its keyphrases: in the field of that name, or in a label of its own."""
MADE_OF_CITED = "labels.keywords_plus"
"""Made from the titles that a paper cites: no draft has any, and they would give these away."""
MOST = 20
"""So many stand before an abstract; an encoder reads some 180 words in all."""
_HEADING = re.compile(
    r"(?i)\A\W*(?:(?:author )?key\s?-?\s?(?:words?|phrases?)|index terms?)"
    r"\s*(?:[:.\u2013\u2014]|\Z)"
)
_MARKS = " \t\r\n.,;:\u2013\u2014"


def cleaned(phrases: Iterable[str]) -> tuple[str, ...]:
    """Return each phrase once, without the heading or the marks that some files leave on it.

    >>> cleaned(["Index Terms\u2014", "Index Terms\u2014maps", "time series.", "Maps"])
    ('maps', 'time series')
    """
    found: dict[str, str] = {}
    for phrase in phrases:
        text = " ".join(_HEADING.sub("", phrase).strip(_MARKS).split())
        if text:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())[:MOST]


def with_keyphrases(abstract: str | None, phrases: Iterable[str]) -> str | None:
    """Put keyphrases before an abstract, unless it begins with them already.

    >>> with_keyphrases("We ring bells.", ["bells", "ropes"])
    'bells, ropes. We ring bells.'
    """
    lead = _lead(phrases)
    if not lead or (abstract or "").startswith(lead):
        return abstract
    return f"{lead} {abstract}" if abstract else lead


def without_keyphrases(text: str | None, phrases: Iterable[str]) -> str | None:
    """Undo `with_keyphrases`.

    >>> without_keyphrases("bells, ropes. We ring bells.", ["bells", "ropes"])
    'We ring bells.'
    """
    lead = _lead(phrases)
    if text is None or not lead or not text.startswith(lead):
        return text
    return text[len(lead) :].lstrip() or None


def keyphrases_in(
    source: str, phrases: Iterable[str] | None, labels: Mapping[str, object]
) -> tuple[str, ...]:
    """Return the keyphrases of a paper, cleaned.

    Args:
        source: OWN, or LABELS and the name of a label whose values are texts, or lists of them.
        phrases: of the paper's own field.
        labels: of the paper.
    """
    if source == OWN:
        return cleaned(phrases or ())
    value = labels.get(source.removeprefix(LABELS))
    values = value if isinstance(value, list) else [value]
    return cleaned(each for each in values if isinstance(each, str))


def _lead(phrases: Iterable[str]) -> str:
    found = cleaned(phrases)
    return f"{', '.join(found)}." if found else ""
