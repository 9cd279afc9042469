"""Chances on corpora never seen: corrected by evidence, in the same order."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.ranking.feature_context import references_lately
from recsys.ranking.ranker import EVIDENCE, Transfer, transfer_of
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from tests.small_recommender import DRAFT, ids, stored
from tests.tiny import random_world

CHANCES = st.lists(st.floats(0, 1, width=32), min_size=2, max_size=20)


def transfer(bias: float = 0.0, slope: float = 1.0, weight: float = 0.0) -> Transfer:
    """One that reads the references given, or nothing."""
    return Transfer(bias, slope, {"references given": (weight, 0.0, 1.0)})


def corrected(by: Transfer, chances: list[float], given_any: float = 0.0) -> list[float]:
    evidence = dict.fromkeys(EVIDENCE, 0.0) | {"references given": given_any}
    found: list[float] = by.apply(np.array(chances, np.float32), evidence).tolist()
    return found


def test_odds_are_shifted_and_stretched_by_hand() -> None:
    assert corrected(transfer(), [0.2, 0.5]) == pytest.approx([0.2, 0.5])
    # Odds of 1 to 4 become 3 to 4, or 1 to 16.
    assert corrected(transfer(bias=np.log(3)), [0.2]) == pytest.approx([3 / 7])
    assert corrected(transfer(slope=2), [0.2]) == pytest.approx([1 / 17])
    assert corrected(transfer(weight=np.log(3)), [0.2], 1.0) == pytest.approx([3 / 7])


def test_evidence_counts_no_further_than_it_was_seen() -> None:
    by = transfer(weight=np.log(3))
    assert corrected(by, [0.2], 9.0) == corrected(by, [0.2], 1.0)
    assert corrected(by, [0.2], -9.0) == corrected(by, [0.2], 0.0)


@given(CHANCES, st.floats(-3, 3), st.floats(0.2, 3))
def test_the_order_stays(chances: list[float], bias: float, slope: float) -> None:
    ordered = corrected(transfer(bias, slope), sorted(chances))
    assert ordered == sorted(ordered)
    assert 0 <= ordered[0] and ordered[-1] <= 1


def test_unknown_evidence_is_refused() -> None:
    assert transfer_of(None) is None
    stored_one = {"bias": 0, "slope": 1, "evidence": {"moon": [1, 0, 1]}}
    with pytest.raises(KeyError, match="moon"):
        transfer_of(stored_one)


def test_references_of_the_last_years_are_counted_by_hand() -> None:
    # Twelve papers of 2009 cite two each, one of 2001 cites five, those of 2000 nothing.
    citing = np.repeat(np.arange(12, dtype=np.int32), 2)
    cited = np.tile(np.array([13, 14], np.int32), 12)
    citing, cited = np.append(citing, [12] * 5), np.append(cited, [13, 14, 15, 16, 17])
    years = np.array([2009] * 12 + [2001] + [2000] * 5, np.int16)
    graph = CitationGraph.build(citing.astype(np.int32), cited.astype(np.int32), years)
    assert references_lately(graph, 2010) == 2.0
    assert references_lately(graph, 2012) == 2.0
    assert references_lately(graph, 2013) is None, "nobody has cited for three years"
    assert references_lately(graph, 2009) is None, "what cites must be older"
    years[:3] = UNKNOWN_YEAR
    graph = CitationGraph.build(citing.astype(np.int32), cited.astype(np.int32), years)
    assert references_lately(graph, 2010) is None, "nine are too few"


def test_an_answer_has_corrected_chances_in_the_same_order(tmp_path: Path) -> None:
    plain = stored(random_world(3).papers, tmp_path / "corpus")
    doubled = replace(plain, transfer=transfer(bias=np.log(2)))
    before, after = plain.recommend(DRAFT), doubled.recommend(DRAFT)
    assert ids(before) == ids(after)
    odds = [
        [item.probability / (1 - item.probability) for item in answer.recommendations]
        for answer in (before, after)
    ]
    assert odds[1] == pytest.approx([2 * each for each in odds[0]], rel=1e-3, abs=1e-3)
