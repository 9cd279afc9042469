"""What sources have answered so far, kept beside the output: a killed fetch hears it again.

Answers are kept in the order of the questions, each with the day on which it came. A fetch is a
function of them alone, so that one that was killed comes to the same papers as any other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from recsys.formats.references.bibliography import record_of, work_of
from recsys.pipelines.jobs.kept_results import Entry
from recsys.pipelines.online.fetch_plan import key_at
from recsys.pipelines.online.sources import Kind, Source, SourceFacts
from recsys.records import Reference
from recsys.store.artifacts import fingerprint


@dataclass(slots=True)
class Journal:
    """Answers of an unfinished fetch.

    today: tells the day of an answer. requests: tells how many a source has made so far, by its
    name. spent: requests of all answers, by source. first: the day of the first answer.
    """

    today: Callable[[], date]
    requests: Callable[[str], int]
    known: Mapping[str, Entry]
    append: Callable[[str, Entry], None]
    count: int = 0
    first: str = ""
    spent: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class JournaledSource:
    """A source whose answers are kept. days: when each work came first, by its key."""

    source: Source
    journal: Journal
    days: dict[str, str] = field(default_factory=dict)

    @property
    def facts(self) -> SourceFacts:
        """Tell what the source gives."""
        return self.source.facts

    def works(self, names: Sequence[str]) -> Iterator[Reference]:
        """Do as the source does."""
        return self._heard(Kind.WORKS, names)

    def find(self, wanted: Reference) -> Reference | None:
        """Do as the source does."""
        return next(self._heard(Kind.FIND, wanted), None)

    def offered(self, wanted: Reference) -> Iterator[Reference]:
        """Do as the source does; what is only looked at is not kept."""
        return self.source.offered(wanted)

    def citing(
        self, names: Sequence[str], *, most: int, until: int | None = None
    ) -> Iterator[Reference]:
        """Do as the source does."""
        return self._heard(Kind.CITING, names, most=most, until=until)

    def search(
        self, words: str, *, most: int, since: int | None = None, until: int | None = None
    ) -> Iterator[Reference]:
        """Do as the source does."""
        return self._heard(Kind.SEARCH, words, most=most, since=since, until=until)

    def changed(self, words: str, *, since: date, most: int) -> Iterator[Reference]:
        """Do as the source does."""
        return self._heard(Kind.CHANGED, words, since=since, most=most)

    def _heard(self, kind: Kind, asked: object, **options: object) -> Iterator[Reference]:
        """Give the answer to a question: the one that is kept, or a new one.

        kind: also names the method of the source that is asked.
        """
        journal, source = self.journal, self.facts.name
        name = f"{journal.count} {source} {fingerprint([kind, asked, options])}"
        journal.count += 1
        entry = journal.known.get(name)
        if entry is None:
            before = journal.requests(source)
            answer = getattr(self.source, kind)(asked, **options)
            found = filter(None, [answer]) if kind is Kind.FIND else answer
            works = [record_of(work) for work in found]
            requests = journal.requests(source) - before
            entry = {"on": journal.today().isoformat(), "requests": requests, "works": works}
            journal.append(name, entry)
        journal.first = journal.first or entry["on"]
        journal.spent[source] = journal.spent.get(source, 0) + entry["requests"]
        for record in entry["works"]:
            work = work_of(record)
            if (key := key_at(work, self.facts.schemes)) is not None:
                self.days.setdefault(key, entry["on"])
            yield work
