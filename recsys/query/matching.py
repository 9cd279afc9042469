"""Find the papers of a corpus that somebody's references mean.

An identifier counts first: the corpus's own id, then DOI, arXiv id, ACL id, and those within the
address. Where it points to a paper whose title flatly differs from the reference's (a wrong DOI is
a common slip), the title decides: a paper found by title wins; otherwise the identifier counts only
if first author and year agree with it. Without a usable identifier the title is searched, and the
best candidate counts if `match_confidence` scores it at or above its threshold; ties go to the
lower id. What prose names by surnames and year alone is the one paper that fits, or none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from typing import TypeAlias

import numpy as np

from recsys.formats import identifiers
from recsys.formats.drafts.wording import OTHERS
from recsys.records import Paper, Reference
from recsys.store.arrays import Mask, distinct
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.names import contradict, name_keys, surname
from recsys.store.words import STOP_WORDS, fold

# How sure it is that a reference means a paper: by title, year and first author.
#
# A score is in [0, 1]: the likeness of the titles, less what speaks against it. Missing values
# cost little, contradictions much, and either costs more where the title tells little.

THRESHOLD = 0.85
"""A score from here on is a match.

Titles that are equal but for typing errors have a likeness above 0.9. What remains of 1 is used up
by evidence against: another first author alone, unless the title has six telling words; two years
or more apart, unless it has four; nothing known but a title of one word.
"""
LONGEST_TITLE = 600
"""Characters of a title that are compared."""

_MARKED = re.compile(r"[<&\\$]")
_WORD = re.compile(r"[^\W_]+")
_SUBTITLE = re.compile(r"\s*[:?!\u2014]\s*|\.\s+|\s+[-\u2013]+\s+")
_DIGITS = re.compile(r"[0-9]+")
_COUNTED = frozenset({"part", "pt", "volume", "vol", "chapter", "section", "number", "no", "phase"})
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
_SPELT = "one two three four five six seven eight nine ten eleven twelve".split()

_MAIN_TITLE_ONLY = (0.9, 0.94)
"""Likeness of two titles of which one lacks the subtitle: main title of few words, of four."""
_LETTERS_PER_ERROR = 6
"""Typing errors are one a word, or one in so many letters; more of them make another word."""
_CHANGED_WORD = 2
"""Another word costs so many times its letters, a word too many only these."""

_YEARS_APART = (0.0, 0.01, 0.08, 0.1, 0.1, 0.1, 0.13)
_YEAR_UNKNOWN = 0.02
_AUTHOR_UNKNOWN, _AUTHOR_DIFFERS = 0.03, 0.2
_WEIGHTS = (4.0, 4.0, 2.0, 2.0, 1.0, 1.0, 0.6)
"""What evidence against weighs, by telling words of the title."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title ready to be compared: folded words, and those before each subtitle that it has."""

    words: tuple[str, ...]
    cut: tuple[tuple[str, ...], ...]

    @property
    def telling(self) -> frozenset[str]:
        """The words that are no stop words."""
        return frozenset(self.words) - STOP_WORDS


def without_mark_up(text: str) -> str:
    """Return a text without mark-up, as those of a corpus are."""
    if not _MARKED.search(text):
        return text
    from recsys.formats.papers.text_hygiene import plain_text  # Seldom needed, and much to import.

    return plain_text(text)


def title_of(text: str) -> Title:
    """Prepare a title: mark-up, accents, case and punctuation do not count."""
    parts = [_words(part) for part in _SUBTITLE.split(without_mark_up(text[:LONGEST_TITLE]))]
    ends = list(accumulate(len(part) for part in parts if part))
    # Roman numerals from II on become digits, and after "Part" any spelling of a number.
    words = [word for part in parts for word in part]
    for at, (before, word) in enumerate(pairwise(("", *words))):
        counted = before in _COUNTED
        if word in _ROMAN and (len(word) > 1 or counted):
            words[at] = str(_ROMAN.index(word) + 1)
        elif word in _SPELT and counted:
            words[at] = str(_SPELT.index(word) + 1)
    return Title(tuple(words), tuple(tuple(words[:end]) for end in ends[:-1]))


def score(reference: Reference, wanted: Title, paper: Paper, offered: Title) -> float:
    """Score a paper for a reference, given both titles: 1 when everything is known and equal.

    Below the threshold a score says no more than that it is below.
    """
    likeness = title_likeness(wanted, offered)
    if likeness < THRESHOLD:  # Nothing adds to it: the rest need not be looked at.
        return likeness
    weight = _WEIGHTS[min(len(wanted.telling), len(_WEIGHTS) - 1)]
    against = _YEAR_UNKNOWN
    if reference.year is not None and paper.year is not None:
        against = _YEARS_APART[min(abs(reference.year - paper.year), len(_YEARS_APART) - 1)]
    return max(likeness - weight * (against + _author_differs(reference, paper)), 0.0)


def title_likeness(one: Title, other: Title) -> float:
    """Compare two titles: 1 for the same letters and digits, 0 for nothing in common.

    Hyphens and spaces do not count, nor does the order of words; a typing error costs its share of
    the letters, another word all of its own. Titles with other numerals (Part I, Part II) are
    never alike. Less than one half counts as nothing.
    """
    likeness = _likeness(one.words, other.words)
    if len(one.cut) != len(other.cut):  # One of them may have lost its subtitle.
        short, full = (one, other) if len(one.cut) < len(other.cut) else (other, one)
        factor = _MAIN_TITLE_ONLY[len(short.telling) > 3]
        likeness = max(likeness, *(factor * _likeness(short.words, cut) for cut in full.cut))
    return likeness


def contradicts(one: Title, other: Title) -> bool:
    """Tell whether two titles are flatly different: less than half of the shorter is in the other.

    Titles in which nothing tells do not contradict each other.
    """
    fewer = min(len(one.telling), len(other.telling))
    shared = len(one.telling & other.telling)
    return 2 * shared < fewer and not title_likeness(one, other)


def same_origin(reference: Reference, paper: Paper) -> bool:
    """Tell whether first author and year agree (two years apart at most), both being known."""
    if not (reference.authors and paper.authors and reference.year and paper.year):
        return False
    return abs(reference.year - paper.year) <= 2 and not _author_differs(reference, paper)


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    from rapidfuzz.distance import OSA

    if not one or not other:
        return 0.0
    left, right = unshared(one, other), unshared(other, one)
    edits = OSA.distance("".join(left), "".join(right))
    left, right = ([word for word in rest if word not in STOP_WORDS] for rest in (left, right))
    changed = max(sum(map(len, left)), sum(map(len, right)))
    edits = min(edits, 1 + OSA.distance("".join(left), "".join(right)))  # An article is one error.
    if edits > max(len(left), len(right), changed // _LETTERS_PER_ERROR):
        edits = max(edits, changed * (_CHANGED_WORD if left and right else 1))
    likeness = 1 - edits / max(sum(map(len, one)), sum(map(len, other)))
    return likeness if likeness > 0.5 and numerals(one) == numerals(other) else 0.0


def unshared(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """List the words that the others lack, in order; joined, they hide spaces and hyphens."""
    spare, found = Counter(others), []
    for word in words:
        if spare[word]:
            spare[word] -= 1
        else:
            found.append(word)
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


def numerals(words: Sequence[str]) -> list[str]:
    """List the numbers in the words of a title, ascending as texts."""
    return sorted(number for word in words for number in _DIGITS.findall(word))


def _author_differs(reference: Reference, paper: Paper) -> float:
    same = named_among(reference.authors, paper.authors)
    return _AUTHOR_UNKNOWN if same is None else 0.0 if same else _AUTHOR_DIFFERS


def named_among(authors: Sequence[str], others: Sequence[str]) -> bool | None:
    """Look for the first author among others, by surname, in any order of names; None: unknown.

    One whose given names contradict those of all who have the surname is not there.
    """
    from rapidfuzz.distance import OSA

    wanted = surname(authors[0]) if authors else ""
    names = [_words(name) for name in others]
    words = {word for name in names for word in name if len(word) > 1}
    if not wanted or not words:
        return None
    if wanted in words:
        return authors[0] in others or not contradict(name_keys(authors), name_keys(others))
    if len(wanted) <= 3:
        return False
    return any(wanted in "".join(name) for name in names) or any(
        OSA.distance(wanted, word, score_cutoff=1) <= 1 for word in words
    )


CANDIDATES = 20
"""Papers that the words of a title propose, and at most as many by the same first author."""
_FEW = 2
"""So many authors at least are called "Ash et al."."""
AMBIGUOUS = 0.5
"""Score of a work that several papers fit."""
_AT_ONCE = 200
"""References whose candidates are held in memory together."""

# How a corpus may spell an identifier in its ids and DOIs, and in its addresses; in lower case.
_SPELLINGS = "{} arxiv:{} 10.48550/arxiv.{} acl:{} 10.18653/v1/{} 10.3115/v1/{} doi:{}".split()
_HOSTS = (
    "arxiv.org/abs/ arxiv.org/pdf/ doi.org/ dx.doi.org/ aclanthology.org/ www.aclweb.org/anthology/"
).split()
_ENDS = ("", "/", ".pdf", *(f"v{version}" for version in range(1, 10)))
_ADDRESSES = [
    f"{scheme}://{host}{{}}{end}" for scheme, host, end in product(("https", "http"), _HOSTS, _ENDS)
]

_Known: TypeAlias = Mapping[int, tuple[Paper, Title]]


@dataclass(frozen=True, slots=True)
class Match:
    """What a reference means: `row` of the corpus, None when it is not there.

    score: in [0, 1], 1 for an identifier; that of the best candidate where none is good enough.
    """

    reference: Reference
    row: int | None
    score: float


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A reference, its title prepared, and the rows that its identifiers name, the surest first."""

    reference: Reference
    title: Title
    claimed: tuple[int, ...]


def named_in_prose(reference: Reference) -> bool:
    """Whether a reference holds surnames and a year, and nothing else, not even an initial."""
    bare = Reference(key=reference.key, authors=reference.authors, year=reference.year)
    surnames = all(" " not in name for name in reference.authors)
    return bool(reference == bare and reference.authors and reference.year and surnames)


def match(
    collection: Collection, references: Sequence[Reference], *, allowed: Mask | None = None
) -> tuple[Match, ...]:
    """Match each reference to a paper or to none, in order; two may mean the same paper.

    Args:
        collection: where to look.
        references: what to look for.
        allowed: (n,) bool, rows that may match; None allows all.
    """
    return tuple(
        one
        for begin in range(0, len(references), _AT_ONCE)
        for one in _match_some(collection, references[begin : begin + _AT_ONCE], allowed)
    )


@dataclass(frozen=True, slots=True)
class Offered:
    """What a corpus has for a reference: rows that its identifiers name, and rows like its title.

    papers: of all these rows, with their titles.
    """

    named: tuple[int, ...]
    alike: tuple[int, ...]
    papers: Mapping[int, tuple[Paper, Title]]


def offers(collection: Collection, references: Sequence[Reference]) -> Iterator[Offered]:
    """Yield, for each reference, all papers that it may mean; nothing is decided."""
    corpus = collection.corpus
    for begin in range(0, len(references), _AT_ONCE):
        some = references[begin : begin + _AT_ONCE]
        wanted = [
            _Wanted(each, title_of(each.title or ""), tuple(rows))
            for each, rows in zip(some, _claims(corpus, some), strict=True)
        ]
        alike = [_candidates(collection, one, None) for one in wanted]
        rows = [row for one in wanted for row in one.claimed]
        papers = _read(corpus, [*rows, *(row for some_rows in alike for row in some_rows)])
        for one, proposed in zip(wanted, alike, strict=True):
            named = {row: papers[row] for row in (*one.claimed, *proposed)}
            yield Offered(one.claimed, tuple(proposed), named)


def _match_some(
    collection: Collection, references: Sequence[Reference], allowed: Mask | None
) -> Iterator[Match]:
    corpus, wanted = collection.corpus, list[_Wanted]()
    for reference, rows in zip(references, _claims(corpus, references), strict=True):
        claimed = tuple(row for row in rows if allowed is None or allowed[row])
        wanted.append(_Wanted(reference, title_of(reference.title or ""), claimed))
    # Where there is no title, nothing is read: ids alone are matched at once.
    named = _read(corpus, (row for one in wanted if one.title.words for row in one.claimed))
    sure, proposed = list[int | None](), list[list[int]]()
    for one in wanted:  # The first row that the title does not contradict.
        plain = not one.title.words
        agreed = (row for row in one.claimed if plain or not contradicts(one.title, named[row][1]))
        sure.append(next(agreed, None))
        proposed.append(_candidates(collection, one, allowed) if sure[-1] is None else [])
    offered = _read(corpus, (row for rows in proposed for row in rows))
    for one, sure_row, rows in zip(wanted, sure, proposed, strict=True):
        if sure_row is not None:
            yield Match(one.reference, sure_row, 1.0)
        elif named_in_prose(one.reference):
            yield _by_names(corpus, one.reference, allowed)
        else:
            yield _by_title(one, {row: offered[row] for row in rows}, named)


def _by_title(wanted: _Wanted, offered: _Known, named: _Known) -> Match:
    """Match by title; where that fails, by a disputed identifier that author and year confirm."""
    reference = wanted.reference
    scores = {row: score(reference, wanted.title, *offered[row]) for row in sorted(offered)}
    best = max(scores, key=scores.__getitem__, default=None)
    if best is not None and scores[best] >= THRESHOLD:
        return Match(reference, best, scores[best])
    for row in wanted.claimed:
        if same_origin(reference, named[row][0]):
            return Match(reference, row, THRESHOLD)
    return Match(reference, None, 0.0 if best is None else scores[best])


def _by_names(corpus: Corpus, reference: Reference, allowed: Mask | None) -> Match:
    """Match surnames and a year to the only paper of just these authors, or of these and others.

    Prose names them as "Ash and Birch (2010)" or "Ash et al. (2010)".
    """
    surnames = [surname(name) for name in reference.authors if name != OTHERS]
    least = max(len(surnames), _FEW) if OTHERS in reference.authors else len(surnames)
    codes = corpus.namesakes([name for name in reference.authors if name != OTHERS][:1])
    rows = []
    for row in distinct(corpus.papers_of_author.take(codes)[1]).tolist():
        if corpus.year(row) == reference.year and (allowed is None or allowed[row]):
            theirs = [surname(name) for name in corpus.papers([row])[0].authors]
            fitting = len(theirs) >= least if OTHERS in reference.authors else len(theirs) == least
            if fitting and theirs[: len(surnames)] == surnames:
                rows.append(row)
    only = rows[0] if len(rows) == 1 else None
    return Match(reference, only, 1.0 if only is not None else AMBIGUOUS if rows else 0.0)


def _candidates(collection: Collection, wanted: _Wanted, allowed: Mask | None) -> list[int]:
    """List the rows whose text has the title's words, and the first author's of about that year."""
    if not wanted.title.words:
        return []
    title = without_mark_up((wanted.reference.title or "")[:LONGEST_TITLE])
    query = collection.terms.query(title, None)
    rows, _ = collection.text_index.search(query, CANDIDATES, allowed=allowed)
    corpus, reference = collection.corpus, wanted.reference
    theirs = corpus.papers_of_author.take(corpus.namesakes(reference.authors[:1]))[1]
    if reference.year is not None:
        years = corpus.years[theirs].astype(np.int32)
        theirs = theirs[(np.abs(years - reference.year) <= 1) | (years == UNKNOWN_YEAR)]
    if allowed is not None:
        theirs = theirs[allowed[theirs]]
    return list(dict.fromkeys([*rows.tolist(), *theirs[:CANDIDATES].tolist()]))


def _read(corpus: Corpus, rows: Iterable[int]) -> _Known:
    ordered = sorted(set(rows))
    papers = corpus.papers(ordered) if ordered else []
    return {row: (paper, title_of(paper.title)) for row, paper in zip(ordered, papers, strict=True)}


def _claims(corpus: Corpus, references: Sequence[Reference]) -> list[list[int]]:
    """List, for each reference, the rows that its identifiers name, the surest first."""
    finders, names = (identifiers.arxiv, identifiers.acl, identifiers.doi), list[list[str]]()
    for reference in references:
        fields = (reference.id, reference.doi, reference.arxiv, reference.acl, reference.url)
        first = [next(filter(None, (find(text) for find in finders)), None) for text in fields]
        named = [*first, reference.pmid and f"pmid:{reference.pmid}"]
        names.append(list(dict.fromkeys(name.lower() for name in named if name)))
    spelt = [
        [reference.id or "", *each, *map(str.upper, each)]
        for reference, each in zip(references, names, strict=True)
    ]
    rows = [[row for name in each if (row := corpus.row(name)) is not None] for each in spelt]
    # More is looked at only for what is no id of the corpus as it stands.
    missing = {name for each, known in zip(names, rows, strict=True) if not known for name in each}
    found = _look_up(corpus, missing) if missing else {}
    return [
        list(dict.fromkeys([*known, *(row for name in each for row in found.get(name, ()))]))
        for each, known in zip(names, rows, strict=True)
    ]


def _look_up(corpus: Corpus, names: Iterable[str]) -> dict[str, list[int]]:
    """Find identifiers among ids, DOIs and addresses, whatever their case: rows, by name.

    Those of each field in turn, ascending.
    """
    # What may stand there, in lower case -> the name that it means.
    spelt, addresses = (
        {form.format(name): name for name in names for form in forms}
        for forms in (_SPELLINGS, _ADDRESSES)
    )
    rows = {row for form in spelt if (row := corpus.row(form)) is not None}
    rows.update(corpus.named.find([*spelt, *addresses]).tolist())
    ordered = sorted(rows)
    papers = corpus.papers(ordered)
    known: dict[str, list[int]] = {}
    for field, forms in (("id", spelt), ("doi", spelt), ("url", addresses)):
        for row, paper in zip(ordered, papers, strict=True):
            spelling: str | None = getattr(paper, field)
            if spelling and (name := forms.get(spelling.lower())):
                known.setdefault(name, []).append(row)
    return known
