"""Put the tables of repeated experiments into the pages of the results."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.reproduction.experiment_table import EXPERIMENTS
from benchmarks.reproduction.experiments import (
    BEST_PAGE,
    DEFAULT,
    EVALUATION,
    LOCAL_PAGE,
    SEEDS_PAGE,
    Experiment,
)
from recsys.eval.recorded_runs import FACTS, RUNS
from recsys.eval.report.evaluation_report import read_report
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.eval.report.repeats import repeats, tables
from recsys.eval.report.system_tables import headline, slices
from recsys.eval.report.tables import markdown_table

SHOWN = ("F1@20", "query F1@20", "MRR", "nDCG@20", "R@20", "R@100", "candidate recall")
"""Measures in the tables of docs/results."""


def check_pages(docs: Path, chosen: Collection[str]) -> None:
    """Refuse a folder of results that cannot take the tables, before hours of work.

    Raises:
        InputError: a page is missing, or it lacks the marks.
    """
    for name in sorted({EXPERIMENTS[name].page for name in chosen}):
        check_page(docs, name)


def rewrite_pages(docs: Path, work: Path, chosen: Collection[str]) -> None:
    """Put the tables of the chosen experiments into their pages of a folder.

    The page's other experiments stay on it, if `work` has what was measured of all their systems.

    Raises:
        InputError: a page is missing or lacks the marks, or the seeds are not alike.
        ArtifactError: an evaluation is not whole.
    """
    for page in {EXPERIMENTS[name].page: None for name in chosen}:
        names = [
            name
            for name, each in EXPERIMENTS.items()
            if each.page == page and (name in chosen or _measured(work / name, each))
        ]
        rewrite_page(docs, page, _TABLES[page](work, names))


def _measured(folder: Path, experiment: Experiment) -> bool:
    runs = (folder / RUNS / f"{system}.trec" for system in experiment.systems)
    return (folder / FACTS).is_file() and all(run.is_file() for run in runs)


def evaluation_tables(evaluations: Sequence[Path]) -> str:
    """Write the table of each evaluation."""
    written = []
    for folder in evaluations:
        report = read_report(folder)
        found = headline(report.assessment, SHOWN)
        written.append(markdown_table(replace(found, caption=f"{report.title}. {report.lead}")))
    return "\n".join(written)


def sentence_tables(evaluations: Sequence[Path]) -> str:
    """Write the table of each evaluation of sentences, and of those that name somebody or not."""
    written = []
    for folder in evaluations:
        report = read_report(folder)
        found = report.assessment
        errors = (f"{name} {each.error:.4f}" for name, each in sorted(found.reliability.items()))
        lead = f"{folder.name}: {report.lead} Expected calibration error: {', '.join(errors)}."
        written.append(markdown_table(replace(headline(found), caption=lead)))
        written += [markdown_table(each) for each in slices(found) if each.name == "slice-names"]
    return "\n".join(written)


def seed_tables(groups: Mapping[str, Sequence[Path]], *, base: str | None = None) -> str:
    """Write tables of means over seeds for each corpus, and of what is more than the base's."""
    return "\n".join(
        markdown_table(replace(shown, caption=f"{corpus}: {shown.caption}"))
        for corpus, folders in groups.items()
        for shown in tables(repeats(folders, base=base))
    )


def _seeded(work: Path, names: Sequence[str], *, base: str | None = None) -> str:
    groups: dict[str, list[Path]] = {}
    for name in names:
        groups.setdefault(EXPERIMENTS[name].repeats, []).append(work / name)
    return seed_tables(groups, base=base)


_TABLES: Mapping[str, Callable[[Path, Sequence[str]], str]] = {
    EVALUATION: lambda work, names: evaluation_tables([work / name for name in names]),
    SEEDS_PAGE: _seeded,
    BEST_PAGE: partial(_seeded, base=DEFAULT),
    LOCAL_PAGE: lambda work, names: sentence_tables([work / name for name in names]),
}
"""What a page shows of experiments of these names."""
