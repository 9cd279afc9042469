"""Commands on citing sentences: `add-contexts`, `train local` and `evaluate-local`."""

from pathlib import Path
from typing import Annotated

from recsys.app.cli.declarations import Option
from recsys.app.cli.local.contexts_choices import (
    AmongChoices,
    Contexts,
    DivisionChoices,
    LearningChoices,
    SentenceChoices,
)
from recsys.app.cli.options import ChangedIndex, Index, NoWait, Quiet


def add_contexts(
    index: ChangedIndex, contexts: Contexts, no_wait: NoWait = False, quiet: Quiet = False
) -> None:
    """Add citing sentences to an index: `recsys cite` then reads what papers were cited for.

    Sentences of papers that the index does not hold are left out, and counted. What was added
    before stays; a killed run continues where it stopped.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.pipelines.local.store_contexts import add_contexts as add

    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = add(index, contexts, wait=not no_wait, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


def train_local(
    index: ChangedIndex,
    contexts: Contexts,
    chosen: DivisionChoices,
    learning: LearningChoices,
    quiet: Quiet = False,
) -> None:
    """Train the index's own ranker of `recsys cite` on citing sentences.

    Each sentence is asked as its author might have, as of its own year: alone, with the draft's
    title, or with all else that the draft cites; with names and years in it or without. The index
    answers with the ranker from then on, instead of the one that comes with the package; with too
    few sentences, that one stays (exit code 3).
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.app.wiring import open_index
    from recsys.pipelines.local.context_sources import read_sentences
    from recsys.pipelines.local.train_local import LocalTraining
    from recsys.pipelines.local.train_local import train_local as train

    chosen.check()
    options = LocalTraining(learning.per_paper, learning.seed, not learning.no_wait)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        read = read_sentences(contexts, progress=progress)
        divide = chosen.division(read.contexts).parts
        report = train(index, divide, options, open_index=open_index, progress=progress)
    note("\n".join([*read.told, *report.lines()]), quiet=quiet)


def evaluate_local(
    index: Index,
    contexts: Contexts,
    out: Annotated[
        Path,
        Option("--out", metavar="DIR", show_default=False, help="Folder to write."),
    ],
    among: AmongChoices,
    asked: SentenceChoices,
    quiet: Quiet = False,
) -> None:
    """Evaluate which papers are found for citing sentences whose citation was taken away.

    Each sentence is asked as of the year of its paper. The folder is an evaluation: `recsys report`
    and `recsys compare` read it. A killed evaluation continues where it stopped. Models that have
    learned from the citing papers are refused.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.local_wiring import open_passages
    from recsys.app.output import note
    from recsys.indexes.opening import open_collection
    from recsys.pipelines.local.context_sources import read_sentences
    from recsys.pipelines.local.evaluate_local import evaluate_local as evaluate
    from recsys.store.generations import pin

    options = asked.options(among.span())
    with damage_named(index), pin(index) as base, shown_progress(quiet=quiet) as progress:
        read = read_sentences(contexts, progress=progress)
        found = among.queries(open_collection(base), read.contexts)
        report = evaluate(base, found, options, out, open_local=open_passages, progress=progress)
    note("\n".join([*read.told, *report.lines()]), quiet=quiet)
