"""Repeat the experiments of the table, and say which figures differ from what they gave before.

Every command runs as a process of its own, as a person would run it; the figures are computed from
the run files that it wrote, rounded to four decimals before F1 is taken of them.
"""

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from eval.measures import Judged, f1, flag, per_query
from eval.report.evaluation_report import read_report
from eval.report.marked_pages import check_page, rewrite_page
from eval.report.repeats import repeats, table
from eval.report.system_tables import headline, slices
from eval.report.tables import Table, cells, markdown_table, text_table
from eval.trec import Qrels, Run, ordered, read_qrels, read_run
from pipelines.benchmarks.reproduce_table import (
    EVALUATION,
    EXPERIMENTS,
    LOCAL_PAGE,
    LOOSER,
    SEEDS_PAGE,
    TRAINED,
    Experiment,
)
from pipelines.jobs.programs import recsys_program, run_program
from recsys.errors import InputError, near_miss

Say = Callable[[str], None]
SCHEMA = "recsys.reproduction/1"
SHOWN = ("F1@20", "query F1@20", "MRR", "nDCG@20", "R@20", "R@100", "candidate recall")
"""Measures in the tables of docs/results."""
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
        Outcome(name, key, value, measured[key], expected.tolerance * LOOSER.get(key, 1))
        for key, value in pairs
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
            ("row", *experiment.measures, "tolerance"),
            tuple(
                cells(
                    f"{name}/{system}",
                    *(f"{figure:.4f}" for figure in expected.figures),
                    f"{expected.tolerance:.4f}",
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


def check_pages(docs: Path, chosen: Iterable[str]) -> None:
    """Refuse a folder of results that cannot take the tables, before hours of work.

    Raises:
        InputError: a page is missing, or it lacks the marks.
    """
    for name in sorted({EXPERIMENTS[name].page for name in chosen}):
        check_page(docs, name)


def rewrite_pages(docs: Path, work: Path, chosen: Iterable[str]) -> None:
    """Put the tables of the chosen experiments into their pages of a folder.

    Raises:
        InputError: a page is missing or lacks the marks, or the seeds are not alike.
        ArtifactError: an evaluation is not whole.
    """
    pages: dict[str, list[str]] = {}
    for name in chosen:
        pages.setdefault(EXPERIMENTS[name].page, []).append(name)
    for page, names in pages.items():
        rewrite_page(docs, page, _TABLES[page](work, names))


def evaluation_tables(evaluations: Sequence[Path]) -> str:
    """Write the table of each evaluation."""
    tables = []
    for folder in evaluations:
        report = read_report(folder)
        found = headline(report.assessment, SHOWN)
        tables.append(markdown_table(replace(found, caption=f"{report.title}. {report.lead}")))
    return "\n".join(tables)


def sentence_tables(evaluations: Sequence[Path]) -> str:
    """Write the table of each evaluation of sentences, and of those that name somebody or not."""
    tables = []
    for folder in evaluations:
        report = read_report(folder)
        found = report.assessment
        errors = (f"{name} {each.error:.4f}" for name, each in sorted(found.reliability.items()))
        lead = f"{folder.name}: {report.lead} Expected calibration error: {', '.join(errors)}."
        tables.append(markdown_table(replace(headline(found), caption=lead)))
        tables += [markdown_table(each) for each in slices(found) if each.name == "slice-names"]
    return "\n".join(tables)


def seed_tables(groups: Mapping[str, Sequence[Path]]) -> str:
    """Write a table of means over seeds for each corpus."""
    tables = []
    for corpus, folders in groups.items():
        shown = table(repeats(folders))
        tables.append(markdown_table(replace(shown, caption=f"{corpus}: {shown.caption}")))
    return "\n".join(tables)


def _seeded(work: Path, names: Sequence[str]) -> str:
    groups: dict[str, list[Path]] = {}
    for name in names:
        groups.setdefault(EXPERIMENTS[name].repeats, []).append(work / name)
    return seed_tables(groups)


_TABLES: Mapping[str, Callable[[Path, Sequence[str]], str]] = {
    EVALUATION: lambda work, names: evaluation_tables([work / name for name in names]),
    SEEDS_PAGE: _seeded,
    LOCAL_PAGE: lambda work, names: sentence_tables([work / name for name in names]),
}
"""What a page shows of experiments of these names."""


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
