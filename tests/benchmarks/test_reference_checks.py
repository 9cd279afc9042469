from dataclasses import replace

import numpy as np
import pytest

from benchmarks.reference_checks import ALTERED, MADE_UP, WAYS, altered, hallmark_figures, printed
from recsys.checking.check import record_of_paper
from recsys.checking.fields import compare
from recsys.checking.verdicts import Checked, CheckReport, Verdict
from recsys.records import Paper, Reference

PAPERS = [
    Paper(
        f"p{number}",
        f"{beast.title()} that walk through the {place} of northern villages",
        year=2000 + number,
        authors=(
            f"Ann {beast.title()}son",
            f"Bo {place.title()}er",
            f"Cy {beast.title()}ar",
            f"Dee {place.title()}well",
        ),
        venue=f"Journal of {place.title()} Studies",
        doi=f"10.5555/{number}",
    )
    for number, (beast, place) in enumerate(
        [("badgers", "forests"), ("hedgehogs", "gardens"), ("swallows", "meadows")]
    )
]


@pytest.mark.parametrize("way", WAYS)
def test_a_printed_reference_still_describes_its_work(way: str) -> None:
    read = printed(PAPERS, way, np.random.default_rng(0))
    for paper, reference in zip(PAPERS, read, strict=True):
        assert reference is not None and reference.title and reference.authors
        told = compare(reference, record_of_paper(paper, {}), this_year=2026)
        assert [each.field for each in told if each.agrees is False] == []


@pytest.mark.parametrize("fault", [*ALTERED, *MADE_UP])
def test_a_fault_is_one_that_a_comparison_shows(fault: str) -> None:
    paper, *others = PAPERS
    changed = altered(paper, fault, others, np.random.default_rng(1), structured=True)
    assert changed is not None and changed != paper
    as_reference = replace(record_of_paper(changed, {}), id=None)
    told = compare(as_reference, record_of_paper(paper, {}), this_year=2026)
    assert any(each.agrees is False for each in told)


def test_entries_are_counted_by_kind() -> None:
    entries = [{"label": "VALID"}, {"label": "HALLUCINATED", "hallucination_type": "wrong_venue"}]
    items = (
        Checked(Reference(), Verdict.CONFIRMED, ""),
        Checked(Reference(), Verdict.NOT_FOUND, "", absent=0.9),
    )
    found = hallmark_figures(entries, CheckReport(items))
    assert (found["detected"]["value"], found["false"]["value"]) == (1.0, 0.0)
    assert found["kinds"]["wrong venue"]["value"] == 1.0
    assert found["absence"]["error"] == pytest.approx(0.1)
