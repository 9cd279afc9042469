"""Compare a reference with the record of a work, field by field.

A field agrees, differs, or cannot be compared: it is unknown on one side, or people print it in
ways that do not tell. What printing and typing do to a field is no difference.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from recsys.checking.venues import is_preprint, same_venue
from recsys.query.matching import (
    LONGEST_TITLE,
    Title,
    numerals,
    title_of,
    unshared,
    without_mark_up,
)
from recsys.records import Reference
from recsys.store.names import agree, name_key
from recsys.store.words import fold, folded_words, word_list

PREPRINT_DOIS = ("10.48550/", "10.1101/", "10.31234/", "10.26434/", "10.21203/", "10.2139/ssrn")
_SMALL = frozenset({"a", "an", "and", "et", "the", "und"})
"""Words of titles that come and go: articles, and what "&" stands for."""
_WORDS = "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty"
_NUMBERS = dict(zip(_WORDS.split(), map(str, (*range(1, 13), 20, 30, 40, 50)), strict=True))
_NUMBER = re.compile(rf"(?i)\b(?:{'|'.join(_NUMBERS)})\b")
_GREEK = {
    code: unicodedata.name(chr(code)).split()[-1].lower()
    for code in (*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA))
}
_SHORT_RANGE = re.compile(r"\b(1[5-9]|20)(\d\d)\s?[-\u2013/]\s?(\d\d)\b")
_LANGUAGES = (
    "afrikaans arabic bulgarian chinese croatian czech danish dutch english estonian finnish french"
    " german greek hebrew hungarian italian japanese korean latvian lithuanian norwegian persian"
    " polish portuguese romanian russian serbian slovak slovenian spanish swedish turkish ukrainian"
).replace(" ", "|")
_NO_TITLE = re.compile(
    r"^\W*(?:retracted(?: article)?|withdrawn|reprint of|invited (?:paper|talk|review)"
    r"|(?:original|research|review) article)\s*(?:[\]:.\u2013\u2014]|-+ )"
    r"|[\[(]retracted\b[^()\[\]]*[\])]"
    rf"|[\[(](?:(?:article|paper|text|book)? ?in (?:{_LANGUAGES})\b[^()\[\]]{{0,40}}"
    r"|(?:with|and) (?:discussion|comments|commentary)"
    r"|(?:extended|full|short|long|invited|technical) (?:abstract|version|paper|report))[\])]"
    r"|[\s,.:(]*\b(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|revised)"
    r" ed(?:ition|n)?\b[.)]*\s*$",
    re.IGNORECASE,
)
"""What people and databases write beside a title: the language, the kind of paper, the edition."""
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SHORTEST_ASIDE = 3
"""Words of a title in another language that stands in brackets."""
_LETTERS = str.maketrans({
    "\u0142": "l", "\u0141": "L", "\u00f8": "o", "\u00d8": "O", "\u0111": "d", "\u0110": "D",
    "\u0131": "i", "\u00f0": "d", "\u00fe": "th", "\u00e6": "ae", "\u0153": "oe",
})  # fmt: skip
"""Letters that are no others with an accent, and how they are written without."""
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_NOT_LATIN = re.compile(r"[\u0370-\u1dff\u2e80-\U0010ffff]+")
_GIVEN_NAMES = word_list("given_names").splitlines()
"""The full form of a given name, and others of it."""
_FULL_NAMES = {each: names.split(" ")[0] for names in _GIVEN_NAMES for each in names.split(" ")[1:]}
_VERSION = re.compile(r"[./]?v\d+$")
_DOI_TAIL = re.compile(r"(?:[?#].*|\.\d{1,3}|/(?:abstract|e?pdf|full|html|meta)(?:/.*)?)$")
"""What follows the DOI of a work in that of a version or a part of it, or in an address."""
_KEPT = 1 << 15
_MOST_NAMESAKES = 30
"""Names with a word in common that are compared with one."""
_MOST_TRIED = 4000
"""Pairs of names without a common word that are compared, of two lists of authors."""
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
        [word for word in rest if word not in _SMALL]
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
    given, found = _title_forms(reference.title), _title_forms(record.title)
    pairs = [(form, found[0]) for form in given] + [(given[0], form) for form in found[1:]]
    same = any(same_title(*pair) for pair in pairs)
    return Comparison("title", reference.title, record.title, same)


def plain_title(title: str) -> Title:
    """Prepare a title without what is only written beside it, with numbers in digits.

    >>> plain_title("Ten old barns [Article in German]").words
    ('10', 'old', 'barns')
    """
    text = without_mark_up(title[:LONGEST_TITLE]).translate(_GREEK)
    text = _SHORT_RANGE.sub(r"\1\2 \1\3", _NO_TITLE.sub(" ", text))
    return title_of(_NUMBER.sub(lambda match: _NUMBERS[match[0].lower()], text))


def _title_forms(title: str) -> list[Title]:
    """Prepare a title: whole, without what stands in brackets, and what stands there alone."""
    asides = [each[1:-1] for each in _ASIDE.findall(title)]
    long = (each for each in asides if len(each.split()) >= _SHORTEST_ASIDE)
    texts = (title, *([_ASIDE.sub(" ", title), *long] if asides else ()))
    forms = [plain_title(text) for text in texts]
    return [form for form in forms if form.words] or forms[:1]


def same_person(one: str, other: str) -> bool:
    """Tell whether two names may be one person's, in any order of their parts.

    >>> same_person("Wang Xiaoyang", "X. Wang"), same_person("Hao Wang", "Jiaqi Wang")
    (True, False)
    """
    from rapidfuzz.distance import OSA

    if bool(_LATIN.search(one)) is not bool(_LATIN.search(other)):
        return True  # Two scripts do not contradict each other.
    one, other = _plain_name(one), _plain_name(other)
    keys = name_key(one), name_key(other)
    if keys[0] is None or keys[1] is None:
        return one.casefold() == other.casefold()
    if _is_short_for(one, other) or _is_short_for(other, one):
        return True
    families = [key.split(" ")[0] for key in keys if key]
    if families[0] == families[1]:
        forms = (keys[0], keys[1]), (_full_key(keys[0]), _full_key(keys[1]))
        initials = [set(key.split(" ")[1:]) for key in keys if key]
        slip = all(len(each) == 1 for given in initials for each in given)
        if slip and initials[0] & initials[1]:
            return True
        same_words = sorted(folded_words(one)) == sorted(folded_words(other))
        return same_words or any(agree(*form) is not False for form in forms)
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


@lru_cache(_KEPT)
def _plain_name(name: str) -> str:
    """Write a name in the letters of English, where it has any of them."""
    return _NOT_LATIN.sub(" ", name).translate(_LETTERS) if _LATIN.search(name) else name


def _full_key(key: str) -> str:
    """Put the full forms of given names into what `name_key` returns."""
    family, *given = key.split(" ")
    return " ".join((family, *(_FULL_NAMES.get(name, name) for name in given)))


def _is_short_for(short: str, full: str) -> bool:
    """Tell whether a name is the acronym of another, or its words are all among the other's."""
    words = [word for word in folded_words(full) if word not in {"of", "on", *_SMALL}]
    if short.isupper() and short.isalpha() and len(short) > 2:
        return fold(short) == "".join(word[0] for word in words)
    some = {word for word in folded_words(short) if word not in _SMALL}
    whole = {word for word in some if len(word) > 1}
    left = tuple({*words} - whole)
    begun = all(any(word.startswith(letter) for word in left) for letter in some - whole)
    return len(whole) > 1 and whole <= {*words} and begun


def _people(reference: Reference, record: Reference) -> Comparison | None:
    given, found = reference.authors, record.authors
    if not (given and found):
        return None
    pairs = _paired(given, found)
    free = sorted(set(range(len(found))).difference(pairs))
    strangers = [name for name, at in zip(given, pairs, strict=True) if at is None]
    agrees: bool | None = True
    remark = ""
    if strangers and len(found) < len(given) and 2 * len(free) < len(found):
        agrees = None  # The record names the first few.
    elif strangers:
        agrees, remark = False, f"{_some(strangers)} not among its authors"
    elif free and not (reference.others or record.others):
        left = [found[at] for at in free]
        agrees, remark = False, f"{len(left)} of {len(found)} authors missing: {_some(left)}"
    elif pairs[0] != 0 and not reference.others:
        agrees, remark = False, f"the first author is {found[0]}"
    return Comparison("authors", "; ".join(given), "; ".join(found), agrees, remark)


def _paired(given: Sequence[str], found: Sequence[str]) -> list[int | None]:
    """Return the place of each given name among those found, each of which is given once.

    The same place and common words are tried first, so that long lists take no longer.
    """
    free, by_word = dict.fromkeys(range(len(found))), defaultdict[str, list[int]](list)
    for spot, name in enumerate(found):
        for word in folded_words(_plain_name(name)):
            by_word[word].append(spot)
    pairs, tries = list[int | None](), _MOST_TRIED
    for place, name in enumerate(given):
        words = (word for word in folded_words(_plain_name(name)) if len(word) > 1)
        rarest = sorted((by_word.get(word, []) for word in words), key=len)
        near = (place, *(each for places in rarest for each in places[:_MOST_NAMESAKES]))
        fits = (each for each in near if each in free and same_person(name, found[each]))
        at: int | None = next(fits, None)
        if at is None:
            rest = list(islice(free, tries))
            tries -= len(rest)
            at = next((each for each in rest if same_person(name, found[each])), None)
        if at is not None:
            del free[at]
        pairs.append(at)
    return pairs


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
    return Comparison("year", str(given), str(found), abs(given - found) <= apart)


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
    bare, tailless = _VERSION.sub("", given), _DOI_TAIL.sub("", given)
    if any(doi in (given, tailless) or _VERSION.sub("", doi) == bare for doi in known):
        return Comparison("doi", given, given, True)
    versions = preprint or given.startswith(PREPRINT_DOIS) or known[0].startswith(PREPRINT_DOIS)
    return Comparison("doi", given, known[0], None if versions else False)


def shared_authors(reference: Reference, record: Reference) -> float | None:
    """Return the share of the reference's authors that a record names, None where unknown."""
    if not (reference.authors and record.authors):
        return None
    some = reference.authors[:20]
    return sum(any(same_person(name, each) for each in record.authors) for name in some) / len(some)
