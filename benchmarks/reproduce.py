"""Repeat the measurements of the documentation, and show which figures differ.

    python -m benchmarks.reproduce --data DIR --only vis/bm25,archaeology

`experiments.toml` has the experiments and what they gave before. Every command runs as a process of
its own, as a person would run it. Figures are computed from the run files that it wrote, rounded to
four decimals before F1 is taken of them. The exit code is 1 when one is further off than it may be.
"""

import json
import shlex
import sys
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from benchmarks.bench import Work, program, recsys_program, run_program
from benchmarks.result_tables import table
from docs.made.marked_pages import page_with, rewrite_block
from recsys.errors import InputError, check_name, near_miss
from recsys.eval.measures import Judged, f1, flag, per_query
from recsys.eval.recorded_runs import FACTS, RUNS, kind_of
from recsys.eval.report.evaluation_report import read_report
from recsys.eval.report.repeats import repeats, tables
from recsys.eval.report.system_tables import headline
from recsys.eval.report.tables import Table, markdown_table
from recsys.eval.run_figures import Assessment
from recsys.eval.trec import Qrels, Run, ordered, read_qrels, read_run

TABLE = Path(__file__).with_name("experiments.toml")
SCHEMA = "recsys.reproduction/1"
SUMS = ("random", "citations", "bm25-whoosh", "bm25")
"""Systems whose figures are sums alone, the same everywhere."""
TRAINED = ("two-stage", "nn")
"""How the names of systems begin that are trained on their corpus."""
DEFAULT = "two-stage-default"
"""What an index has that was built and trained without options, beside the best configuration."""
SHOWN = ("F1@20", "MRR", "nDCG@20", "R@100")
SHOWN_OF_SENTENCES = ("R@10", "MRR")
SHOWN_OF_SEEDS = ("F1@20", "MRR", "R@100")
"""Measures in the tables of docs/results."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """Commands that evaluate systems on one corpus: see the first lines of `experiments.toml`."""

    corpora: Sequence[str]
    prepare: Sequence[str]
    evaluate: str
    figures: Mapping[str, Sequence[float]]
    training: Sequence[str] = ()
    alone: Mapping[str, str] = field(default_factory=dict)
    slow: bool = False
    repeats: str = ""
    measures: Sequence[str] = ("F1@20", "MRR", "R@20", "R@100")
    block: str = "evaluation"
    files: Sequence[str] = ("papers.jsonl.gz", "split.json")

    @classmethod
    def read(cls, name: str, told: Mapping[str, Any]) -> "Experiment":
        """Read one, and fill in the values that its texts name in braces."""
        text = json.dumps(told)
        for word, value in [*told.items(), ("name", name)]:
            if isinstance(value, str):
                text = text.replace(f"{{{word}}}", value)
        filled = json.loads(text)
        return cls(**{each.name: filled[each.name] for each in fields(cls) if each.name in filled})


Experiments = Mapping[str, Experiment]


def read_experiments(path: Path) -> Experiments:
    """Read the table of experiments by name: each has what its kind says, but for what it says."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: Experiment.read(name, table["kinds"].get(own.get("kind"), {}) | own)
        for name, own in table["experiments"].items()
    }


EXPERIMENTS = read_experiments(TABLE)
"""A row is called EXPERIMENT/SYSTEM."""


def tolerance(system: str, measure: str) -> float:
    """Tell how far a figure may be off. One paper decides the MRR of a query, so it moves more."""
    if system in SUMS:
        return 0.0006 if measure == "MRR" else 0.0002
    # Another machine makes of one seed of Citeomatic's networks as different ones as another seed
    # does; on vis they moved by .0095 of F1@20 and .047 of MRR.
    if system.startswith("nn"):
        return 0.06 if measure == "MRR" else 0.01
    # What was trained, or runs in the processor's own arithmetic: two-stage on vis moves by .003 of
    # F1@20 and .017 of MRR between machines.
    return 0.018 if measure == "MRR" else 0.006


@dataclass(frozen=True, slots=True)
class Outcome:
    """One figure of one row. name: EXPERIMENT/SYSTEM."""

    name: str
    measure: str
    expected: float
    measured: float
    tolerance: float

    @property
    def difference(self) -> float:
        """Measured minus expected."""
        return round(self.measured - self.expected, 4)

    @property
    def differs(self) -> bool:
        """Tell whether the figure is further off than it may be."""
        return abs(self.difference) > self.tolerance


def select(only: str | None, experiments: Experiments = EXPERIMENTS) -> dict[str, list[str]]:
    """Read `vis,archaeology/bm25` as {experiment: [systems]}; None: all that are not slow.

    Raises:
        InputError: there is no such row.
    """
    if only is None:
        return {name: [*each.figures] for name, each in experiments.items() if not each.slow}
    words = [word.strip() for word in only.split(",")]
    rows = [f"{name}/{system}" for name, each in experiments.items() for system in each.figures]
    for word in words:
        check_name(word, [*rows, *experiments], "row")
    chosen = {
        name: [system for system in each.figures if {name, f"{name}/{system}"} & set(words)]
        for name, each in experiments.items()
    }
    return {name: systems for name, systems in chosen.items() if systems}


def commands(name: str, experiment: Experiment, systems: Sequence[str]) -> list[str]:
    """List what to run for some of an experiment's systems, as a person types it."""
    training = experiment.training if any(each.startswith(TRAINED) for each in systems) else ()
    alone = [system for system in systems if system in experiment.alone]
    named = ",".join(system for system in systems if system not in alone)
    runs = (f" --run {system}={{work}}/{name}-{system}.trec" for system in alone)
    evaluate = f"{experiment.evaluate} --systems {named or shlex.quote('')}{''.join(runs)}"
    return [*experiment.prepare, *training, *(experiment.alone[each] for each in alone), evaluate]


def reproduce(
    chosen: Mapping[str, Sequence[str]],
    *,
    data: Path,
    work: Path,
    quiet: bool = False,
    experiments: Experiments = EXPERIMENTS,
) -> list[Outcome]:
    """Run the commands of the chosen rows and measure what they wrote.

    Args:
        chosen: systems by experiment.
        data: folder of corpora.
        work: folder to write.
        quiet: do not show each command before it runs.
        experiments: the table.

    Raises:
        InputError: a corpus is missing below `data`; nothing has run then.
        RecsysError: a command failed; what it had finished is kept.
    """
    for name in chosen:
        experiment = experiments[name]
        for path in (data / c / file for c in experiment.corpora for file in experiment.files):
            if not path.is_file():
                near = near_miss(path.parent.name, [each.name for each in data.glob("*")])
                held = " and ".join(f"NAME/{file}" for file in experiment.files)
                raise InputError(
                    f"There is no file {path}.{near}", f"Check --data: it holds {held}."
                )
    work.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for name, systems in chosen.items():
        experiment = experiments[name]
        for command in commands(name, experiment, systems):
            program, *words = [
                word.replace("{data}", str(data)).replace("{work}", str(work))
                for word in shlex.split(command)
            ]
            if not quiet:
                sys.stderr.write(f"$ {shlex.join([program, *words])}\n")
            run_program([recsys_program() if program == "recsys" else sys.executable, *words])
        qrels = read_qrels(work / name / "qrels.txt")
        for system in systems:
            measured = figures(read_run(work / name / RUNS / f"{system}.trec"), qrels)
            outcomes += [
                Outcome(f"{name}/{system}", key, value, measured[key], tolerance(system, key))
                for key, value in zip(experiment.measures, experiment.figures[system], strict=True)
            ]
    return outcomes


def figures(run: Run, qrels: Qrels) -> dict[str, float]:
    """Measure a run to four decimals; F1 is taken of the rounded precision and recall."""
    judged = []
    for query, papers in qrels.items():
        gold = {paper for paper, relevance in papers.items() if relevance > 0}
        judged.append(Judged(flag(ordered(run.get(query, {})), gold), len(gold)))
    found = {name: round(float(np.mean(each)), 4) for name, each in per_query(judged).items()}
    return found | {"F1@20": round(float(f1(found["P@20"], found["R@20"])), 4)}


def as_table(outcomes: Sequence[Outcome]) -> str:
    """Show expected, measured and difference of every figure, and mark which differ."""
    rows = [
        (
            f"{each.name}, {each.measure}",
            *(f"{value:.4f}" for value in (each.expected, each.measured)),
            f"{each.difference:+.4f}",
            f"{each.tolerance:.4f}",
            "differs" if each.differs else "",
        )
        for each in outcomes
    ]
    header = ("row, measure", "expected", "measured", "difference", "tolerance", "")
    wrong = sum(each.differs for each in outcomes)
    return f"{wrong} of {len(outcomes)} figures differ.\n\n{table(header, rows)}\n"


def listing() -> str:
    """Show the table: the commands of each experiment, and the figures of its rows."""
    parts = []
    for name, experiment in EXPERIMENTS.items():
        rows = [
            (
                f"{name}/{system}",
                *(f"{figure:.4f}" for figure in expected),
                *(f"{tolerance(system, measure):.4f}" for measure in ("", "MRR")),
            )
            for system, expected in experiment.figures.items()
        ]
        parts += [
            f"{name} (slow: runs only when it is named)" if experiment.slow else name,
            table(("row", *experiment.measures, "tolerance", "of MRR"), rows),
            *(f"$ {line}" for line in commands(name, experiment, [*experiment.figures])),
            "",
        ]
    return "\n".join(parts)


def rewrite_pages(docs: Path, work: Path, chosen: Collection[str]) -> None:
    """Put the tables of the chosen experiments into their blocks in the pages of a folder.

    A block's other experiments stay in it, if `work` has what was measured of all their systems.

    Raises:
        InputError: no page has the marks of a block, or the seeds are not alike.
        ArtifactError: an evaluation is not whole.
    """
    for block in {EXPERIMENTS[name].block: None for name in chosen}:
        names = [
            name
            for name, each in EXPERIMENTS.items()
            if each.block == block
            and (
                name in chosen
                or all(
                    (work / name / file).is_file()
                    for file in (FACTS, *(f"{RUNS}/{system}.trec" for system in each.figures))
                )
            )
        ]
        written = BLOCKS[block]([work / name for name in names])
        # How to read them stands on the page, once.
        plain = (markdown_table(replace(each, notes="")) for each in written)
        rewrite_block(docs, block, "\n".join(plain))


def asked(found: Assessment) -> str:
    """Say what the systems of an evaluation were asked."""
    return f"{len(found.queries):,} {kind_of(found.facts).many}"


def with_columns(table: Table, names: Sequence[str]) -> Table:
    """Leave out the columns of a table that are figures of other names."""
    kept = [at for at, name in enumerate(table.header) if at < table.left or name in names]
    rows = tuple(tuple(row[at] for at in kept) for row in table.rows)
    return replace(table, header=tuple(table.header[at] for at in kept), rows=rows)


def evaluation_tables(evaluations: Sequence[Path]) -> list[Table]:
    """Show each evaluation."""
    found = [read_report(folder).assessment for folder in evaluations]
    return [
        replace(headline(each, SHOWN), caption=f"{folder.name}: {asked(each)}.")
        for folder, each in zip(evaluations, found, strict=True)
    ]


def sentence_tables(evaluations: Sequence[Path]) -> list[Table]:
    """Show each evaluation of sentences, and how far its probabilities are off."""
    shown = []
    for folder in evaluations:
        found = read_report(folder).assessment
        errors = (f"{name} {each.error:.3f}" for name, each in sorted(found.reliability.items()))
        caption = f"{folder.name}: {asked(found)}; calibration error: {', '.join(errors)}."
        shown.append(replace(headline(found, SHOWN_OF_SENTENCES), caption=caption))
    return shown


def seed_tables(evaluations: Sequence[Path], *, base: str | None = None) -> list[Table]:
    """Show means over the seeds of each corpus, and what is more than the base's."""
    groups: dict[str, list[Path]] = {}
    for folder in evaluations:
        groups.setdefault(EXPERIMENTS[folder.name].repeats, []).append(folder)
    return [
        replace(with_columns(shown, SHOWN_OF_SEEDS), caption=f"{corpus}: {shown.caption}")
        for corpus, folders in groups.items()
        for shown in tables(repeats(folders, base=base))
    ]


BLOCKS: Mapping[str, Callable[[Sequence[Path]], list[Table]]] = {
    "evaluation": evaluation_tables,
    "local": sentence_tables,
    "seeds": seed_tables,
    "best": partial(seed_tables, base=DEFAULT),
}
"""What the blocks of the results show of evaluations in these folders."""


def run(
    data: Path | None = None,
    only: str | None = None,
    work: Work = Path("reproduction"),
    docs: Path | None = None,
    listed: Annotated[bool, typer.Option("--list")] = False,
    output: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
    quiet: Annotated[bool, typer.Option("--quiet")] = False,
) -> None:
    """Repeat the measurements of the documentation, and show which figures differ.

    --data is a folder of NAME/papers.jsonl.gz and NAME/split.json. --only names rows or whole
    experiments with commas, `vis/bm25,archaeology`; without, all that are not slow run. --docs
    rewrites the tables in the pages of a folder, such as docs/results; those that --work holds from
    earlier stay. --list shows the table and runs nothing. --quiet does not show the commands.
    """
    if listed:
        sys.stdout.write(listing())
        return
    if data is None:
        raise typer.BadParameter("Give the folder of the corpora.", param_hint="--data")
    chosen = select(only)
    if docs is not None:
        for block in {EXPERIMENTS[name].block: None for name in chosen}:
            page_with(docs, block)  # Before hours of work.
    outcomes = reproduce(chosen, data=data, work=work, quiet=quiet)
    if output == "json":
        told = [
            asdict(each) | {"difference": each.difference, "differs": each.differs}
            for each in outcomes
        ]
        sys.stdout.write(json.dumps({"schema": SCHEMA, "figures": told}, indent=1) + "\n")
    else:
        sys.stdout.write(as_table(outcomes))
    if docs is not None:
        rewrite_pages(docs, work, chosen)
    if any(each.differs for each in outcomes):
        raise typer.Exit(1)


main = program("benchmarks.reproduce", run)
if __name__ == "__main__":
    sys.exit(main())
