"""Commands that ask the queries of a split: `batch` writes a run, `evaluate` all that is told."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from recsys.app.cli.declarations import OneOf, Option, bad_value
from recsys.app.cli.options import (
    Candidates,
    EngineChoices,
    Index,
    Jobs,
    NoMetadata,
    OwnSplit,
    Part,
    Seed,
    Split,
    names_in,
)
from recsys.pipelines.evaluation.system_table import SYSTEMS

_NAMES = ", ".join(SYSTEMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchChoices:
    """What every query is asked."""

    run: Annotated[
        Path,
        Option("--run", metavar="FILE", show_default=False, help="TREC run file to write."),
    ]
    part: Annotated[Part, Option("--part", help="Which queries to answer.")] = "test"
    k: Annotated[int, Option("-k", min=1, help="Papers written per query.")] = 100
    system: Annotated[str, OneOf(SYSTEMS), Option("--system", help="What ranks the papers.")] = (
        "two-stage"
    )
    candidates: Candidates = None
    no_metadata: NoMetadata = False


def batch(
    index: Index,
    split: Split,
    asked: BatchChoices,
    sharing: EngineChoices,
    seed: Seed = 0,
    jobs: Jobs = None,
) -> None:
    """Answer every query of a split's part and write a TREC run file.

    Each query is answered as of its own year: nothing later is recommended or counted.
    """
    from recsys.app.answer_writing import check_target, note

    check_target(asked.run)
    from recsys.app.inspection import damage_named
    from recsys.app.wiring import open_index
    from recsys.pipelines.evaluation.batch import BatchOptions, run_batch

    options = partial(
        BatchOptions,
        part=asked.part,
        k=asked.k,
        system=asked.system,
        metadata=not asked.no_metadata,
        seed=seed,
        candidates=names_in(asked.candidates),
    )
    with damage_named(index), sharing.running(jobs=jobs) as (progress, engine):
        made = options(engine=engine)
        report = run_batch(index, split, made, asked.run, open_index=open_index, progress=progress)
    note("\n".join(report.lines()), quiet=sharing.quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskChoices:
    """Which systems are asked, what, and what is studied besides."""

    part: Annotated[Part, Option("--part", help="Which queries to ask.")] = "test"
    systems: Annotated[
        str,
        Option("--systems", metavar="NAMES", help=f"Some of {_NAMES}; commas between them."),
    ] = "bm25,embedding,stage-one,two-stage"
    run: Annotated[
        list[str] | None,
        Option(
            "--run",
            metavar="NAME=FILE",
            help="TREC run of a system from elsewhere, to compare with; may be repeated.",
        ),
    ] = None
    k: Annotated[int, Option("-k", min=1, help="Papers kept per query.")] = 100
    k_study: Annotated[
        bool, Option("--k-study", help="Try several numbers of neighbours, too.")
    ] = False
    self_citation: Annotated[
        bool,
        Option("--self-citation", help="Look where papers by the query's own authors stand, too."),
    ] = False
    seed_study: Annotated[
        bool,
        Option("--seed-study", help="See what half of the references, given, would add."),
    ] = False
    candidates: Candidates = None
    no_metadata: NoMetadata = False
    seed: Seed = 0
    jobs: Jobs = None


def evaluate(
    index: Index,
    out: Annotated[
        Path,
        Option("--out", metavar="DIR", show_default=False, help="Folder to write."),
    ],
    asked: AskChoices,
    sharing: EngineChoices,
    split: OwnSplit = None,
) -> None:
    """Evaluate systems on a split's part and write runs, judgements and figures into a folder.

    Each query is asked as of its own year. A killed evaluation continues where it stopped. What
    would reward a look into the future, or at the queries in training, is refused. Without --split,
    the split by which the index's own ranker learned is taken, else one is made by year.
    """
    from recsys.app.answer_writing import command_line, note
    from recsys.app.inspection import damage_named
    from recsys.app.wiring import open_index
    from recsys.pipelines.evaluation.evaluate import EvaluateOptions
    from recsys.pipelines.evaluation.evaluate import evaluate as ask

    options = partial(
        EvaluateOptions,
        part=asked.part,
        systems=names_in(asked.systems) or (),
        runs=_named_runs(asked.run or []),
        k=asked.k,
        seed=asked.seed,
        metadata=not asked.no_metadata,
        k_study=asked.k_study,
        self_citation=asked.self_citation,
        seed_study=asked.seed_study,
        candidates=names_in(asked.candidates),
        command=command_line(),
    )
    with damage_named(index), sharing.running(jobs=asked.jobs) as (progress, engine):
        made = options(engine=engine)
        report = ask(index, split, made, out, open_index=open_index, progress=progress)
    note("\n".join(report.lines()), quiet=sharing.quiet)


def _named_runs(texts: list[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not (name and path) or name in found:
            reason = "names a second run so" if name in found else "is not NAME=FILE"
            raise bad_value(f"{text!r} {reason}.", option="--run")
        found[name] = Path(path)
    return found
