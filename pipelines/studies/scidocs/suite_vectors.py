"""Where the vectors of an encoder come from: one file for all tasks, or SciDocs' three."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.eval.studies.scidocs.scidocs_layout import Group
from recsys.formats.embeddings import Embeddings, read_embeddings
from recsys.formats.embeddings.embedding_files import FORMATS
from recsys.progress import Progress
from recsys.records import PaperId

RANDOM_DIM, RANDOM_SPREAD = 200, 0.67
"""SciDocs' random vectors: length, and standard deviation of their numbers."""


@dataclass(frozen=True, slots=True)
class Source:
    """An encoder's vectors. files: of each group of tasks that there are any for."""

    name: str
    files: Mapping[Group, Path]

    def reader(self, progress: Progress) -> Callable[[Group], Embeddings | None]:
        """Return what reads the vectors of a group of tasks; None when there is no file for them.

        A file that serves several groups in a row is read once.
        """
        read = lru_cache(maxsize=1)(partial(read_embeddings, progress=progress))

        def vectors(group: Group) -> Embeddings | None:
            path = self.files.get(group)
            return None if path is None else read(path)

        return vectors


def sources(texts: Sequence[str]) -> list[Source]:
    """Find the files of encoders given as PATH or NAME=PATH; by default the path's name is theirs.

    Raises:
        InputError: a name is there twice, or a directory has none of SciDocs' files.
    """
    found: dict[str, Source] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        if not equals or Path(text).exists():  # A path may have a "=" in it.
            name, rest = _bare(Path(text)), text
        if name in found:
            raise InputError(f"Two encoders are called {name!r}.", "Write NAME=PATH.")
        found[name] = Source(name, _files(Path(rest)))
    return list(found.values())


def random_vectors(ids: Sequence[PaperId], rng: np.random.Generator) -> Embeddings:
    """Draw vectors as SciDocs does for its lower bound."""
    vectors = rng.normal(0, RANDOM_SPREAD, (len(ids), RANDOM_DIM))
    return Embeddings(tuple(ids), vectors.astype(np.float32))


def _files(path: Path) -> Mapping[Group, Path]:
    if not path.is_dir():
        return dict.fromkeys(Group, path)
    found = {
        group: file
        for group in Group
        for file in (path / f"{group}{ending}" for ending in FORMATS)
        if file.is_file()
    }
    if not found:
        names = ", ".join(f"{group}.jsonl" for group in Group)
        raise InputError(
            f"{path} is a directory without any of {names}.", "Give a file of embeddings."
        )
    return found


def _bare(path: Path) -> str:
    ending = next((each for each in FORMATS if path.name.endswith(each)), "")
    return path.name.removesuffix(ending) or path.name
