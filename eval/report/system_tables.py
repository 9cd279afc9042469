"""Tables that set systems side by side: figures, significance, slices, depths, calibration."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from recsys.eval.measures import CANDIDATES
from recsys.eval.recorded_runs import F1, kind_of
from recsys.eval.report.tables import (
    Cell,
    Table,
    best_marked,
    cells,
    interval_cell,
    p_text,
    slug,
    text_table,
)
from recsys.eval.run_figures import Assessment, SystemResult

ORACLE = "oracle"
"""The upper bound: it is no system to compare others with."""
SURE = 0.05
SHOWN_DEPTHS = (1, 5, 10, 20, 50, 100)
SLICE_TITLES: Mapping[str, str] = {
    "year": "By the year of the query",
    "abstract": "Queries with and without an abstract",
    "venue": "By the venue of the query",
    "names": "Sentences that name a work, and those that name nobody",
    "popularity": "Gold papers found, by how often they had been cited (0: cold start)",
}


def system_letters(names: Sequence[str]) -> dict[str, str]:
    """Give each name a letter, in order."""
    many = [*ascii_lowercase, *(f"{a}{b}" for a in ascii_lowercase for b in ascii_lowercase)]
    return dict(zip(names, many, strict=False))


def headline(assessment: Assessment, measures: Sequence[str] | None = None) -> Table:
    """Show every system by every measure that is known, and whom it beats.

    measures: None: those that queries of this kind are compared by.
    """
    kind = kind_of(assessment.facts)
    systems = assessment.systems
    names = system_letters([system.name for system in systems])

    def cell(system: SystemResult, measure: str) -> Cell:
        beaten = sorted(names[each] for each in system.beats.get(measure, ()))
        return interval_cell(system.measures.get(measure), "".join(beaten))

    known = [
        name for name in measures or kind.headline if any(name in each.measures for each in systems)
    ]
    rows = [
        cells(names[system.name], system.name, *(cell(system, measure) for measure in known))
        for system in systems
    ]
    compared = {each.measure for each in assessment.comparisons}
    tested = [name for name in known if name in compared]
    untested = f"; tested: {', '.join(tested) or 'none of these'}" if tested != known else ""
    f1 = ""
    if "F1@20" in known:
        f1 = " F1@20 is the harmonic mean of the averaged precision and recall"
        f1 += ", query F1@20 the mean of each query's own." if F1 in known else "."
    notes = (
        f"Means over {len(assessment.queries):,} {kind.many}, with 95 % bootstrap intervals; a "
        f"{kind.one} without an answer counts as 0.{f1} Letters mark "
        "the systems that a system beats: paired randomisation test, Holm-corrected, p < 0.05"
        f"{untested}."
    )
    marked = best_marked(rows, first=2, rivals=[system.name != ORACLE for system in systems])
    return Table(
        "systems", "All systems by all measures.", ("", "system", *known), marked, 2, notes
    )


def brief_table(
    assessment: Assessment, caption: str, measures: Sequence[str], timing: Mapping[str, float]
) -> str:
    """Write the systems by a few measures: three fit, with intervals, in 80 columns.

    timing: milliseconds a query, where they are known.
    """
    rows = []
    for system in assessment.systems:
        speed = timing.get(system.name)
        figures = (system.measures[name] for name in measures)
        rows.append(cells(system.name, *figures, "" if speed is None else f"{speed:.0f}"))
    return text_table(Table("systems", caption, ("system", *measures, "ms"), tuple(rows)))


def candidates(assessment: Assessment) -> Table:
    """Show how much the systems answer, out of how many candidates, and how long they take.

    Where a system has queries without an answer, its figures without them stand beside.
    """
    timing = assessment.facts.get("timing") or {}
    skipping = any(each.answered < len(assessment.queries) for each in assessment.systems)
    kind = kind_of(assessment.facts)
    skipped = (kind.headline[0], "MRR") if skipping else ()
    counts = {system.name: system.measures.get(CANDIDATES) for system in assessment.systems}
    rows = [
        cells(
            system.name,
            f"{system.answered:,}",
            None if (count := counts[system.name]) is None else f"{count.value:,.0f}",
            f"{timing[system.name]:.1f}" if system.name in timing else None,
            *(system.skip_rule.get(name) for name in skipped),
        )
        for system in assessment.systems
    ]
    header = (
        *("system", f"{kind.many} answered", f"candidates a {kind.one}", f"ms a {kind.one}"),
        *(f"{name}, skip rule" for name in skipped),
    )
    notes = f"Skip rule: {kind.many} without an answer are left out, as Citeomatic does."
    caption = "What the systems answer, look at and take."
    return Table("cost", caption, header, tuple(rows), notes=notes if skipping else "")


def significance(assessment: Assessment) -> list[Table]:
    """Show every pair of systems, one table for each measure that was tested."""
    tables: list[Table] = []
    notes = (
        "Differences with 95 % paired bootstrap intervals; p by a paired randomisation test, then "
        "Holm-corrected over all pairs; d is Cohen's, of the differences; won and lost are shares "
        f"of the {kind_of(assessment.facts).many}."
    )
    for measure in dict.fromkeys(each.measure for each in assessment.comparisons):
        pairs = [each for each in assessment.comparisons if each.measure == measure]
        pooled = any(pair.pooled for pair in pairs)
        extra = ("of the averages",) if pooled else ()
        rows = tuple(
            cells(
                pair.one,
                pair.other,
                interval_cell(pair.difference, signed=True),
                *([interval_cell(pair.pooled, signed=True)] if pooled else []),
                p_text(pair.p),
                p_text(pair.p_holm),
                None if pair.cohen_d is None else f"{pair.cohen_d:+.2f}",
                f"{100 * pair.won:.0f} %",
                f"{100 * pair.lost:.0f} %",
                "significant" if pair.p_holm < SURE else "",
            )
            for pair in pairs
        )
        figures = ("difference", *extra, "p", "p (Holm)", "d", "won", "lost", "")
        name, caption = f"significance-{slug(measure)}", f"Pairs of systems by {measure}."
        if pooled:
            notes += (
                " Of the averages: the difference of F1@20, taken of averaged precision and recall."
            )
        # How to read it is said once, below the first one.
        tables.append(
            Table(name, caption, ("system", "against", *figures), rows, 2, "" if tables else notes)
        )
    return tables


def slices(assessment: Assessment) -> list[Table]:
    """Show every system on parts of the queries, one table for each way of cutting them."""
    tables, asked = [], kind_of(assessment.facts)
    for kind in dict.fromkeys(each.kind for each in assessment.slices):
        found = {(s.value, s.system): s for s in assessment.slices if s.kind == kind}
        first = {value: part for (value, _), part in reversed(found.items())}
        systems = list(dict.fromkeys(system for _, system in found))
        any_measures = next(iter(found.values())).measures
        measure = next((name for name in asked.sliced if name in any_measures), "")
        rows = []
        for value in dict.fromkeys(value for value, _ in found):
            parts = [found.get((value, system)) for system in systems]
            figures = [None if part is None else part.measures.get(measure) for part in parts]
            counts = (f"{first[value].queries:,}", f"{first[value].gold:,}")
            rows.append(cells(value, *counts, *figures))
        title = SLICE_TITLES.get(kind, f"By {kind}").replace("the query", f"the {asked.one}")
        header = (kind, asked.many, "gold papers", *systems)
        name, caption = f"slice-{slug(kind)}", f"{title}: {measure}."
        tables.append(Table(name, caption, header, tuple(rows)))
    return tables


def depths(assessment: Assessment) -> Table:
    """Show the averaged precision and recall of the first k."""
    rows = []
    for system in assessment.systems:
        curves = (system.curves.precision_macro.value, system.curves.recall_macro.value)
        shown = (
            f"{curve[k - 1]:.3f}" if k <= len(curve) else None
            for curve in curves
            for k in SHOWN_DEPTHS
        )
        rows.append(cells(system.name, *shown))
    header = tuple(f"{name}@{k}" for name in "PR" for k in SHOWN_DEPTHS)
    caption = "Precision and recall of the first k papers."
    return Table("depths", caption, ("system", *header), tuple(rows))


def recall_by_candidates(assessment: Assessment) -> Table:
    """Show the share of gold papers among the first so many papers of each system."""
    depths = sorted({depth for system in assessment.systems for depth in system.curves.depths})
    rows = []
    for system in assessment.systems:
        curve = dict(zip(system.curves.depths, system.curves.recall_at.value, strict=True))
        shown = (f"{curve[depth]:.3f}" if depth in curve else None for depth in depths)
        rows.append(cells(system.name, *shown))
    header, caption = map(str, depths), "Recall of the first so many papers."
    return Table("recall-by-candidates", caption, ("system", *header), tuple(rows))


def calibration(assessment: Assessment) -> Table:
    """Show how far off probabilities are: of the papers shown, and of all candidates."""
    rows = tuple(
        cells(
            name,
            f"{found.error:.4f}",
            None if found.error_of_all is None else f"{found.error_of_all:.4f}",
        )
        for name, found in assessment.reliability.items()
    )
    return Table(
        "calibration",
        "Expected calibration error.",
        ("system", "papers shown", "all candidates"),
        rows,
        notes="Over ten bins of equally many predictions. Most candidates are irrelevant and get a "
        "probability near zero, so the error of all candidates is small whatever the ranker does: "
        "that of the papers shown is the one to judge by.",
    )


def reliability(assessment: Assessment) -> list[Table]:
    """Show, for each system that gives probabilities, how often they come true."""
    return [
        Table(
            f"reliability-{slug(name)}",
            f"Probabilities of {name}: expected calibration error {found.error:.4f}.",
            ("probability", "pairs", "mean probability", "came true"),
            tuple(
                cells(
                    f"{each.low:.3f}-{each.high:.3f}",
                    f"{each.count:,}",
                    f"{each.predicted:.3f}",
                    f"{each.observed:.3f}",
                )
                for each in found.bins
            ),
        )
        for name, found in assessment.reliability.items()
    ]
