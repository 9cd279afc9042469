"""The recommendation task of SciDocs (Cohan et al. 2020) as a folder in its published layout.

    recomm/train.csv  recomm/val.csv  recomm/test.csv      clicks, see `click_log`
    recomm/propensity_scores.json                          {"scores": [p1, p2, ...]}
    paper_metadata_recomm.json                             {id: {"title": ..., "year": ...}}

The published code stops with a bare KeyError, ValueError or IndexError where a paper lacks a
field, a click is not among the papers shown, or a list is longer than the propensity table; these
are errors that name the place here. As there, papers without metadata are allowed, and so are the
ways in which a value is unknown: a null or empty title, a year that is no number, a null list.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import Any

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import ClickLog, read_clicks, write_scidocs_clicks
from recsys.eval.studies.clicks.propensities import (
    Propensities,
    read_propensities,
    write_propensities,
)
from recsys.eval.trec import write_lines
from recsys.formats.files import json_object
from recsys.records import PaperId

METADATA = "paper_metadata_recomm.json"
PROPENSITIES = "recomm/propensity_scores.json"
TRAIN, VALIDATION, TEST = (f"recomm/{part}.csv" for part in ("train", "val", "test"))

_SETS = ("authors", "references", "cited_by")
_FIELDS: Mapping[str, tuple[Any, str]] = {
    "title": (str, "text"),
    "year": (str | int | float, "a number"),
    **dict.fromkeys(_SETS, (list, "a list of ids")),
}
"""Field of a paper -> the types of its value besides null, and their name."""
_FILES = (TRAIN, VALIDATION, TEST, PROPENSITIES, METADATA)
_LAYOUT = f"SciDocs' data has {', '.join(_FILES)}."
_METADATA_FORM = f'Give {{"id": {{{", ".join(_FIELDS)}}}, ...}}, as SciDocs does.'
_YEARS = range(1, 10_000)


@dataclass(frozen=True, slots=True)
class RelatedPaper:
    """What the task's features read of a paper.

    title: empty if it has none. year: None if unknown. authors: their ids. references, cited_by:
    ids of papers, also such as have no metadata of their own.
    """

    title: str
    year: int | None
    authors: frozenset[str]
    references: frozenset[str]
    cited_by: frozenset[str]


@dataclass(frozen=True, slots=True)
class RecommendationTask:
    """Clicks to learn from, to choose by and to test on; `papers` may lack some that are shown.

    Raises:
        InputError: a list is longer than the table of propensities.
    """

    train: ClickLog
    validation: ClickLog
    test: ClickLog
    papers: Mapping[str, RelatedPaper]
    propensities: Propensities

    @property
    def logs(self) -> Mapping[str, ClickLog]:
        """Give the clicks of every part, by its name."""
        return {"train": self.train, "validation": self.validation, "test": self.test}

    def names(self) -> set[PaperId]:
        """Name the papers that are asked for or shown."""
        return {name for log in self.logs.values() for name in (*log.queries, *log.papers)}

    def __post_init__(self) -> None:
        for name, log in zip((TRAIN, VALIDATION, TEST), self.logs.values(), strict=True):
            longest = log.present.sum(1).max(initial=0)
            if longest > len(self.propensities):
                raise InputError(
                    f"A list in {name} shows {longest} papers, "
                    f"but {PROPENSITIES} covers {len(self.propensities)} positions.",
                    "Give a propensity for every position that is shown.",
                )


def read_task(folder: Path) -> RecommendationTask:
    """Read the folder of SciDocs' data, one that has it as `data`, or its `recomm` folder.

    Raises:
        InputError: a file is missing or broken, a paper of the metadata lacks a field, or a list
            is longer than the table of propensities.
    """
    places = (folder, folder / "data", *([folder.parent] if folder.name == "recomm" else []))
    root = next((place for place in places if (place / "recomm").is_dir()), None)
    if root is None:
        raise InputError(f"{folder} has no folder recomm.", _LAYOUT)
    missing = [name for name in _FILES if not (root / name).is_file()]
    if missing:
        raise InputError(f"{root} lacks {', '.join(missing)}.", _LAYOUT)
    train, validation, test = (read_clicks(root / name) for name in (TRAIN, VALIDATION, TEST))
    propensities, path = read_propensities(root / PROPENSITIES), root / METADATA
    records = json_object(path, _METADATA_FORM)
    names: dict[str, str] = {}
    try:
        papers = {name: _paper(name, record, names) for name, record in records.items()}
    except InputError as error:
        raise InputError(f"{path}: {error.what}", error.hint) from error
    return RecommendationTask(train, validation, test, papers, propensities)


def write_task(folder: Path, task: RecommendationTask) -> None:
    """Write a task in SciDocs' layout, `folder` being the root.

    The logs lose what their format cannot hold (`write_scidocs_clicks`).

    Raises:
        InputError: a log has no click, or a name that cannot be read back.
    """
    (folder / "recomm").mkdir(parents=True, exist_ok=True)
    for name, log in zip((TRAIN, VALIDATION, TEST), task.logs.values(), strict=True):
        write_scidocs_clicks(folder / name, log)
    write_propensities(folder / PROPENSITIES, task.propensities)
    records = []
    for name, paper in task.papers.items():
        sets = {field: sorted(getattr(paper, field)) for field in _SETS}
        record = {"paper_id": name, "title": paper.title, "year": paper.year, **sets}
        records.append(f"{json.dumps(name)}: {json.dumps(record)}")
    write_lines(folder / METADATA, ["{", ",\n".join(records), "}"])


def _paper(name: str, record: object, names: dict[str, str]) -> RelatedPaper:
    """Read a paper; names: each id once, however many papers hold it."""
    if not isinstance(record, dict):
        raise InputError(f"The paper {name!r} is {short(record)}, no object.", _METADATA_FORM)
    for field, (kind, kind_name) in _FIELDS.items():
        if field not in record:
            raise InputError(f"The paper {name!r} has no field {field!r}.", _METADATA_FORM)
        if not isinstance(record[field], kind | None):
            raise _refused(name, field, record[field], kind_name)
    sets = []
    for field in _SETS:
        ids = record[field] or []
        strangers = [value for value in ids if type(value) not in (str, int)]
        if strangers:
            raise _refused(name, field, strangers[0], "an id")
        sets.append(frozenset(names.setdefault(value, value) for value in map(str, ids)))
    try:  # As the published code does; a year that is none between 1 and 9999 is unknown.
        year: int | None = int(record["year"] or 0)
    except (ValueError, OverflowError):
        year = None
    return RelatedPaper(record["title"] or "", year if year in _YEARS else None, *sets)


def _refused(name: str, field: str, value: object, kind: str) -> InputError:
    what = f"The field {field!r} of the paper {name!r} has {short(value)} instead of {kind}."
    return InputError(what, _METADATA_FORM)
