"""The directory of SciDocs: where each task lies, and how its files are read and written.

DIR/
├── cite/ cocite/ coread/ coview/     val.qrel test.qrel: "query 0 paper relevance", 1 or 0
├── mag/ mesh/                        train.csv val.csv test.csv: pid,class_label
├── recomm/                           train.csv val.csv test.csv propensity_scores.json
└── paper_metadata_{view_cite_read,mag_mesh,recomm}.json    id -> title, abstract, ...

A directory may hold some of the tasks only.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, near_path
from recsys.eval.trec import Qrels, read_qrels, write_lines
from recsys.formats.files import json_object
from recsys.records import PaperId


class Task(StrEnum):
    """A task, by the name that its figures bear."""

    MAG = "mag"
    MESH = "mesh"
    CO_VIEW = "co-view"
    CO_READ = "co-read"
    CITE = "cite"
    CO_CITE = "co-cite"
    RECOMM = "recomm"

    @property
    def folder(self) -> str:
        """Name the folder of its files."""
        return self.value.replace("-", "")


class Group(StrEnum):
    """Tasks over the same papers, by the name that SciDocs' own files of vectors bear."""

    CLASSES = "cls"
    ACTIVITY = "user-citation"
    RECOMM = "recomm"


CLASSIFICATION = (Task.MAG, Task.MESH)
RANKING = (Task.CO_VIEW, Task.CO_READ, Task.CITE, Task.CO_CITE)
GROUPS: Mapping[Group, tuple[Task, ...]] = {
    Group.CLASSES: CLASSIFICATION,
    Group.ACTIVITY: RANKING,
    Group.RECOMM: (Task.RECOMM,),
}
METADATA: Mapping[Group, str] = {
    Group.CLASSES: "paper_metadata_mag_mesh.json",
    Group.ACTIVITY: "paper_metadata_view_cite_read.json",
    Group.RECOMM: "paper_metadata_recomm.json",
}
PARTS = ("val", "test")
"""What is evaluated on; classes and clicks are learned on `train`."""
COLUMNS = ("pid", "class_label")


@dataclass(frozen=True, slots=True)
class Classes:
    """Papers and their classes. labels: (n,) int64."""

    ids: tuple[PaperId, ...]
    labels: NDArray[np.int64]


def suite_root(folder: Path) -> Path:
    """Return the directory that holds the tasks: the given one, or `data` in it.

    Raises:
        InputError: there is no such directory, or none of the tasks in it.
    """
    if not folder.is_dir():
        hint = near_path(folder).strip() or "Check the path."
        raise InputError(f"There is no directory {folder}.", hint)
    for root in (folder, folder / "data"):
        if tasks_in(root):
            return root
    expected = ", ".join(task.folder for task in Task)
    raise InputError(
        f"{folder} is no directory of SciDocs: it holds none of {expected}.",
        "Give the directory that holds the folders of the tasks.",
    )


def tasks_in(root: Path) -> tuple[Task, ...]:
    """List the tasks whose folders are there."""
    return tuple(task for task in Task if (root / task.folder).is_dir())


def read_judgements(root: Path, task: Task, part: str) -> Qrels:
    """Read the candidates of a ranking task's queries and which of them are right.

    Raises:
        InputError: unreadable, malformed (with the line), empty, or a relevance other than 0 or 1.
    """
    path = root / task.folder / f"{part}.qrel"
    found = read_qrels(path)
    if not found:
        raise InputError(f"{path} is empty.", 'A line reads "query 0 paper relevance".')
    for query, papers in found.items():
        for paper, relevance in papers.items():
            if relevance not in (0, 1):
                raise InputError(
                    f"{path}: the paper {paper!r} has relevance {relevance} for {query!r}.",
                    "Write 1 for a right answer and 0 for a wrong one.",
                )
    return found


def write_judgements(root: Path, task: Task, part: str, judgements: Qrels) -> None:
    """Write what `read_judgements` reads.

    Raises:
        InputError: an id has a space in it, which parts the columns.
    """
    path = root / task.folder / f"{part}.qrel"
    path.parent.mkdir(parents=True, exist_ok=True)
    for name in {name for query, papers in judgements.items() for name in (query, *papers)}:
        if name.split() != [name]:
            raise InputError(
                f"The id {name!r} cannot stand in {path.name}: spaces part its columns.",
                "Give the papers ids without spaces.",
            )
    write_lines(
        path,
        (
            f"{query} 0 {paper} {relevance}"
            for query, papers in judgements.items()
            for paper, relevance in papers.items()
        ),
    )


def read_classes(root: Path, task: Task, part: str) -> Classes:
    """Read the papers of a classification task with their classes.

    Raises:
        InputError: unreadable, no columns `pid` and `class_label`, a class that is no whole number
            (with the line), or no paper.
    """
    path = root / task.folder / f"{part}.csv"
    ids, labels = [], []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            header = [name.strip() for name in next(reader, [])]
            missing = next((name for name in COLUMNS if name not in header), None)
            if missing is not None:
                raise InputError(
                    f"{path} has no column {missing!r}, but {', '.join(header) or 'none'}.",
                    f"Its first line reads {','.join(COLUMNS)}.",
                )
            places = [header.index(name) for name in COLUMNS]
            for row in filter(None, reader):
                where = f"{path}, line {reader.line_num}"
                if len(row) <= max(places):
                    raise InputError(
                        f"{where}: there are {len(row)} columns.",
                        f"The columns are {', '.join(header)}.",
                    )
                paper_id, label = (row[place].strip() for place in places)
                ids.append(paper_id)
                try:
                    labels.append(int(label))
                except ValueError as error:
                    what = f"{where}: the class {label!r} is no whole number."
                    raise InputError(what, "Number the classes.") from error
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}.", "Copy the whole directory.") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Copy it again.") from error
    if not ids:
        raise InputError(f"{path} holds no paper.", f"Its first line reads {','.join(COLUMNS)}.")
    return Classes(tuple(ids), np.array(labels, np.int64))


def write_classes(root: Path, task: Task, part: str, classes: Classes) -> None:
    """Write what `read_classes` reads."""
    path = root / task.folder / f"{part}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(zip(classes.ids, classes.labels.tolist(), strict=True))


def suite_papers(root: Path) -> Iterator[dict[str, Any]]:
    """Give every paper of the suite once: {"id", "title", "abstract"}, as far as it is known.

    Raises:
        InputError: there is no file of metadata, or one that is not readable.
    """
    groups = [group for group, name in METADATA.items() if (root / name).is_file()]
    if not groups:
        raise InputError(
            f"{root} holds no texts: there is no {' or '.join(METADATA.values())}.",
            "Give the directory that holds them.",
        )
    seen: set[PaperId] = set()
    for group in groups:
        for paper_id, facts in read_metadata(root, group).items():
            if paper_id not in seen:
                seen.add(paper_id)
                texts = {key: facts.get(key) for key in ("title", "abstract")}
                yield {"id": paper_id, **texts}


def write_metadata(root: Path, group: Group, papers: Iterable[Mapping[str, Any]]) -> None:
    """Write the facts of papers by their `paper_id`."""
    facts = {paper["paper_id"]: dict(paper) for paper in papers}
    text = json.dumps(facts, ensure_ascii=False)
    (root / METADATA[group]).write_text(text + "\n", encoding="utf-8")


def read_metadata(root: Path, group: Group) -> dict[PaperId, dict[str, Any]]:
    """Read the facts of a group's papers, by their ids.

    Raises:
        InputError: there is no such file, or it is no object of objects.
    """
    path = root / METADATA[group]
    value = json_object(path, "Copy it again.")
    if not all(isinstance(each, dict) for each in value.values()):
        raise InputError(
            f"{path} is no object of papers by their ids.",
            'Write {"ID": {"title": "...", "abstract": "..."}}.',
        )
    return value
