"""Commands on citing sentences: `add-contexts`, `train local` and `evaluate-local`."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Argument, Option, bad_value
from recsys.app.cli.options import ChangedIndex, Index, Jobs, NoWait, Part, Quiet, Seed, names_in

if TYPE_CHECKING:
    from recsys.passages import Context
    from recsys.pipelines.local.evaluate_local import LocalEvaluation
    from recsys.pipelines.local.local_queries import LocalQueries
    from recsys.pipelines.local.sentence_parts import Division
    from recsys.store.collection import Collection


# The options that files of citing sentences have in common, and how these are divided.

Known: TypeAlias = Literal["sentence", "title", "references"]
Reading: TypeAlias = Literal["all", "hidden", "only"]
"""The values of `ContextUse`."""
SYSTEMS = ("bm25", "embedding", "hybrid", "two-stage", "profile", "local", "local-unnamed")
"""The names of `local_systems.LOCAL_SYSTEMS`, which takes long to import."""
EVERY_YEAR = (0, 9999)

Contexts: TypeAlias = Annotated[
    list[Path],
    Argument(
        metavar="CONTEXTS...",
        show_default=False,
        help="Files and folders of citing sentences: lines of JSON with citing, cited and text, or "
        "any other format that the guide lists.",
    ),
]
SentenceSplit: TypeAlias = Annotated[
    Path | None,
    Option(
        "--split",
        metavar="FILE",
        show_default=False,
        help="JSON file with the ids of the citing papers of train, dev and test.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DivisionChoices:
    """By which sentences a ranker learns: those of a split's papers, or of some years."""

    split: SentenceSplit = None
    train_until: Annotated[
        int | None,
        Option(
            "--train-until",
            metavar="YEAR",
            show_default="by the number of sentences",
            help="Last year of the citing papers to train on. Without years and without --split, "
            "the newest fifth of the sentences is left for test, and a tenth before for dev.",
        ),
    ] = None
    dev_until: Annotated[
        int | None,
        Option(
            "--dev-until",
            metavar="YEAR",
            show_default="by the number of sentences",
            help="Last year of the citing papers to stop and calibrate on; those after it are for "
            "test.",
        ),
    ] = None

    def check(self) -> None:
        """Refuse years that say nothing.

        Raises:
            UsageError: one year without the other, in the wrong order, or beside a split.
        """
        until = self.train_until, self.dev_until
        if until == (None, None):
            return
        if self.split is not None:
            raise bad_value("Give years or a split, not both.", option="--split")
        if self.train_until is None or self.dev_until is None:
            missing = "--train-until" if self.train_until is None else "--dev-until"
            raise bad_value("Give both years, or none.", option=missing)
        if self.train_until >= self.dev_until:
            raise bad_value(
                f"{self.dev_until} is not after {self.train_until}.", option="--dev-until"
            )

    def division(self, contexts: "tuple[Context, ...]") -> "Division":
        """Say it to the training."""
        from recsys.pipelines.local.sentence_parts import Division

        if self.train_until is None or self.dev_until is None:
            return Division(contexts, self.split)
        return Division(contexts, until=(self.train_until, self.dev_until))


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningChoices:
    """How a ranker learns from the sentences that were chosen."""

    per_paper: Annotated[
        int, Option("--per-paper", min=1, help="Sentences of each citing paper at most.")
    ] = 2
    seed: Seed = 0
    no_wait: NoWait = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AmongChoices:
    """Which of the sentences are asked."""

    years: Annotated[
        str | None,
        Option(
            "--years",
            metavar="FIRST-LAST",
            show_default="all",
            help="Years of the citing papers, such as 2011-2012 or 2012.",
        ),
    ] = None
    split: SentenceSplit = None
    part: Annotated[
        Part, Option("--part", help="Which papers of the split: those of its part.")
    ] = "test"

    def span(self) -> tuple[int, int]:
        """Read the years.

        Raises:
            UsageError: they are none, or the last is before the first.
        """
        if self.years is None:
            return EVERY_YEAR
        found = re.fullmatch(r"\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?", self.years)
        if found is None:
            raise bad_value(
                f"{self.years!r} is not FIRST-LAST, such as 2011-2012.", option="--years"
            )
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise bad_value(f"{last} is before {first}.", option="--years")
        return first, last

    def queries(self, collection: "Collection", contexts: "tuple[Context, ...]") -> "LocalQueries":
        """Make queries of contexts, those of the split's papers if there is one.

        Raises:
            InputError: no context is of papers of the corpus, or none of the split's.
        """
        from recsys.pipelines.local.local_queries import local_queries
        from recsys.pipelines.local.sentence_parts import of_part

        found = local_queries(collection, contexts)
        return found if self.split is None else of_part(found, collection, self.split, self.part)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceChoices:
    """Which systems are asked a sentence, and what they know beside it."""

    systems: Annotated[
        str,
        Option(
            "--systems",
            metavar="NAMES",
            help=f"Some of {', '.join(SYSTEMS)}; commas between them.",
        ),
    ] = "bm25,embedding,hybrid,two-stage,profile,local"
    known: Annotated[
        Known,
        Option(
            "--known",
            help="What is known beside the sentence: nothing, the draft's title, or its title, "
            "abstract and other references.",
        ),
    ] = "references"
    masked: Annotated[
        bool,
        Option(
            "--masked/--raw",
            help="Take names and years out of the sentences, or ask them as printed.",
        ),
    ] = True
    contexts_read: Annotated[
        Reading,
        Option(
            "--contexts",
            help="Which citing sentences of the index are read: all, none, or all with only the "
            "papers that they cite to choose from. Where few papers have any, to have some gives "
            "a paper away.",
        ),
    ] = "all"
    per_paper: Annotated[
        int, Option("--per-paper", min=1, help="Sentences of each citing paper at most.")
    ] = 1
    k: Annotated[int, Option("-k", min=1, help="Papers kept per sentence.")] = 100
    seed: Seed = 0
    jobs: Jobs = None

    def options(self, years: tuple[int, int]) -> "LocalEvaluation":
        """Say it to the evaluation."""
        from recsys.app.answer_writing import command_line
        from recsys.local.context_view import ContextUse
        from recsys.pipelines.local.evaluate_local import LocalEvaluation

        return LocalEvaluation(
            systems=names_in(self.systems) or (),
            known=self.known,
            masked=self.masked,
            contexts=ContextUse(self.contexts_read),
            per_paper=self.per_paper,
            years=years,
            k=self.k,
            seed=self.seed,
            jobs=self.jobs,
            command=command_line(),
        )


def add_contexts(
    index: ChangedIndex, contexts: Contexts, no_wait: NoWait = False, quiet: Quiet = False
) -> None:
    """Add citing sentences to an index: `recsys cite` then reads what papers were cited for.

    Sentences of papers that the index does not hold are left out, and counted. What was added
    before stays; a killed run continues where it stopped.
    """
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
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
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
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
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.local_wiring import open_passages
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
