"""What a fetch came to, in numbers and in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.online.fetching.lookups import LookedUp
from recsys.records import Reference

NO_REFERENCES = LookedUp()
MOST_NAMED = 10
"""References that are named in the report; the record beside the corpus has them all."""
_WAYS = {
    "named": "cited by the draft",
    "titled": "cited by the draft, found by title",
    "searched": "found by searches",
    "citing": "citing others",
    "cited": "cited by others",
    "added": "told of by another source",
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
    looked_up: LookedUp = NO_REFERENCES
    before: int | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The references that were not found, in words."""
        return tuple(map(_named, (*self.looked_up.missing, *self.looked_up.unasked)))

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
        yield from _references(self.looked_up, self.missing)
        found = ", ".join(f"{n:,} {_WAYS[way]}" for way, n in self.ways.items() if n)
        new = "" if self.before is None else f", {self.papers.papers - self.before:,} of them new"
        yield f"{self.papers.papers:,} papers{new} ({found or 'nothing came'})."
        joined = sum(self.papers.joined.values())
        if joined:
            yield f"{joined:,} records were joined with others."
        if self.papers.conflicts:
            told = ", ".join(f"{name} {n:,}" for name, n in self.papers.conflicts.items())
            yield f"Records of one paper differ in: {told}."
        made = ", ".join(f"{n:,} to {source}" for source, n in self.requests.items())
        yield f"Requests made: {made or 'none'}."
        yield f"Saved in {self.out}."


def _references(looked_up: LookedUp, missing: Sequence[str]) -> Iterator[str]:
    count = len(looked_up.named) + len(looked_up.titled) + len(missing)
    if not count:
        return
    yield (
        f"Of {count:,} references of the draft, {len(looked_up.named):,} were found by their "
        f"identifiers, {len(looked_up.titled):,} by their titles, {len(missing):,} not."
    )
    for each in missing[:MOST_NAMED]:
        yield f"not found: {each}"
    if (more := len(missing) - MOST_NAMED) > 0:
        yield f"and {more:,} more, see the file beside the corpus"


def _named(reference: Reference) -> str:
    year = f" ({reference.year})" if reference.year else ""
    name = reference.title or reference.doi or reference.arxiv or reference.pmid or reference.acl
    return f"{name or next(iter(reference.ids), 'a reference without title')}{year}"
