"""Read the citing sentences of files for training and measuring; what is not read is counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from recsys.errors import InputError
from recsys.formats.contexts.context_reading import read_contexts
from recsys.formats.papers.external_ids import names_of
from recsys.formats.papers.json_records import tally
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.link_citations import link_to
from recsys.pipelines.corpora.paper_names import (
    NOBODY,
    PaperNames,
    all_names,
    cited_as,
    printed_place,
)
from recsys.pipelines.corpora.source_files import SourceFile, source_files
from recsys.pipelines.corpora.works import cited_rows
from recsys.progress import Progress, silent
from recsys.records import Reference
from recsys.store.arrays import Longs
from recsys.store.corpus import Corpus


@dataclass(frozen=True, slots=True)
class CitingSentences:
    """The contexts of some files, in their order, and what is to be told of these."""

    contexts: tuple[Context, ...]
    told: tuple[str, ...] = ()


def read_sentences(sources: Sequence[Path], *, progress: Progress = silent) -> CitingSentences:
    """Read files and folders, in formats that `recsys.formats.contexts` lists.

    Files of a folder that hold no contexts are passed over.

    Raises:
        CorpusError: a file cannot be read, or is of no known format.
        InputError: there is no context in any of them.
    """
    files = source_files(sources)
    contexts: list[Context] = []
    problems: Counter[str] = Counter()
    skipped: list[str] = []
    for file in files:
        before = len(contexts)
        try:
            for item in read_contexts(file.path, progress=progress):
                if isinstance(item, Problem):
                    problems[item.reason] += 1
                else:
                    contexts.append(item)
        except InputError as error:
            if file.named or len(contexts) > before:
                raise
            skipped.append(error.what)
    if not contexts:
        raise _nothing(files, problems, skipped)
    read = [f"Not read: {tally(problems)}."] if problems else []
    return CitingSentences(tuple(contexts), (*read, *(f"Passed over: {each}" for each in skipped)))


def _nothing(
    files: Iterable[SourceFile], problems: Counter[str], skipped: Sequence[str]
) -> InputError:
    names = ", ".join(file.path.name for file in files)
    told = tally(problems) or "; ".join(skipped) or "they are empty"
    return InputError(f"{names} hold no contexts: {told}.", "Give files of citing sentences.")


# Find the papers of a corpus that citing sentences mean, by name, else as `recsys build` does.


@dataclass(frozen=True, slots=True)
class ContextWorks:
    """The papers of a corpus, as the works of contexts are compared with them.

    papers: the columns that `link` reads. names: of all papers, each of one alone.
    """

    papers: pa.Table
    names: PaperNames

    @classmethod
    def of(cls, corpus: Corpus) -> "ContextWorks":
        """Gather the ids, DOIs and aliases of a corpus."""
        papers = KnownPapers(corpus).table()
        return cls(papers, PaperNames.of(*all_names(papers)))

    def rows(self, contexts: Sequence[Context]) -> tuple[Longs, Longs]:
        """Return the rows of (cited, citing) papers: (m,) int64 each, NOBODY for unknown ones."""
        works: dict[Reference | str, int] = {}
        places = np.array(
            [
                [works.setdefault(work, len(works)) for work in _works(context)]
                for context in contexts
            ],
            np.int64,
        ).reshape(len(contexts), 2)
        described = [Reference(id=each) if isinstance(each, str) else each for each in works]
        found = self._find(described)[places] if described else places
        return found[:, 0], found[:, 1]

    def _find(self, works: Sequence[Reference]) -> Longs:
        """Look works up by all their names, the surest first, and the rest by title."""
        rows = np.full(len(works), NOBODY, np.int64)
        names = [[*names_of(work), *_printed_as(work)] for work in works]
        for place in range(max(map(len, names))):
            left = [at for at, row in enumerate(rows) if row == NOBODY and len(names[at]) > place]
            wanted = pa.array([names[at][place] for at in left], pa.large_string())
            rows[left] = self.names.find(wanted)
        untold = [at for at, row in enumerate(rows) if row == NOBODY and works[at].title]
        if untold:
            # Each is what another cites, so that the columns tell which is which.
            cited = cited_rows(Reference(cites=(replace(works[at], cites=()),)) for at in untold)
            owners = cited.column("owner").to_numpy()
            rows[np.array(untold)[owners]] = link_to(cited, self.papers)
        return rows


def _works(context: Context) -> Iterator[Reference | str]:
    yield context.cited_work or context.cited
    yield context.citing_work or context.citing


def _printed_as(work: Reference) -> Iterator[str]:
    place = printed_place(work)
    if place and work.year is not None:
        yield cited_as(place, work.year)
