"""Commands on citing sentences: add them, train on them, and evaluate with them.

Args:
    contexts: Files and folders of citing sentences: JSON Lines with citing, cited and text, or any
        other format listed in the guide.
    split: JSON file with the ids of the citing papers of train, dev and test.
    per_paper: Maximum number of sentences per citing paper.
"""

import re
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.cli.options import (
    AtLeastOne,
    ChangedIndex,
    Folder,
    Index,
    Jobs,
    OwnSplit,
    Part,
    Seed,
    bad_value,
    names_in,
    shown_work,
    tell,
)
from recsys.app.terminal import command_line, emit

Known: TypeAlias = Literal["sentence", "title", "references"]
Reading: TypeAlias = Literal["all", "hidden", "only"]
"""The values of `ContextUse`."""
SYSTEMS = (
    *("bm25", "embedding", "hybrid", "two-stage", "profile"),
    *("local", "local-unnamed"),
)
"""The names of `evaluate_local.LOCAL_SYSTEMS`, which takes long to import."""
EVERY_YEAR = (0, 9999)

Contexts: TypeAlias = Annotated[list[Path], Argument(metavar="CONTEXTS...")]


def add_contexts(
    index: ChangedIndex, contexts: Contexts, no_wait: bool = False, quiet: bool = False
) -> None:
    """Add citing sentences to an index, for use by `recsys cite`.

    They tell what each paper was cited for. Sentences about papers outside the index are skipped
    and counted. Sentences added earlier stay. If interrupted, run the same command again to
    continue.
    """
    from recsys.pipelines.local.store_contexts import add_contexts as add

    with shown_work(index, quiet=quiet) as progress:
        report = add(index, contexts, wait=not no_wait, progress=progress)
    tell(report.lines(), quiet=quiet)


def train_local(
    index: ChangedIndex,
    contexts: Contexts,
    *,
    split: OwnSplit = None,
    train_until: Annotated[int | None, Option(metavar="YEAR")] = None,
    dev_until: Annotated[int | None, Option(metavar="YEAR")] = None,
    per_paper: AtLeastOne = 2,
    seed: Seed = 0,
    no_wait: bool = False,
    quiet: bool = False,
) -> None:
    """Train an index's own ranker of `recsys cite`.

    It learns from citing sentences, each asked as of its own year as an author might: alone, with
    the draft's title, or with everything else that the draft cites; with and without names and
    years. The index then answers with it instead of the shipped ranker. With too few sentences, the
    shipped one stays (exit code 3).

    Args:
        train_until: Last year of the citing papers to train on. Without years and without --split,
            the newest fifth of the sentences is for test and the tenth before it for dev. Default:
            by the number of sentences.
        dev_until: Last year of the citing papers for early stopping and calibration; later ones are
            for test. Default: by the number of sentences.
    """
    from recsys.app.wiring import open_index
    from recsys.pipelines.local.store_contexts import read_sentences
    from recsys.pipelines.local.train_local import Division, LocalTraining
    from recsys.pipelines.local.train_local import train_local as train

    until = _years_until(train_until, dev_until, split)
    options = LocalTraining(per_paper, seed, not no_wait)
    with shown_work(index, quiet=quiet) as progress:
        read = read_sentences(contexts, progress=progress)
        divide = Division(read.contexts, split, until).parts
        report = train(index, divide, options, open_index=open_index, progress=progress)
    tell([*read.told, *report.lines()], quiet=quiet)


def evaluate_local(
    index: Index,
    contexts: Contexts,
    out: Folder,
    *,
    years: Annotated[str | None, Option(metavar="FIRST-LAST")] = None,
    split: OwnSplit = None,
    part: Part = "test",
    systems: Annotated[
        str, Option(metavar="NAMES", help=f"Any of {', '.join(SYSTEMS)}; separated by commas.")
    ] = "bm25,embedding,hybrid,two-stage,profile,local",
    known: Known = "references",
    masked: Annotated[bool, Option("--masked/--raw")] = True,
    contexts_read: Annotated[Reading, Option("--contexts")] = "all",
    per_paper: AtLeastOne = 1,
    k: Annotated[int, Option("-k", min=1)] = 100,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: bool = False,
) -> None:
    """Measure how well citing sentences get their citation back.

    The citation is removed and each sentence asked as of the year of its paper. The folder is an
    evaluation for `recsys report` and `recsys compare`. Models trained on the citing papers are
    refused. If interrupted, run the same command again to continue.

    Args:
        years: Years of the citing papers, such as 2011-2012 or 2012. Default: all.
        part: Part of the split whose papers are asked.
        known: What is known beside the sentence: nothing, the draft's title, or its title, abstract
            and other references.
        masked: Remove names and years from the sentences, or ask them as printed.
        contexts_read: Citing sentences of the index that are used: all, none, or all with only the
            papers they cite as candidates. If few papers have any, having some gives a paper away.
        k: Number of papers per sentence.
    """
    from recsys.app.wiring import open_passages
    from recsys.indexes.opening import open_collection
    from recsys.local.passage import ContextUse
    from recsys.pipelines.local.evaluate_local import LocalEvaluation
    from recsys.pipelines.local.evaluate_local import evaluate_local as evaluate
    from recsys.pipelines.local.local_queries import local_queries
    from recsys.pipelines.local.store_contexts import read_sentences
    from recsys.pipelines.local.train_local import of_part
    from recsys.store.generations import pin

    options = LocalEvaluation(
        systems=names_in(systems) or (), known=known, masked=masked,
        contexts=ContextUse(contexts_read), per_paper=per_paper, years=_years_in(years), k=k,
        seed=seed, jobs=jobs, command=command_line(),
    )  # fmt: skip
    with shown_work(index, quiet=quiet) as progress, pin(index) as base:
        read = read_sentences(contexts, progress=progress)
        collection = open_collection(base)
        queries = local_queries(collection, read.contexts)
        if split is not None:
            queries = of_part(queries, collection, split, part)
        report = evaluate(base, queries, options, out, open_local=open_passages, progress=progress)
    emit(report.table())
    tell([*read.told, *report.lines()], quiet=quiet)


def _years_until(train: int | None, dev: int | None, split: Path | None) -> tuple[int, int] | None:
    """Check the last years of train and dev; None where neither is given.

    Raises:
        UsageError: one year without the other, in the wrong order, or beside a split.
    """
    if train is None and dev is None:
        return None
    if split is not None:
        raise bad_value("Give years or a split, not both.", option="--split")
    if train is None or dev is None:
        missing = "--train-until" if train is None else "--dev-until"
        raise bad_value("Give both years, or none.", option=missing)
    if train >= dev:
        raise bad_value(f"{dev} is not after {train}.", option="--dev-until")
    return train, dev


def _years_in(text: str | None) -> tuple[int, int]:
    """Read the first and the last year of citing papers; None: every year.

    Raises:
        UsageError: they are none, or the last is before the first.
    """
    if text is None:
        return EVERY_YEAR
    found = re.fullmatch(r"\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?", text)
    if found is None:
        raise bad_value(f"{text!r} is not FIRST-LAST, such as 2011-2012.", option="--years")
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise bad_value(f"{last} is before {first}.", option="--years")
    return first, last
