"""What `recsys.eval.judge_runs` finds out about an evaluation, and its file `assessment.json`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.eval.measures import Band, Interval
from recsys.eval.significance import Bin
from recsys.formats.files import json_object
from recsys.store.artifacts import write_json

ASSESSMENT = "assessment.json"
SCHEMA: Literal["recsys.assessment/1"] = "recsys.assessment/1"


@dataclass(frozen=True, slots=True)
class Curves:
    """How a system fares at every depth.

    The first two have one point for k = 1, 2, ...; all are averages over queries. eleven_point:
    interpolated precision at recall 0, 0.1, ..., 1. recall_at: recall of the first `depths` papers,
    as far as the run reaches (stage one's order: of its candidates).
    """

    precision_macro: Band
    recall_macro: Band
    eleven_point: Band
    depths: tuple[int, ...]
    recall_at: Band


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system, judged.

    answered: queries with anything to rank; the others count as 0 in `measures`, and are left out
    of `skip_rule` (Citeomatic's rule). ignored: queries of the run that have no gold.
    beats: measure -> systems that are significantly worse (Holm-adjusted p < 0.05). per_query:
    measure -> values in the order of `Assessment.queries`. best, worst: query ids, see
    `QueryKind.single`.
    """

    name: str
    answered: int
    ignored: int
    measures: Mapping[str, Interval]
    skip_rule: Mapping[str, Interval]
    beats: Mapping[str, tuple[str, ...]]
    per_query: Mapping[str, tuple[float, ...]]
    curves: Curves
    best: tuple[str, ...]
    worst: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems by one measure: difference = one - other.

    p_holm: adjusted over all pairs of systems. pooled: for "query F1@20", the difference of the
    pooled F1@20, else None. cohen_d, won, lost: see `recsys.eval.significance.Effect`.
    """

    measure: str
    one: str
    other: str
    difference: Interval
    pooled: Interval | None
    p: float
    p_holm: float
    cohen_d: float | None
    won: float
    lost: float


@dataclass(frozen=True, slots=True)
class Slice:
    """A system on part of the queries, or (kind "popularity") on part of their gold papers."""

    kind: str
    value: str
    system: str
    queries: int
    gold: int
    measures: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Reliability:
    """Whether a system's probabilities come true.

    error: expected calibration error of the papers that a person would see. error_of_all: that of
    all candidates; None where they are not known.
    """

    bins: tuple[Bin, ...]
    error: float
    error_of_all: float | None = None


@dataclass(frozen=True, slots=True)
class QueryDifference:
    """A query on which the first two systems differ, by what `QueryKind.single` names."""

    query: str
    one: float
    other: float


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything that is computed from an evaluation's runs.

    queries: ids of the judged queries, ascending. unjudged: queries of the judgements without
    gold, left out. gold: pairs of query and gold paper. facts: the evaluation's own, without its
    raw columns; empty for runs from elsewhere. differences: largest first, by size.
    """

    seed: int
    samples: int
    queries: tuple[str, ...]
    unjudged: int
    gold: int
    systems: tuple[SystemResult, ...]
    comparisons: tuple[Comparison, ...]
    slices: tuple[Slice, ...]
    reliability: Mapping[str, Reliability]
    differences: tuple[QueryDifference, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    schema: Literal["recsys.assessment/1"] = SCHEMA

    def system(self, name: str) -> SystemResult:
        """Return the system of that name."""
        return next(each for each in self.systems if each.name == name)


def save_assessment(folder: Path, assessment: Assessment) -> None:
    """Write assessment.json."""
    write_json(folder / ASSESSMENT, asdict(assessment))


def load_assessment(folder: Path) -> Assessment:
    """Read assessment.json.

    Raises:
        ArtifactMissing: the evaluation was never assessed.
        ArtifactMismatch: it was written with another schema.
        ArtifactCorrupt: it is not a readable assessment.
    """
    from pydantic import TypeAdapter, ValidationError

    path = folder / ASSESSMENT
    if not path.is_file():
        raise ArtifactMissing(f"There is no {path}.", "Run `recsys evaluate` first.")
    again = "Assess the evaluation again."
    value = json_object(path, again, ArtifactCorrupt)
    if value.get("schema") != SCHEMA:
        raise ArtifactMismatch(
            f"{path} has the schema {value.get('schema')!r}; this version reads {SCHEMA!r}.", again
        )
    try:
        return TypeAdapter(Assessment).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ArtifactCorrupt(f"{path}: {place}: {first['msg']}.", again) from error
