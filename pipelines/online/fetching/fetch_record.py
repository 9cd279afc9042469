"""What stands beside a fetched corpus: the question, what came of it, and where to go on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from recsys.errors import InputError
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion
from recsys.store.artifacts import write_json
from recsys.version import CREATED_BY

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """A finished fetch.

    question: what was asked. cursor: the day from which on nothing is known yet. counts: papers,
    requests, and how each source's works were found. missing: references of the draft that were not
    found, in words. versions: of a library, by its name.
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

    def later(self, cursor: date, counts: Mapping[str, Any]) -> "FetchRecord":
        """Return what is true after an update."""
        return replace(self, cursor=cursor, counts=counts)


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
        raise InputError(
            f"There is no {path}: nothing tells how {out.name} was fetched.",
            "Give a file that `recsys fetch` wrote.",
        ) from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is damaged ({type(error).__name__}).", "Fetch the papers again."
        ) from error
