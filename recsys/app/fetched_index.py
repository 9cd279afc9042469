"""Answer a draft out of what is around it: fetched once, built once, kept in the user's cache."""

import contextlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.app.fetch_wiring import fetching
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.online.fetch_plan import PAPERS, FetchQuestion, asked_of_draft
from recsys.progress import Progress
from recsys.records import Manuscript
from recsys.store.generations import is_index

SOURCES = ("openalex",)
_FOLDER, _CORPUS, _INDEX = "fetched", "papers.jsonl.gz", "index"


@dataclass(frozen=True, slots=True)
class Teller:
    """agree: is shown the plan, and raises where it is not agreed to. tell: of what was fetched."""

    agree: Callable[[Iterable[str]], None]
    tell: Callable[[str], None]


def fetched_index(
    draft: Manuscript,
    as_of: int | None,
    teller: Teller,
    shown: Callable[[], AbstractContextManager[Progress]],
) -> Path:
    """Return an index of the papers around a draft, fetching and building what is not there.

    Args:
        draft: whose surroundings are fetched.
        as_of: nothing newer is; None: the draft's own moment.
        teller: asks and tells.
        shown: shows the progress of what takes long, after the plan was agreed to.

    Raises:
        InputError: the plan was not agreed to.
        OnlineError: a source fails; the same call continues.
    """
    question = asked_of_draft(draft, SOURCES, PAPERS)
    question = question if as_of is None else replace(question, as_of=as_of)
    folder = _folder_of(question)
    corpus, index = folder / _CORPUS, folder / _INDEX
    if is_index(index):
        return index
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # It tells of a draft.
    with fetching(question, corpus, None) as errand:
        if errand is not None:
            teller.agree(errand.lines())
            with shown() as progress:
                report = errand.carry_out(progress)
            teller.tell("\n".join(report.lines()))
    with shown() as progress:
        build([corpus], index, BuildOptions(wait=True), cache=cache_folder(), progress=progress)
    return index


def _folder_of(question: FetchQuestion) -> Path:
    folder = cache_folder() / _FOLDER
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True, mode=0o700)
    return folder / question.fingerprint
