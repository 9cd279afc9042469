"""The sections of a report: which tables and pictures stand together, and what is said of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from recsys.eval.query_kinds import kind_of
from recsys.eval.report import query_tables, system_tables
from recsys.eval.report.page import Section
from recsys.eval.run_figures import Assessment, SystemResult

MOST_DIFFERENCES = 20


def sections(assessment: Assessment, queries: query_tables.Queries) -> tuple[Section, ...]:
    """Put an assessment in sections, those with nothing to show left out."""
    found = [
        _systems(assessment),
        _significance(assessment),
        _depths(assessment),
        _calibration(assessment),
        _slices(assessment),
        *_studies(assessment.facts),
        *_queries(assessment, queries),
    ]
    return tuple(each for each in found if each.tables)


def _systems(assessment: Assessment) -> Section:
    return Section(
        "systems",
        "Systems",
        "The oracle puts the papers to find first among stage one's candidates: no reranking of "
        "them can do better."
        if any(system.name == system_tables.ORACLE for system in assessment.systems)
        else "Higher is better everywhere.",
        (system_tables.headline(assessment), system_tables.candidates(assessment)),
        open=2,
    )


def _significance(assessment: Assessment) -> Section:
    return Section(
        "significance",
        "Significance",
        f"Which differences are more than the luck of the {_asked(assessment)}, and how large they "
        "are.",
        tuple(system_tables.significance(assessment)),
    )


def _depths(assessment: Assessment) -> Section:
    return Section(
        "depth",
        "Precision and recall",
        "How much is right, and how much is found, the further one reads.",
        (
            system_tables.depths(assessment),
            system_tables.recall_by_candidates(assessment),
        ),
        ("precision-recall", "recall-by-k", "precision-by-k", "recall-by-candidates"),
    )


def _calibration(assessment: Assessment) -> Section:
    return Section(
        "calibration",
        "Calibration",
        "A probability is honest when predictions of 30 % come true three times in ten.",
        tuple(system_tables.reliability(assessment)),
        ("reliability",),
    )


def _slices(assessment: Assessment) -> Section:
    return Section(
        "slices",
        "Slices",
        f"The same systems on parts of the {_asked(assessment)}, or of the papers to find.",
        tuple(system_tables.slices(assessment)),
        open=4,
    )


def _studies(facts: Mapping[str, Any]) -> list[Section]:
    """Show the studies that were asked for."""
    found = []
    if rows := facts.get("k_study"):
        table = query_tables.study("k-study", "Candidates by number of neighbours.", rows)
        text = "Candidates from more or fewer nearest papers, with and without their citations."
        found.append(Section("neighbours", "Number of neighbours", text, (table,), ("k-study",)))
    if rows := facts.get("self_citation"):
        text = "Does a ranker that reads authors and venues favour the authors' own papers?"
        table = query_tables.self_citation(rows)
        found.append(Section("own-papers", "Self-citation", text, (table,), ("self-citation",)))
    if rows := facts.get("seed_study"):
        text = "Does it help to know some of the references? Half of them may be given, the other "
        text += "half is to be found, whatever is given."
        table = query_tables.seed_study(rows)
        found.append(Section("seeds", "References as seeds", text, (table,)))
    return found


def _queries(assessment: Assessment, queries: query_tables.Queries) -> list[Section]:
    ranked = _by_figure(assessment)
    if not ranked:
        return []
    tables = query_tables.extremes(assessment, queries, ranked[0].name)
    if len(ranked) > 1:
        pair = (ranked[0].name, ranked[1].name)
        found = query_tables.differences(assessment, queries, pair, MOST_DIFFERENCES)
        tables.insert(0, found)
    text = (
        f"Single {_asked(assessment)}: where the two best systems part, and where the best one "
        "shines or fails."
    )
    return [Section("queries", _asked(assessment).capitalize(), text, tuple(tables), open=3)]


def _by_figure(assessment: Assessment) -> Sequence[SystemResult]:
    """Order the systems by the first measure of the headline, best first, no oracle."""
    measure = kind_of(assessment.facts).headline[0]
    real = [system for system in assessment.systems if system.name != system_tables.ORACLE]
    return sorted(real, key=lambda system: -system.measures[measure].value)


def _asked(assessment: Assessment) -> str:
    return kind_of(assessment.facts).many
