"""Repeat the experiments of the table, and say which figures differ from what they gave before.

Every command runs as a process of its own, as a person would run it; the figures are computed from
the run files that it wrote, rounded to four decimals before F1 is taken of them.
"""

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.reproduction.experiment_table import EXPERIMENTS
from benchmarks.reproduction.experiments import TRAINED, Experiment
from recsys.errors import InputError, near_miss
from recsys.eval.measures import Judged, f1, flag, per_query
from recsys.eval.report.tables import Table, cells, text_table
from recsys.eval.trec import Qrels, Run, ordered, read_qrels, read_run
from recsys.pipelines.jobs.programs import recsys_program, run_program

Say = Callable[[str], None]
SCHEMA = "recsys.reproduction/1"
Experiments = Mapping[str, Experiment]


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


@dataclass(frozen=True, slots=True)
class Setup:
    """data: folder of corpora. work: folder to write. say: hears each command before it runs."""

    data: Path
    work: Path
    say: Say


def select(only: str | None, experiments: Experiments = EXPERIMENTS) -> dict[str, list[str]]:
    """Read `vis,archaeology/bm25` as {experiment: [systems]}; None: all that are not slow.

    Raises:
        InputError: there is no such row.
    """
    if only is None:
        return {name: [*each.systems] for name, each in experiments.items() if not each.slow}
    rows = [f"{name}/{system}" for name, each in experiments.items() for system in each.systems]
    chosen: set[str] = set()
    for word in (part.strip() for part in only.split(",")):
        matching = [row for row in rows if word in (row, row.partition("/")[0])]
        if not matching:
            raise InputError(
                f"There is no row {word!r}.{near_miss(word, [*rows, *experiments])}",
                "See `recsys reproduce --list`.",
            )
        chosen.update(matching)
    found = {
        name: [system for system in each.systems if f"{name}/{system}" in chosen]
        for name, each in experiments.items()
    }
    return {name: systems for name, systems in found.items() if systems}


def commands(name: str, experiment: Experiment, systems: Sequence[str]) -> list[str]:
    """List what to run for some of an experiment's systems, as a person types it."""
    training = experiment.training if TRAINED.intersection(systems) else ()
    alone = [system for system in systems if system in experiment.alone]
    named = ",".join(system for system in systems if system not in alone)
    runs = (f" --run {system}={{work}}/{name}-{system}.trec" for system in alone)
    evaluate = f"{experiment.evaluate} --systems {named or shlex.quote('')}{''.join(runs)}"
    return [*experiment.prepare, *training, *(experiment.alone[each] for each in alone), evaluate]


def reproduce(
    chosen: Mapping[str, Sequence[str]], setup: Setup, experiments: Experiments = EXPERIMENTS
) -> list[Outcome]:
    """Run the commands of the chosen rows and measure what they wrote.

    Raises:
        InputError: a corpus is missing below `setup.data`; nothing has run then.
        RecsysError: a command failed; what it had finished is kept.
    """
    for name in chosen:
        for corpus in experiments[name].corpora:
            _check_corpus(setup.data, corpus, experiments[name].files)
    setup.work.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for name, systems in chosen.items():
        experiment = experiments[name]
        for command in commands(name, experiment, systems):
            _run(command, setup)
        folder = setup.work / name
        qrels = read_qrels(folder / "qrels.txt")
        for system in systems:
            measured = figures(read_run(folder / "runs" / f"{system}.trec"), qrels)
            outcomes += compared(f"{name}/{system}", experiment, system, measured)
    return outcomes


def figures(run: Run, qrels: Qrels) -> dict[str, float]:
    """Measure a run to four decimals; F1 is taken of the rounded precision and recall."""
    judged = []
    for query, papers in qrels.items():
        gold = {paper for paper, relevance in papers.items() if relevance > 0}
        judged.append(Judged(flag(ordered(run.get(query, {})), gold), len(gold)))
    found = {name: round(float(np.mean(each)), 4) for name, each in per_query(judged).items()}
    return found | {"F1@20": round(float(f1(found["P@20"], found["R@20"])), 4)}


def compared(
    name: str, experiment: Experiment, system: str, measured: Mapping[str, float]
) -> list[Outcome]:
    """Set a row's measured figures beside the expected ones."""
    expected = experiment.systems[system]
    pairs = zip(experiment.measures, expected.figures, strict=True)
    return [
        Outcome(name, key, value, measured[key], expected.tolerance.of(key)) for key, value in pairs
    ]


def outcome_table(outcomes: Sequence[Outcome]) -> Table:
    """Show expected, measured and difference of every figure, and mark which differ."""
    wrong = sum(each.differs for each in outcomes)
    rows = tuple(
        cells(
            each.name,
            each.measure,
            f"{each.expected:.4f}",
            f"{each.measured:.4f}",
            f"{each.difference:+.4f}",
            f"{each.tolerance:.4f}",
            "differs" if each.differs else "",
        )
        for each in outcomes
    )
    header = ("row", "measure", "expected", "measured", "difference", "tolerance", "")
    caption = f"{wrong} of {len(outcomes)} figures differ."
    return Table("reproduction", caption, header, rows, left=2)


def listing() -> str:
    """Show the table: the commands of each experiment, and the figures of its rows."""
    parts = []
    for name, experiment in EXPERIMENTS.items():
        systems = experiment.systems
        table = Table(
            name,
            f"{name} (slow: runs only when it is named)" if experiment.slow else name,
            ("row", *experiment.measures, "tolerance", "of MRR"),
            tuple(
                cells(
                    f"{name}/{system}",
                    *(f"{figure:.4f}" for figure in expected.figures),
                    f"{expected.tolerance.other:.4f}",
                    f"{expected.tolerance.mrr:.4f}",
                )
                for system, expected in systems.items()
            ),
        )
        lines = [f"$ {line}" for line in commands(name, experiment, [*systems])]
        parts.append("\n".join([text_table(table), *lines]))
    return "\n\n".join(parts) + "\n"


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Write one JSON object of schema `recsys.reproduction/1`."""
    figures = [
        asdict(each) | {"difference": each.difference, "differs": each.differs} for each in outcomes
    ]
    return json.dumps({"schema": SCHEMA, "figures": figures}, indent=1) + "\n"


RENDERERS: Mapping[str, Callable[[Sequence[Outcome]], str]] = {
    "table": lambda outcomes: text_table(outcome_table(outcomes)),
    "json": as_json,
}


def _check_corpus(data: Path, corpus: str, files: Sequence[str]) -> None:
    for path in (data / corpus / name for name in files):
        if not path.is_file():
            known = [each.name for each in data.glob("*")] if data.is_dir() else []
            raise InputError(
                f"There is no file {path}.{near_miss(corpus, known)}",
                f"Check --data: it holds {' and '.join(f'NAME/{name}' for name in files)}.",
            )


def _run(command: str, setup: Setup) -> None:
    fill = partial(_filled, setup=setup)
    program, *rest = [fill(word) for word in shlex.split(command)]
    setup.say(f"$ {shlex.join([program, *rest])}")
    path = recsys_program() if program == "recsys" else Path(sys.executable)
    run_program([path, *rest])


def _filled(word: str, *, setup: Setup) -> str:
    return word.replace("{data}", str(setup.data)).replace("{work}", str(setup.work))
