"""What a fetch came to: in words, and as the record that stands beside the corpus."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from recsys.errors import InputError
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.online.fetch_plan import FetchQuestion
from recsys.pipelines.online.snowball import LookedUp
from recsys.store.artifacts import CREATED_BY, write_json

SCHEMA = 1
"""Of the record."""
MOST_NAMED = 10
"""References that are named in the report; the record beside the corpus has them all."""
_WAYS = {
    "named": "cited by the draft",
    "titled": "cited by the draft, found by title",
    "searched": "found by searches",
    "citing": "citing others",
    "cited": "cited by others",
    "added": "named by another source",
    "library": "of the library",
    "new": "new",
}


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What was fetched.

    ways: works of the source that leads, by how they were found first. looked_up: what became of
    the references. requests: by source, those of earlier runs of the same fetch among them.
    before: papers that the file held already.
    """

    out: Path
    papers: CollectReport
    ways: Mapping[str, int]
    requests: Mapping[str, int]
    looked_up: LookedUp
    before: int | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The references that were not found, in words."""
        titles = []
        for each in (*self.looked_up.missing, *self.looked_up.unasked):
            names = (each.title, each.doi, each.arxiv, each.pmid, each.acl, *each.ids)
            name = next(filter(None, names), "a reference without title")
            titles.append(f"{name} ({each.year})" if each.year else name)
        return tuple(titles)

    def counts(self) -> dict[str, Any]:
        """Count what was fetched, as the record beside the corpus has it."""
        looked_up = self.looked_up
        return {
            "papers": self.papers.papers,
            "without_abstract": self.papers.without_abstract,
            "without_year": self.papers.without_year,
            "found": dict(self.ways),
            "references": {
                "by_identifier": len(looked_up.named),
                "by_title": len(looked_up.titled),
                "not_found": len(looked_up.missing),
                "not_asked": len(looked_up.unasked),
            },
            "requests": dict(self.requests),
            "differences": dict(self.papers.conflicts),
        }

    def lines(self) -> Iterator[str]:
        """Say it to people."""
        named, titled, missing = self.looked_up.named, self.looked_up.titled, self.missing
        if named or titled or missing:
            yield (
                f"Of {len(named) + len(titled) + len(missing):,} references of the draft, "
                f"{len(named):,} were found by their identifiers, {len(titled):,} by their titles, "
                f"{len(missing):,} not."
            )
        for title in missing[:MOST_NAMED]:
            yield f"not found: {title}"
        if (more := len(missing) - MOST_NAMED) > 0:
            yield f"and {more:,} more (see FILE.fetch.json)"
        found = ", ".join(f"{n:,} {_WAYS[way]}" for way, n in self.ways.items() if n)
        new = "" if self.before is None else f", {self.papers.papers - self.before:,} of them new"
        yield f"{self.papers.papers:,} papers{new} ({found or 'nothing came'})."
        joined = sum(self.papers.joined.values())
        if joined:
            yield f"{joined:,} records were merged with others."
        if self.papers.conflicts:
            told = ", ".join(f"{name} {n:,}" for name, n in self.papers.conflicts.items())
            yield f"Merged records disagree on: {told}."
        made = ", ".join(f"{n:,} to {source}" for source, n in self.requests.items())
        yield f"Requests made: {made or 'none'}."
        yield f"Saved in {self.out}."


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """A finished fetch.

    question: what was asked. cursor: the day from which on nothing is known yet. counts: papers,
    requests, and how each source's works were found. missing: references of the draft that were not
    found, in words.
    """

    question: FetchQuestion
    cursor: date
    counts: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def write(self, out: Path) -> None:
        """Replace the file beside a corpus."""
        record = {
            "schema": SCHEMA,
            "created_by": CREATED_BY,
            "question": self.question.record(),
            "cursor": self.cursor.isoformat(),
            "counts": dict(self.counts),
            "missing": list(self.missing),
        }
        write_json(record_path(out), record)


def record_path(out: Path) -> Path:
    """Return the file beside a fetched corpus that tells of the fetch."""
    return out.with_name(f"{out.name}.fetch.json")


def read_record(out: Path) -> FetchRecord:
    """Read what stands beside a fetched corpus.

    Raises:
        InputError: there is nothing, or it is damaged.
    """
    path = record_path(out)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return FetchRecord(
            FetchQuestion.from_record(record["question"]),
            date.fromisoformat(record["cursor"]),
            dict(record["counts"]),
            tuple(map(str, record["missing"])),
        )
    except FileNotFoundError as error:
        what = f"There is no {path}: so it is unknown how {out.name} was fetched."
        raise InputError(what, "Give a file that `recsys fetch` wrote.") from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"{path} is damaged ({type(error).__name__})."
        raise InputError(what, "Fetch the papers again.") from error
