"""Compare a reference with the record of a work, field by field.

A field agrees, differs, or cannot be compared: it is unknown on one side, or people print it in
ways that do not tell. What printing and typing do to a field is no difference.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recsys.checking.venues import is_preprint, same_venue
from recsys.query.matching import Title, numerals, title_of, unshared
from recsys.records import Reference
from recsys.store.names import agree, name_key
from recsys.store.words import folded_words

PREPRINT_DOIS = ("10.48550/", "10.1101/", "10.31234/", "10.26434/", "10.21203/", "10.2139/ssrn")
_ARTICLES = frozenset({"a", "an", "the"})
_LETTERS_PER_ERROR = 4
"""A typing error in so many letters of the words that differ; more make other words."""
_YEARS_APART = 1
"""A paper is online in one year and printed in the next."""
_VERSIONS_APART = 3
"""Years between a preprint and its publication."""
_LONG_SURNAME = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """One field as a reference gives it and as a record has it.

    agrees: None where that cannot be told. remark: what differs, in a few words.
    """

    field: str
    given: str
    found: str
    agrees: bool | None
    remark: str = ""


def compare(reference: Reference, record: Reference, *, this_year: int) -> tuple[Comparison, ...]:
    """Compare each field that the reference gives."""
    preprint = is_a_preprint(reference) is not is_a_preprint(record)
    fields = (
        _titles(reference, record),
        _people(reference, record),
        _years(reference, record, _VERSIONS_APART if preprint else _YEARS_APART, this_year),
        _venues(reference, record),
        _dois(reference, record, preprint),
    )
    return tuple(each for each in fields if each is not None)


def is_a_preprint(work: Reference) -> bool:
    """Tell whether a work is described as it stands on a server of preprints."""
    if work.venue:
        return is_preprint(work.venue)
    return bool(work.arxiv or (work.doi or "").startswith(PREPRINT_DOIS))


def same_title(given: Title, found: Title) -> bool:
    """Tell whether two titles are one, but for subtitles, articles, hyphens and typing errors.

    >>> whole = title_of("Nests of the swallow: a survey of 12 barns")
    >>> same_title(title_of("The nest of the swallow"), whole)
    True
    >>> same_title(title_of("Nests of the sparrow"), whole)
    False
    """
    forms = [(given.words, found.words)]
    forms += [(cut, found.words) for cut in given.cut] + [(given.words, cut) for cut in found.cut]
    return any(_same_words(one, other) for one, other in forms)


def _same_words(one: Sequence[str], other: Sequence[str]) -> bool:
    from rapidfuzz.distance import OSA

    left, right = (
        [word for word in rest if word not in _ARTICLES]
        for rest in (unshared(one, other), unshared(other, one))
    )
    joined = "".join(left), "".join(right)
    if joined[0] == joined[1]:
        return True
    if numerals(one) != numerals(other) or not (left and right):
        return False
    edits = OSA.distance(*joined)
    longest = max(map(len, joined))
    return edits <= max(len(left), len(right)) and edits * _LETTERS_PER_ERROR <= longest


def _titles(reference: Reference, record: Reference) -> Comparison | None:
    if not (reference.title and record.title):
        return None
    same = same_title(title_of(reference.title), title_of(record.title))
    return Comparison("title", reference.title, record.title, same)


def same_person(one: str, other: str) -> bool:
    """Tell whether two names may be one person's, in any order of their parts.

    >>> same_person("Wang Xiaoyang", "X. Wang"), same_person("Hao Wang", "Jiaqi Wang")
    (True, False)
    """
    from rapidfuzz.distance import OSA

    keys = name_key(one), name_key(other)
    if keys[0] is None or keys[1] is None:
        return one.casefold() == other.casefold()
    families = [key.split(" ")[0] for key in keys if key]
    if families[0] == families[1]:
        return agree(keys[0], keys[1]) is not False or _one_set(one, other)
    longest = max(map(len, families))
    if longest >= _LONG_SURNAME and OSA.distance(*families) <= 1 + (longest > 2 * _LONG_SURNAME):
        return True
    words = [
        frozenset(word for word in folded_words(name) if len(word) > 1) for name in (one, other)
    ]
    whole = ["".join(folded_words(name)) for name in (one, other)]
    if whole[0] == whole[1] or any(families[at] in words[1 - at] for at in (0, 1)):
        return True
    return any(
        len(f) >= _LONG_SURNAME and f in w for f, w in zip(families, reversed(whole), strict=True)
    )


def _one_set(one: str, other: str) -> bool:
    return sorted(folded_words(one)) == sorted(folded_words(other))


def _people(reference: Reference, record: Reference) -> Comparison | None:
    given, found = reference.authors, record.authors
    if not (given and found):
        return None
    free, pairs = list(range(len(found))), list[int | None]()
    for name in given:
        at = next((at for at in free if same_person(name, found[at])), None)
        pairs.append(at)
        if at is not None:
            free.remove(at)
    strangers = [name for name, at in zip(given, pairs, strict=True) if at is None]
    agrees: bool | None = True
    remark = ""
    if strangers and len(strangers) < len(given) and len(found) < len(given) and not free:
        agrees = None  # The record names the first few.
    elif strangers:
        agrees, remark = False, f"{_some(strangers)} not among its authors"
    elif free and not (reference.others or record.others):
        left = [found[at] for at in free]
        agrees, remark = False, f"{len(left)} of {len(found)} authors missing: {_some(left)}"
    elif pairs[0] != 0 and not reference.others:
        agrees, remark = False, f"the first author is {found[0]}"
    return Comparison("authors", "; ".join(given), "; ".join(found), agrees, remark)


def _some(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _years(
    reference: Reference, record: Reference, apart: int, this_year: int
) -> Comparison | None:
    given, found = reference.year, record.year
    if given is None:
        return None
    if given > this_year + 1:
        return Comparison("year", str(given), str(found or ""), False, "it lies in the future")
    if found is None:
        return None
    agrees = abs(given - found) <= apart
    return Comparison("year", str(given), str(found), agrees)


def _venues(reference: Reference, record: Reference) -> Comparison | None:
    given, found = reference.venue, record.venue
    if given and not is_preprint(given) and reference.doi and is_a_preprint(record):
        if reference.doi == record.doi and record.doi.startswith(PREPRINT_DOIS):
            remark = "its DOI is that of a preprint, of which no publication is known"
            return Comparison("venue", given, found or "", False, remark)
    if not (given and found):
        return None
    return Comparison("venue", given, found, same_venue(given, found))


def _dois(reference: Reference, record: Reference, preprint: bool) -> Comparison | None:
    given = reference.doi
    known = [doi for doi in (record.doi, *record.ids) if doi and doi.startswith("10.")]
    if not (given and known):
        return None
    if given in known:
        return Comparison("doi", given, given, True)
    versions = preprint or given.startswith(PREPRINT_DOIS) or known[0].startswith(PREPRINT_DOIS)
    return Comparison("doi", given, known[0], None if versions else False)


def shared_authors(reference: Reference, record: Reference) -> float | None:
    """Return the share of the reference's authors that a record names, None where unknown."""
    if not (reference.authors and record.authors):
        return None
    names = Counter(
        any(same_person(name, other) for other in record.authors) for name in reference.authors[:20]
    )
    return names[True] / names.total()
