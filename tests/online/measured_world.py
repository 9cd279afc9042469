"""Two real corpora as OpenAlex would serve them, and drafts that are asked of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from recsys.formats.work_stream import Found, open_works
from recsys.pipelines.evaluation.splits import query_rng, read_parts
from recsys.pipelines.online.client import Client, ClientConfig
from recsys.pipelines.online.sources import Source, SourceFacts
from recsys.records import Manuscript, Paper, Reference
from tests.online.catalogue import Catalogue
from tests.online.loopback import serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.world import TestClock

CORPORA = ("vis", "archaeology")


@dataclass(frozen=True, slots=True)
class Case:
    """A paper as the draft it once was: half of what it cites is given, the other is to be found.

    work: its own id at the source. given, right: works, as a bibliography has them, and by their
    ids.
    """

    work: str
    paper: Paper
    given: tuple[Reference, ...]
    given_ids: frozenset[str]
    right: frozenset[str]

    def draft(self, *, seeded: bool, itself: bool) -> Manuscript:
        """Return the draft; itself: told which paper it is, for an index that holds it."""
        paper = self.paper
        return Manuscript(
            title=paper.title,
            abstract=paper.abstract,
            authors=paper.authors,
            venue=paper.venue,
            references=self.given if seeded else (),
            as_of=paper.year,
            paper_id=self.work if itself else None,
        )

    def wanted(self, *, seeded: bool) -> frozenset[str]:
        """Return the ids of what is to be found."""
        return self.right if seeded else self.right | self.given_ids


@dataclass(frozen=True, slots=True)
class World:
    """papers: of both corpora. site: what serves them."""

    papers: Sequence[Paper]
    site: OpenAlexSite
    number_of: Mapping[str, int]

    def work_id(self, paper: str) -> str:
        """Name a paper as the source does."""
        return self.site.work_id(self.number_of[paper])

    def case(self, query: str) -> Case:
        """Pose a paper: what is given depends on its id alone."""
        paper = self.papers[self.number_of[query]]
        gold = sorted({each for each in paper.references if self._is_gold(paper, each)})
        shuffled = query_rng(0, query).permutation(len(gold))
        given = [gold[place] for place in np.sort(shuffled[: len(gold) // 2])]
        references = tuple(self._reference(each) for each in given)
        right = frozenset(self.work_id(each) for each in set(gold) - set(given))
        ids = frozenset(map(self.work_id, given))
        return Case(self.work_id(query), paper, references, ids, right)

    def _is_gold(self, paper: Paper, other: str) -> bool:
        if other == paper.id or other not in self.number_of:
            return False
        year = self.papers[self.number_of[other]].year
        return year is not None and paper.year is not None and year <= paper.year

    def _reference(self, paper: str) -> Reference:
        number = self.number_of[paper]
        found = self.papers[number]
        doi = self.site.catalogue.doi_of[number]
        return Reference(title=found.title, authors=found.authors, year=found.year, doi=doi)


def world_of(data: Path) -> World:
    """Read both corpora."""
    papers = [paper for name in CORPORA for paper in _papers(data / name / "papers.jsonl.gz")]
    numbers = {paper.id: number for number, paper in enumerate(papers)}
    return World(papers, OpenAlexSite(Catalogue(papers)), numbers)


def _papers(path: Path) -> Iterator[Paper]:
    from recsys.formats.papers.external_ids import paper_of

    with open_works(path) as stream:
        for item in stream.items:
            if isinstance(item, Found):
                yield paper_of(item.work, own=True)


def cases(world: World, data: Path, corpus: str, part: str, count: int) -> list[Case]:
    """Draw queries that have something to give and something to find."""
    ids = read_parts(data / corpus / "split.json")[part]
    order = np.random.default_rng(0).permutation(len(ids)).tolist()
    posed = (world.case(ids[place]) for place in order)
    usable = (case for case in posed if case.given and case.right)
    return [case for case, _ in zip(usable, range(count), strict=False)]


@contextmanager
def asked(world: World, store: Path | None) -> Iterator[Client]:
    """Serve the world, and give a client that asks it."""
    with serving(world.site) as served:
        config = ClientConfig(
            store=store, addresses={"openalex": served.address}, clock=TestClock()
        )
        with Client(config) as client:
            yield client


@dataclass(frozen=True, slots=True)
class Without:
    """A source that does not know one work: the world before it was published."""

    source: Source
    hidden: str

    @property
    def facts(self) -> SourceFacts:
        return self.source.facts

    def works(self, names: Sequence[str]) -> Iterator[Reference]:
        return self._known(self.source.works(names))

    def find(self, wanted: Reference) -> Reference | None:
        found = self.source.find(wanted)
        return None if found is None or found.id == self.hidden else found

    def offered(self, wanted: Reference) -> Iterator[Reference]:
        return self._known(self.source.offered(wanted))

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        return self._known(self.source.citing(names, most=most, until=until))

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        return self._known(self.source.search(words, most=most, since=since, until=until))

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        return self._known(self.source.changed(words, since=since, most=most))

    def _known(self, works: Iterator[Reference]) -> Iterator[Reference]:
        return (work for work in works if work.id != self.hidden)
