"""The page of the probes, and the folder that it is written into."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.eval.report.evaluation_pictures import picture
from recsys.eval.report.page import Page, Section
from recsys.eval.report.system_tables import SURE, system_letters
from recsys.eval.report.tables import Cell, Table, best_marked, cells, interval_cell, p_text
from recsys.eval.studies.probes.linear import FOLDS
from recsys.eval.studies.probes.maps import (
    NEIGHBOURS,
    SHOWN,
    STARTS,
    map_pictures,
    write_with_maps,
)
from recsys.eval.studies.probes.probe_results import (
    ALL,
    Group,
    GroupResult,
    ProbeResult,
    as_figures,
    told_lines,
)

SCHEMA = "recsys.probes/1"


def probe_page(found: ProbeResult, facts: Mapping[str, str]) -> Page:
    """Show every embedding by every probe.

    Args:
        found: what the probes found out.
        facts: what it takes to make it again.
    """
    count = f"{len(found.embeddings)} embedding{'s' if len(found.embeddings) > 1 else ''}"
    return Page(
        title=f"Probes of embeddings by {found.label}",
        lead=f"{count} of {found.source}. {' '.join(found.notes)}".strip(),
        sections=tuple(each for each in _sections(found) if each.tables or each.pictures),
        facts=(*facts.items(), ("scikit-learn", version("scikit-learn"))),
        schema=SCHEMA,
        figures=as_figures(found),
        draw=lambda: map_pictures(found.maps()),
    )


def _sections(found: ProbeResult) -> Iterator[Section]:
    text = "How well does a linear model tell a paper's class from its vector?"
    tables = [table for each in found.groups for table in _linear(each)]
    yield Section("linear", "Linear evaluation", text, tuple(tables), open=len(tables))
    text = "Are clusters of one class, and are the papers of a class in one cluster?"
    tables = [_clusters(each) for each in found.groups if each.purity]
    yield Section("clusters", "Clusters", text, tuple(tables), open=len(tables))
    text = "Do the vectors of papers that share a class correlate more than others?"
    tables = [_pairs(each) for each in found.groups if each.pairs]
    yield Section("pairs", "Pairs", text, tuple(tables), open=len(tables))
    text = (
        f"t-SNE; near points are similar papers, far distances mean little. The {SHOWN} most "
        "frequent classes have colours, and a number where they are densest."
    )
    yield Section("maps", "Maps", text, (), tuple(found.maps()))
    text = "A paper with several classes counts for the rarest of them; among pairs, for all."
    listed = []
    for group in (each.group for each in found.groups):
        sizes = sorted(zip(group.counts().tolist(), group.names, strict=True), key=lambda x: -x[0])
        rows = tuple(cells(name, f"{count:,}") for count, name in sizes)
        caption = f"{_where(group)}."
        listed.append(Table(f"classes-{group.name}", caption, ("class", "papers"), rows))
    yield Section("classes", "Classes", text, tuple(listed), open=0)


def _where(group: Group) -> str:
    kind = "" if group.name == ALL else f"{group.name} "
    return f"{len(group.ids):,} papers of {len(group.names):,} {kind}classes"


def _linear(found: GroupResult) -> Iterator[Table]:
    if not found.linear:
        return
    letters = system_letters(list(found.linear))
    beaten: dict[str, list[str]] = {name: [] for name in found.linear}
    for each in found.contrasts:
        if each.p < SURE:
            better = each.accuracy.value > 0
            winner, loser = (each.one, each.other) if better else (each.other, each.one)
            beaten[winner].append(letters[loser])
    rows = [
        cells(
            letters[name],
            name,
            _spread(linear.accuracy, "".join(sorted(beaten[name]))),
            _spread(linear.macro_f1),
        )
        for name, linear in found.linear.items()
    ]
    # Who always tells the most frequent class has an F1 of 2p / (1 + p) for it.
    share = float(found.group.counts().max() / len(found.group.ids))
    macro = 2 * share / (1 + share) / len(found.group.names)
    rows.append(cells("", "most frequent class", f"{share:.3f}", f"{macro:.3f}"))
    runs = len(next(iter(found.linear.values())).told)
    over = f"{FOLDS} folds" if runs == 1 else f"{FOLDS} folds in each of {runs} runs"
    notes = (
        f"Mean and standard deviation over {over} of multinomial logistic regression on "
        "standardised vectors."
    )
    if found.contrasts:
        notes += (
            " Letters mark the embeddings that an embedding beats: paired randomisation test over "
            f"papers, Holm-corrected, p < {SURE}."
        )
    yield Table(
        f"linear-{found.group.name}",
        f"Linear evaluation: {_where(found.group)}.",
        ("", "embedding", "accuracy", "macro F1"),
        best_marked(rows, first=2, rivals=[*(True for _ in found.linear), False]),
        2,
        notes,
    )
    if found.contrasts:
        yield _contrasts(found)


def _spread(values: tuple[float, ...], marks: str = "") -> Cell:
    return Cell(f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}", marks=marks)


def _contrasts(found: GroupResult) -> Table:
    rows = tuple(
        cells(
            each.one,
            each.other,
            interval_cell(each.accuracy, signed=True),
            interval_cell(each.macro_f1, signed=True),
            p_text(each.p),
        )
        for each in found.contrasts
    )
    return Table(
        f"contrasts-{found.group.name}",
        f"Differences in linear evaluation: {_where(found.group)}.",
        ("embedding", "minus", "accuracy", "macro F1", "p"),
        rows,
        2,
        "With 95 % bootstrap intervals over papers; macro F1 of all papers at once. p: of the "
        "difference in accuracy, paired randomisation test, Holm-corrected.",
    )


def _clusters(found: GroupResult) -> Table:
    sizes = list(next(iter(found.purity.values())))
    figures = [
        cells(
            name,
            *(each[size].interval for size in sizes),
            *(f"{value:.3f}" for value in (dense.homogeneity, dense.completeness)),
        )
        for (name, each), dense in zip(found.purity.items(), found.dense.values(), strict=True)
    ]
    mapped = next(iter(found.dense.values())).papers
    marked = best_marked(figures, first=1, rivals=[True] * len(figures))
    counts = (cells(f"{each.clusters:,}", f"{each.outside:.3f}") for each in found.dense.values())
    rows = tuple((*row, *count) for row, count in zip(marked, counts, strict=True))
    return Table(
        f"clusters-{found.group.name}",
        f"Clusters: {_where(found.group)}.",
        (
            "embedding",
            *(f"purity, {size}" for size in sizes),
            *("homogeneity", "completeness", "clusters", "outside"),
        ),
        rows,
        1,
        f"Purity of so many clusters by k-means (the best of {STARTS} starts), with 95 % bootstrap "
        "intervals over papers, their clusters being what they are. Homogeneity and "
        f"completeness of the clusters by DBSCAN on the t-SNE map of {mapped:,} papers, with those "
        "outside of all (their share is shown) as one more; half of the points have "
        f"{NEIGHBOURS - 1} others within the radius.",
    )


def _pairs(found: GroupResult) -> Table:
    rows = [
        cells(name, each.average_precision.interval, each.auc.interval)
        for name, each in found.pairs.items()
    ]
    first = next(iter(found.pairs.values())).ranking
    pairs = first.positives + first.negatives
    chance = cells("chance", f"{first.positives / pairs:.3f}", "0.500")
    return Table(
        f"pairs-{found.group.name}",
        f"Pairs: {_where(found.group)}.",
        ("embedding", "average precision", "ROC AUC"),
        best_marked([*rows, chance], first=1, rivals=[*(True for _ in rows), False]),
        1,
        f"{first.positives:,} of {pairs:,} pairs share a class; all "
        "are ranked by the Pearson correlation of their vectors. 95 % bootstrap intervals over "
        "papers, to first order (infinitesimal jackknife).",
    )


TOLD = "told.jsonl"


def check_folder(folder: Path) -> None:
    """Create the folder, and refuse what would fail after the work is done.

    Raises:
        InputError: it is a file, or its parent is not there.
        MissingExtraError: matplotlib is not installed.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file.", "Give the path of a folder to write.")
    if not folder.parent.is_dir():
        raise InputError(f"There is no folder {folder.parent}.", "Create it first.")
    with picture(""):
        folder.mkdir(exist_ok=True)


def write_folder(folder: Path, found: ProbeResult, page: Page) -> None:
    """Write the page, its figures, what was told of each paper, and the maps."""
    (folder / TOLD).write_text("".join(f"{line}\n" for line in told_lines(found)), encoding="utf-8")
    write_with_maps(folder, "probes", page, found.maps())
