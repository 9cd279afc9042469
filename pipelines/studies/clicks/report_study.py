"""The report on a study of clicks, one page."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.studies.clicks.study_pages import (
    coverage_figures,
    coverage_pictures,
    coverage_section,
    learning_pictures,
    learning_section,
    recovery_figures,
    recovery_pictures,
    recovery_section,
)
from recsys.pipelines.studies.clicks.click_study import ClickStudy

SCHEMA = "recsys.click-study/1"


def study_page(found: ClickStudy, facts: Mapping[str, str]) -> Page:
    """Show every study that was asked for."""
    queries = ", ".join(f"{count:,} {part}" for part, count in found.queries.items())
    return Page(
        title="Clicks, their bias, and what corrects it",
        lead=f"Readers are simulated, so that the truth is known: a paper is relevant to a query "
        f"if papers of {found.cut} or later cite both. Queries: {queries}.",
        sections=tuple(_sections(found)),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={
            "cut": found.cut,
            "queries": found.queries,
            "eta": found.eta,
            "cap": found.cap,
            "recovery": recovery_figures(found.recovered),
            "coverage": coverage_figures(found.coverage),
            "learning": found.learning and asdict(found.learning),
        },
        draw=lambda: _drawn(found),
    )


def _sections(found: ClickStudy) -> Iterator[Section]:
    if found.recovered:
        yield recovery_section(found.recovered)
    if found.coverage:
        yield coverage_section(found.coverage, found.cap)
    if found.learning:
        yield learning_section(found.learning)


def _drawn(found: ClickStudy) -> dict[str, Picture]:
    return {
        **(recovery_pictures(found.recovered) if found.recovered else {}),
        **(coverage_pictures(found.coverage) if found.coverage else {}),
        **(learning_pictures(found.learning) if found.learning else {}),
    }
