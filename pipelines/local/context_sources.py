"""Read the citing sentences of files for training and measuring; what is not read is counted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import InputError
from recsys.formats.contexts.context_reading import read_contexts
from recsys.formats.papers.paper_records import tally
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.pipelines.corpora.source_files import SourceFile, source_files
from recsys.progress import Progress, silent


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
