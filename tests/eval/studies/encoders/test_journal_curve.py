"""Encoders that learned shares of the journals: seeds put together, by hand; the page."""

import json

import numpy as np
import pytest

from recsys.eval.measures import Doubles
from recsys.eval.report.page import FORMATS
from recsys.eval.significance import holm, randomisation_test
from recsys.eval.studies.encoders.journal_page import (
    LABELS,
    LINEAR,
    SHARES,
    Trained,
    change,
    changes,
    journal_page,
)
from recsys.eval.studies.probes.probe_results import UNSEEN, Group


def trained(seed: int, share: float, ids: str, start: list[float], end: list[float]) -> Trained:
    """Ask for papers of two classes; the names of the second differ in how they are spelled."""
    names = ("Journal A", "Journal B" if seed else "JOURNAL B")
    labels = np.arange(len(ids)) % 2
    group = Group(UNSEEN, tuple(ids), labels, names)
    before, after = np.array(start), np.array(end)
    return Trained(
        seed,
        share,
        10 * (seed + 1),
        100,
        (0.25, 0.5),
        group,
        {"1": before / 2, LINEAR: before},
        {"1": after / 2, LINEAR: after},
    )


ONE = trained(0, 1.0, "abcd", [0.0, 0.5, 1.0, 0.0], [1.0, 0.5, 1.0, 0.5])
OTHER = trained(1, 1.0, "bdef", [0.5, 0.5, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0])


def test_a_paper_of_several_seeds_counts_once() -> None:
    found = change([ONE, OTHER], LINEAR)
    before: Doubles = np.array([0.0, 0.5, 1.0, 0.25, 0.0, 1.0])
    after: Doubles = np.array([1.0, 0.75, 1.0, 0.25, 1.0, 1.0])
    assert (found.papers, found.classes) == (6, 2)
    assert found.before == pytest.approx(before.mean())
    assert found.after == pytest.approx(after.mean())
    assert found.change.value == pytest.approx((after - before).mean())
    assert found.change.low <= found.change.value <= found.change.high
    assert found.p == randomisation_test(after, before, rng=np.random.default_rng(0))


def test_p_is_corrected_for_the_rows_of_a_table() -> None:
    groups = [([ONE], LINEAR), ([OTHER], LINEAR), ([ONE, OTHER], "1")]
    single = [change(*each) for each in groups]
    found = changes(groups)
    assert [each.p for each in found] == holm(np.array([each.p for each in single])).tolist()
    corrected = holm(np.array([each.p_classes for each in single])).tolist()
    assert [each.p_classes for each in found] == corrected
    assert [each.change for each in found] == [each.change for each in single]


def test_the_page_says_what_was_found() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(200) / 2
    ids = "".join(chr(200 + place) for place in range(200))
    small = trained(0, 0.5, ids, base.tolist(), base.tolist())
    most = trained(0, 1.0, ids, base.tolist(), (base + 0.1 + rng.random(200) / 10).tolist())
    page = journal_page([small, most], "venue", "papers.jsonl", {"seed": "0"})
    assert "is better by a linear model on 200 papers of 2 classes" in page.lead
    assert "100 papers of 10 classes" in page.lead
    table, labels = page.sections[0].tables[0], page.sections[1].tables[0]
    assert [row[0].text for row in table.rows] == ["0.5", "1"]
    assert [row[0].text for row in labels.rows] == ["1", "3/4 of its papers"]
    assert [cell.text for cell in table.rows[0][3:5]] == ["0.250", "0.500"]
    assert table.rows[0][7].text == "+0.000" and float(table.rows[1][7].text) > 0.1
    figures = json.loads(FORMATS["json"](page))
    assert [each["share"] for each in figures[SHARES]] == [0.5, 1.0]
    assert figures[LABELS][1]["probe"] == LINEAR
    assert figures[SHARES][0]["change"]["value"] == 0
    [drawn] = page.draw().values()
    assert "papers learned from" in drawn.svg
    for start, verdict in ((base + 0.2, "is worse"), (base, "does not differ beyond chance")):
        one = trained(0, 1.0, ids, start.tolist(), base.tolist())
        alone = journal_page([one], "venue", "papers", {})
        assert f"{verdict} by" in alone.lead and alone.draw() == {}  # One point is no curve.
