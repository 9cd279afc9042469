"""Decide which records are one paper: the one door, which looks at what they say and at no order.

Two records are one by an identifier that they share, else by title, first author and year, and only
where nothing contradicts it. What fits two that contradict each other joins neither of them, so
that no chain of records makes one paper of several.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeAlias

from recsys.formats.papers.external_ids import placeholder
from recsys.pipelines.corpora.works import NO_SPACE
from recsys.query.matching import (
    Title,
    contradicts,
    named_among,
    numerals,
    title_likeness,
    title_of,
)

SAME_TITLE = 0.93
"""Titles at least so alike may be those of one work: a typing error or two, no other word."""
YEARS_APART = 1
"""Years by which records of one work may differ: online first, and in print."""
PREPRINT_YEARS_APART = 3
"""Years by which a preprint may be older or younger than the paper that it became."""
_TELLING = 4
"""Telling words of a title that is enough beside the author alone, or the year alone."""
_OFTEN = 3
"""Telling words of a title that hardly occurs twice, unlike "Editorial" or "Book review"."""
_ALIKE = 0.85
"""Titles under one identifier that are so alike are one title, spelt in two ways."""
_CONTAINED = 0.75
"""Share of the telling words of a title that another one has that is longer, such as a subtitle."""
MOST_SPELLINGS = 300
"""Records that differ, and may be one paper: of more, none is joined."""

_PREPRINT = re.compile(
    r"10\.(?:48550/arxiv|2139/ssrn|31234/|26434/chemrxiv|21203/rs\.|20944/preprints|36227/techrxiv"
    r"|31219/osf|22541/au\.|1101/[0-9]{6}(?:v[0-9]+)?$|1101/20[0-9]{2}\.|64898/)"
)
_PREPRINT_VENUE = re.compile(r"\b(?:arxiv|biorxiv|medrxiv|chemrxiv|ssrn|corr|preprints?)\b", re.I)
_NOTICE = re.compile(
    r"(?i)\W*(?:(?:publisher|author)\S{0,2} )?(?:erratum|errata|corrigend(?:um|a)|correction"
    r"|addendum|retraction|expression of concern|comments? (?:on|to)|reply to|response to)\b"
)
"""How the title of what is about another work begins, before the title of that."""
_NO_DIGIT = re.compile(r"\D")
_KEPT = 1 << 12
_title = lru_cache(_KEPT)(title_of)


class Evidence(IntEnum):
    """What tells that two records are one, the surest first."""

    DOI = 0
    IDENTIFIER = 1
    TITLE = 2
    ALIKE = 3


EVIDENCE_NAMES: Mapping[Evidence, str] = {
    Evidence.DOI: "by DOI",
    Evidence.IDENTIFIER: "by another identifier",
    Evidence.TITLE: "by title, author and year",
    Evidence.ALIKE: "by a similar title, author or year",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """What of a record is compared. doi: in lower case. names: identifiers that may join it."""

    title: Title
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    space: int = NO_SPACE
    own_id: str | None = None
    sealed: bool = False
    preprint: bool = False
    place: str | None = None
    names: frozenset[str] = frozenset()
    text: str = field(default="", compare=False)

    @classmethod
    def of(cls, work: Mapping[str, Any]) -> "Fact":
        """Prepare a row of WORKS, or as much as there is of one."""
        doi, names = (work.get("doi") or "").lower(), work["names"]
        return cls(
            title=_title(work["title"] or ""),
            authors=tuple(work["authors"]),
            year=work.get("year"),
            doi="" if placeholder(doi) else doi,
            space=work.get("space", NO_SPACE),
            own_id=work.get("own_id"),
            sealed=work.get("sealed", False),
            preprint=is_preprint(doi, work.get("venue"), names),
            place=work.get("place"),
            names=frozenset(names),
            text=work["title"] or "",
        )

    def version_of(self, other: "Fact") -> bool:
        """Tell whether one may be a preprint, and the other what became of it."""
        one_file = self.sealed and self._shares_space(other)
        return self.preprint != other.preprint and not one_file

    def _shares_space(self, other: "Fact") -> bool:
        return self.space == other.space != NO_SPACE

    def likeness(self, other: "Fact") -> float:
        """Compare the titles, see `title_likeness`."""
        same = self.title.words == other.title.words
        return float(bool(self.title.words)) if same else title_likeness(self.title, other.title)

    def author_agrees(self, other: "Fact") -> bool | None:
        """Tell whether each has the other's first author; None where one has, or it is unknown."""
        return _agree(self.authors, other.authors)

    def year_agrees(self, other: "Fact") -> bool | None:
        """Tell whether the years may be those of one work; None where one is unknown."""
        if self.year is None or other.year is None:
            return None
        apart = PREPRINT_YEARS_APART if self.version_of(other) else YEARS_APART
        return abs(self.year - other.year) <= apart

    def may_be(self, other: "Fact", *, preprints: bool) -> bool:
        """Tell whether two works agree in title, author and year."""
        versions = self.version_of(other)
        if versions and not preprints:  # Not even of one year.
            return False
        if not versions and self.own_id != other.own_id and self._shares_space(other):
            return False
        if self.likeness(other) < SAME_TITLE:
            return False
        author, year = self.author_agrees(other), self.year_agrees(other)
        if author is False or year is False:
            return False
        telling = len(self.title.telling) >= _TELLING
        return bool((author and year) or ((author or year) and telling))

    def evidence(self, other: "Fact", *, preprints: bool) -> Evidence | None:
        """Tell by what two records seem to be one, None where by nothing."""
        if shared := self.names & other.names:
            by_doi = any(name.startswith("10.") for name in shared)
            return Evidence.DOI if by_doi else Evidence.IDENTIFIER
        if not self.may_be(other, preprints=preprints):
            return None
        same = self.title.words == other.title.words and self.year == other.year
        return Evidence.TITLE if same and self.author_agrees(other) else Evidence.ALIKE

    def contradicts(self, other: "Fact", *, preprints: bool) -> bool:
        """Tell whether something speaks against it that two records are one.

        Other DOIs do, and other ids of one file, unless one is a preprint of the other; other
        titles; where no identifier is shared, other first authors and years, too.
        """
        versions = self.version_of(other)
        if not (versions and preprints):
            if self._shares_space(other) and self.own_id != other.own_id:
                return True
            if self.doi and other.doi and self.doi != other.doi:
                return True
        if self.has_another_title(other):
            return True
        if self.names & other.names:
            return False
        apart = self.author_agrees(other) is False or self.year_agrees(other) is False
        return apart or (versions and not preprints) or self._is_elsewhere(other)

    def _is_elsewhere(self, other: "Fact") -> bool:
        """Tell whether a title that many works have, such as "Editorial", stands in two places."""
        if max(len(self.title.telling), len(other.title.telling)) >= _OFTEN:
            return False
        one, two = ((fact.place or "").split("|")[1:] for fact in (self, other))
        numbers = [[_NO_DIGIT.sub("", part) for part in place] for place in (one, two)]
        dated = any(place and place[0].startswith("y") for place in (one, two))
        return bool(one and two and not dated and numbers[0] != numbers[1])

    def has_another_title(self, other: "Fact") -> bool:
        """Tell whether the titles are those of two works, such as two chapters of one book.

        One may lack its subtitle; a translation stands in the same place; what arXiv holds is
        called otherwise when it is printed.
        """
        one, two = self.title, other.title
        if one.words == two.words or not (one.words and two.words):
            return False
        if bool(_NOTICE.match(self.text)) != bool(_NOTICE.match(other.text)):
            return True
        if self.likeness(other) >= _ALIKE:
            return False
        if self.place is not None and self.place == other.place:
            return False
        fewer = min(len(one.telling), len(two.telling))
        numbers = set(numerals(one.words)), set(numerals(two.words))
        inside = numbers[0] <= numbers[1] or numbers[1] <= numbers[0]
        author = self.author_agrees(other)
        if inside and author is not False:
            shared = len(one.telling & two.telling)
            if fewer and shared >= _CONTAINED * fewer:
                return False
        on_arxiv = any(name.startswith("arxiv:") for name in self.names & other.names)
        return not (on_arxiv and author and not contradicts(one, two))

    def agreement(self, other: "Fact") -> float:
        """Tell how much agrees, from 0 to 4: identifiers, title, first author and year."""
        told = {True: 1.0, None: 0.5, False: 0.0}
        near = 0.0 if self.year == other.year else 0.25
        return (
            bool(self.names & other.names)
            + self.likeness(other)
            + told[self.author_agrees(other)]
            + told[self.year_agrees(other)]
            - near
        )


@lru_cache(_KEPT)
def _agree(authors: tuple[str, ...], others: tuple[str, ...]) -> bool | None:
    one = named_among(authors, others)
    if authors == others:
        return None if one is None else True
    return one if one is named_among(others, authors) else None


def is_preprint(doi: str | None, venue: str | None, names: Iterable[str]) -> bool:
    """Tell a preprint by its DOI, else by its venue; by an arXiv id where there is neither."""
    if doi:
        return bool(_PREPRINT.match(doi.lower()))
    if venue:
        return is_server(venue)
    return any(name.startswith("arxiv:") for name in names)


def is_server(venue: str) -> bool:
    """Tell a place of preprints, such as `arXiv preprint arXiv:1901.00001`, from a journal."""
    return bool(_PREPRINT_VENUE.search(venue))


def name_several(facts: Iterable[Fact]) -> bool:
    """Tell whether records that share an identifier are several works: it cannot identify."""
    told = [*dict.fromkeys(facts)]
    pairs = combinations(told, 2)
    return len(told) > MOST_SPELLINGS or any(one.has_another_title(two) for one, two in pairs)


@dataclass(frozen=True, slots=True, order=True)
class Join:
    """Two records that became one paper. agreement: see `Fact.agreement`. by: the evidence."""

    agreement: float
    by: str
    one: str
    other: str

    @classmethod
    def of(cls, one: Fact, other: Fact, by: Evidence) -> "Join":
        """Write down what people compare of two records."""
        shown = sorted(map(_shown, (one, other)))
        return cls(round(one.agreement(other), 3), EVIDENCE_NAMES[by], *shown)

    def line(self) -> str:
        """Write it for people."""
        return f"{self.agreement:.2f} of 4, {self.by}: {self.one} = {self.other}"


def _shown(fact: Fact) -> str:
    first = f"{fact.authors[0]}: " if fact.authors else ""
    told = ", ".join(filter(None, (f"{fact.year or ''}", fact.doi or min(fact.names, default=""))))
    return f"{first}{fact.text}" + (f" ({told})" if told else "")


_Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Resolved:
    """Which of some records are one.

    groups: places of records; each place is in one group. joined: records that were added to
    others, by what. kept_apart: pairs that seemed to be one, and contradict each other. unclear:
    records that fit several which contradict each other. joins: of what was joined at once, the
    least sure pair.
    """

    groups: list[list[int]]
    joined: Counter[Evidence]
    kept_apart: int
    unclear: int
    joins: list[Join]


def resolve(facts: Sequence[Fact], *, preprints: bool) -> Resolved:
    """Find which records are one paper.

    The surest evidence joins first; what it has joined is one from then on. Groups that are linked
    by evidence become one if no two of them contradict each other. Else those that fit two which do
    are left out, and what remains is one if it is without contradiction.

    Args:
        facts: of records that are linked somehow.
        preprints: whether a preprint and the paper that it became are one.
    """
    places: dict[Fact, list[int]] = defaultdict(list)
    for place, fact in enumerate(facts):
        places[fact].append(place)
    told = list(places)
    crowd = len(told) > MOST_SPELLINGS
    linked, clashing = _compared([] if crowd else told, preprints=preprints)
    group_of, unclear = list(range(len(told))), set[int]()
    joined, joins = Counter[Evidence](), list[Join]()
    for by, pairs in linked.items():
        sets, doubtful = _consistent(pairs, clashing, group_of)
        unclear |= {number for number, group in enumerate(group_of) if group in doubtful}
        for groups in sets:
            between = (pair for pair in pairs if _groups_of(pair, group_of) <= groups)
            apart = (pair for pair in between if len(_groups_of(pair, group_of)) > 1)
            joins.append(min(Join.of(told[one], told[two], by) for one, two in apart))
            joined[by] += len(groups) - 1
            group_of = [min(groups) if group in groups else group for group in group_of]
    members: dict[int, list[int]] = defaultdict(list)
    alone: list[list[int]] = []
    for fact, group in zip(told, group_of, strict=True):
        first, *same = places[fact]
        enough = fact.evidence(fact, preprints=preprints) if same else None
        members[group] += [first, *same] if enough is not None else [first]
        if enough is not None:  # Records that say the same are one.
            joined[enough] += len(same)
        else:  # Unless that is too little.
            alone += [[place] for place in same]
    return Resolved(
        groups=[*map(sorted, members.values()), *alone],
        joined=joined,
        kept_apart=sum(pair in clashing for pairs in linked.values() for pair in pairs),
        unclear=len(facts) if crowd else sum(len(places[told[number]]) for number in unclear),
        joins=joins,
    )


def _compared(
    told: Sequence[Fact], *, preprints: bool
) -> tuple[dict[Evidence, list[_Pair]], set[_Pair]]:
    """List the pairs that seem to be one, the surest evidence first, and those that cannot be."""
    linked: dict[Evidence, list[_Pair]] = {by: [] for by in Evidence}
    clashing = set[_Pair]()
    for (number, one), (other, two) in combinations(enumerate(told), 2):
        by = one.evidence(two, preprints=preprints)
        if by is not None:
            linked[by].append((number, other))
        if one.contradicts(two, preprints=preprints):
            clashing.add((number, other))
    return linked, clashing


def _consistent(
    linked: Collection[_Pair], clashing: Collection[_Pair], group_of: Sequence[int]
) -> tuple[list[set[int]], set[int]]:
    """Find sets of groups that evidence links and nothing contradicts, and groups that fit two."""
    near: dict[int, set[int]] = defaultdict(set)
    for pair in linked:
        for group in _groups_of(pair, group_of):
            near[group] |= _groups_of(pair, group_of) - {group}
    clashes = [_groups_of(pair, group_of) for pair in clashing]

    def clash(groups: Collection[int]) -> bool:
        return any(pair.issubset(groups) for pair in clashes)

    sets, unclear = list[set[int]](), set[int]()
    for groups in _components(near, near):
        torn = set[int]()
        if clash(groups):
            torn = {group for group in groups if clash({group, *near[group]})}
            unclear |= {group for group in torn if clash(near[group])}
        rests = _components(near, groups - torn)
        sets += [rest for rest in rests if len(rest) > 1 and not clash(rest)]
    return sets, unclear


def _groups_of(pair: _Pair, group_of: Sequence[int]) -> set[int]:
    return {group_of[pair[0]], group_of[pair[1]]}


def _components(near: Mapping[int, Collection[int]], among: Iterable[int]) -> list[set[int]]:
    """Find what hangs together among some groups."""
    left, found = set(among), list[set[int]]()
    while left:
        waiting, component = [left.pop()], set[int]()
        while waiting:
            group = waiting.pop()
            component.add(group)
            waiting += left.intersection(near[group])
            left.difference_update(waiting)
        found.append(component)
    return found
