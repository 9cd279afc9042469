"""Rankers that learned from clicks where the truth is known: a section of a report."""

from collections.abc import Iterator

from recsys.eval.report.page import Picture, Section
from recsys.eval.report.system_tables import interval_cell
from recsys.eval.report.tables import Cell, Table, cells
from recsys.eval.studies.clicks.learned_rankers import Gain, LearningStudy
from recsys.eval.studies.clicks.pages.click_pictures import Dot, dots

MEASURE = "true nDCG@10"
DISPLAY = "display order"
_HOLM = (
    "With 95 % bootstrap intervals over queries; p by the paired randomisation test of each "
    "query's difference averaged over the seeds, Holm-corrected over the gains at one eta; won and "
    "lost are shares of the queries."
)


def learning_section(found: LearningStudy) -> Section:
    """Show what weighting clicks brings, and how well every ranker ranks."""
    text = (
        "The same rankers learn from the same clicks: as they are (none), and each divided by the "
        "propensity of its position. Position k is examined with the chance (1 / k) ** eta, so "
        "that at eta 0 there is nothing to correct."
    )
    tables = (_gains(found), _systems(found))
    return Section("learning", "Learning", text, tables, tuple(_names(found)), open=2)


def learning_pictures(found: LearningStudy) -> dict[str, Picture]:
    """Draw the true nDCG of rankers, a picture for each strength of the bias."""
    shown = next((e.ndcg.value for e in found.learned if e.system.ranker == DISPLAY), None)
    weights = list(dict.fromkeys(e.system.weights for e in found.learned if e.system.weights))
    return {
        name: Picture(
            dots(
                f"{MEASURE}, eta {eta:g}",
                list(_dots(found, eta)),
                xlabel=MEASURE,
                reference=shown,
                series=weights,
            ),
            f"The {MEASURE} at eta {eta:g}, by what the clicks are divided by; ticks: single "
            "seeds; lines: 95 % intervals over queries; dashed: the order that was shown.",
        )
        for name, eta in _names(found).items()
    }


def _names(found: LearningStudy) -> dict[str, float]:
    """Name the picture of each strength of the bias."""
    etas = dict.fromkeys(each.system.eta for each in found.learned)
    return {f"learning-eta-{eta:g}".replace(".", "-"): eta for eta in etas if eta is not None}


def _gains(found: LearningStudy) -> Table:
    seeds = len(found.learned[0].by_seed)
    header = ("eta", "ranker", "weights", f"gain in {MEASURE}", "p", "won", "lost", "seeds won")
    caption = f"What weights bring, {found.queries['test']:,} test queries, {seeds} seeds."
    return Table("gains", caption, header, tuple(map(_gain, found.gains)), 3, _HOLM)


def _gain(found: Gain) -> tuple[Cell, ...]:
    system, won = found.system, sum(each > 0 for each in found.by_seed)
    return (
        *cells(f"{system.eta:g}", system.ranker, system.weights),
        interval_cell(found.difference, signed=True),
        *cells(
            "<0.001" if found.p < 0.001 else f"{found.p:.3f}",
            f"{100 * found.won:.0f} %",
            f"{100 * found.lost:.0f} %",
            f"{won} of {len(found.by_seed)}",
        ),
    )


def _systems(found: LearningStudy) -> Table:
    rows = tuple(
        (
            *cells("" if e.system.eta is None else f"{e.system.eta:g}", e.system.ranker),
            *cells(e.system.weights),
            interval_cell(e.ndcg),
            *cells(" ".join(f"{value:.3f}" for value in e.by_seed)),
        )
        for e in found.learned
    )
    header = ("eta", "ranker", "weights", MEASURE, "by seed")
    return Table("learned", f"The {MEASURE} of every ranker.", header, rows, 3)


def _dots(found: LearningStudy, eta: float) -> Iterator[Dot]:
    for each in found.learned:
        system, bounds = each.system, (each.ndcg.low, each.ndcg.high)
        if system.weights and system.eta in (eta, None):
            yield Dot(system.ranker, system.weights, each.ndcg.value, *bounds, each.by_seed)
