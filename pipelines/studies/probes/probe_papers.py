"""The papers that embeddings are probed with: their classes, and the vectors that all have."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from recsys.errors import InputError, near_miss
from recsys.eval.studies.probes.paper_classes import folded
from recsys.formats.embeddings import Embeddings, read_embeddings
from recsys.formats.embeddings.embedding_files import FORMATS
from recsys.formats.papers.paper_stream import Found, open_papers
from recsys.pipelines.studies.scidocs.scidocs_classes import Labelled, classes_of
from recsys.progress import Progress
from recsys.records import Paper, PaperId

Values: TypeAlias = Mapping[PaperId, Sequence[str]]
"""The values of a label that each paper has, at least one."""
VENUE, KEYPHRASES, LABELS = "venue", "keyphrases", "labels."


@dataclass(frozen=True, slots=True)
class Shared:
    """Papers with a label and a vector of every embedding, and what was left out."""

    ids: tuple[PaperId, ...]
    notes: tuple[str, ...]


def read_values(source: Path, label: str, progress: Progress) -> Values:
    """Read a label of every paper that has it: `venue`, `keyphrases` or `labels.NAME`.

    Raises:
        InputError: the file cannot be read, or no paper has the label.
    """
    with open_papers(source, progress=progress) as stream:
        papers = (item.paper for item in stream.items if isinstance(item, Found))
        return values_of(papers, label, source)


def values_of(papers: Iterable[Paper], label: str, source: Path) -> Values:
    """Pick a label of every paper of a source that has it, as `read_values` does.

    Raises:
        InputError: no paper has it.
    """
    found, known = {}, Counter[str]()
    for paper in papers:
        labels = dict(_labels(paper))
        known.update(labels.keys())
        if label in labels:
            found[paper.id] = labels[label]
    if not found:
        names = [name for name, _ in known.most_common()]
        meant = near_miss(label, names) or near_miss(f"{LABELS}{label}", names)
        raise InputError(
            f"No paper of {source} has {label!r}.{meant}",
            f"The papers have {', '.join(names)[:400]}." if names else "Give papers with labels.",
        )
    return found


def _labels(paper: Paper) -> Iterator[tuple[str, Sequence[str]]]:
    """Give the labels of a paper that are texts or lists of them, with their values."""
    labels: dict[str, object] = {VENUE: paper.venue, KEYPHRASES: list(paper.keyphrases)}
    labels |= {f"{LABELS}{key}": value for key, value in paper.labels.items()}
    for name, value in labels.items():
        items = value if isinstance(value, list) else [value]
        texts = [item for item in items if isinstance(item, str) and item.strip()]
        if texts:
            yield name, texts


def named_files(texts: Iterable[str]) -> dict[str, Path]:
    """Take apart FILE or NAME=FILE; by default the file's name, without its ending, is the name.

    Raises:
        InputError: a name is there twice.
    """
    found: dict[str, Path] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        if not (name and equals) or Path(text).exists():  # A path may have a "=" in it.
            rest, file = text, Path(text).name
            name = next((file.removesuffix(end) for end in FORMATS if file.endswith(end)), file)
        if name in found:
            raise InputError(f"Two embeddings are called {name!r}.", "Write NAME=FILE.")
        found[name] = Path(rest)
    return found


def read_all(files: Mapping[str, Path], progress: Progress) -> dict[str, Embeddings]:
    """Read the vectors of every embedding.

    Raises:
        InputError: there is no file, or one cannot be read.
    """
    if not files:
        raise InputError("There are no embeddings.", "Give a file of vectors.")
    return {name: read_embeddings(path, progress=progress) for name, path in files.items()}


def shared_papers(values: Values, embeddings: Mapping[str, Embeddings], label: str) -> Shared:
    """Keep the papers with a vector of every embedding, by ascending id.

    Raises:
        InputError: there is none.
    """
    ids, notes = set(values), []
    for name, each in embeddings.items():
        known = set(each.ids)
        missing = len(values.keys() - known)
        if missing == len(values):
            raise InputError(
                f"{name} has a vector of 0 of the {len(values):,} papers with {label}: its ids are "
                f"such as {each.ids[0]!r}, theirs such as {min(values)!r}.",
                "Give vectors of these papers.",
            )
        if missing:
            notes.append(f"{name} has no vector of {missing:,} of {len(values):,} papers.")
        ids &= known
    if not ids:
        raise InputError("No paper has a vector of every embedding.", " ".join(notes))
    if notes:
        notes.append("A paper that misses one is left out of all.")
    return Shared(tuple(sorted(ids)), tuple(notes))


def classes(values: Sequence[Sequence[str]], label: str, *, most: int, least: int) -> Labelled:
    """Make classes of the most frequent values; a paper with several is of the rarest.

    Names are written as they mostly are.

    Raises:
        InputError: there are fewer than two.
    """
    found = classes_of(values, most=most, least=least)
    if len(found.names) < 2:
        raise InputError(
            f"{len(found.names)} classes of {label} have at least {least:,} of these "
            f"{len(values):,} papers; it takes two.",
            "Ask for fewer papers of a class, or choose another label.",
        )
    spelled: dict[str, Counter[str]] = {}
    for value in (value.strip() for each in values for value in each):
        spelled.setdefault(folded(value), Counter())[value] += 1
    names = (
        max(spelled[name].items(), key=lambda item: (item[1], item[0])) for name in found.names
    )
    return Labelled(tuple(name for name, _ in names), found.labels)
