"""Runs and judgements: written so that every tool reads the same order, read with care."""

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.trec import (
    ordered,
    read_qrels,
    read_run,
    run_lines,
    strictly_decreasing,
    write_qrels,
    write_run,
)
from tests.rows import each_row

FLOATS = st.floats(-(2.0**99), 2.0**99, width=32)


def floats(*values: float) -> np.typing.NDArray[np.float32]:
    return np.array(values, np.float32)


@given(st.lists(FLOATS, max_size=40))
def test_written_scores_fall_strictly_and_by_as_little_as_possible(values: list[float]) -> None:
    scores = -np.sort(-np.array(values, np.float32))
    lowered = strictly_decreasing(scores)
    assert (np.diff(lowered.astype(np.float64)) < 0).all()
    assert (lowered <= scores).all()
    if len(set(values)) == len(values):
        assert (lowered == scores).all()


@given(st.lists(st.sampled_from([0.0, 0.1, 1.0, 1e-40, -3.5]), min_size=1, max_size=20))
def test_a_written_ranking_reads_back_in_its_order(values: list[float]) -> None:
    scores = -np.sort(-np.array(values, np.float32))
    papers = [f"p{(7 * i) % 23}" for i in range(len(values))]
    lines = run_lines("q", papers, scores, tag="t")
    read = {line.split()[2]: float(line.split()[4]) for line in lines}
    assert ordered(read) == papers
    assert [int(line.split()[3]) for line in lines] == list(range(1, len(papers) + 1))
    assert ordered({paper: float(np.float32(score)) for paper, score in read.items()}) == papers


def test_a_run_has_six_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.trec"
    write_run(path, [("q1", ["b", "a"], floats(0.5, 0.25)), ("q2", [], floats())], tag="bm25")
    assert path.read_text() == "q1 Q0 b 1 0.5 bm25\nq1 Q0 a 2 0.25 bm25\n"
    assert read_run(path) == {"q1": {"b": 0.5, "a": 0.25}}


def test_ties_are_written_in_the_order_given_for_tools_that_break_them_otherwise(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.trec"
    write_run(path, [("q", ["a", "b", "c"], floats(1, 1, 1))], tag="t")
    # trec_eval breaks ties by descending id: by "c" first, were they ties.
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"})
    assert evaluator.evaluate(read_run(path))["q"]["recip_rank"] == 1.0


def test_equal_scores_are_ordered_by_ascending_id() -> None:
    assert ordered({"c": 1.0, "b": 2.0, "a": 1.0}) == ["b", "a", "c"]


def test_judgements_survive_writing_and_reading(tmp_path: Path) -> None:
    path = tmp_path / "x.qrels"
    write_qrels(path, {"q1": {"b", "a"}, "q2": ["é"]})
    assert path.read_text(encoding="utf-8") == "q1 0 a 1\nq1 0 b 1\nq2 0 é 1\n"
    assert read_qrels(path) == {"q1": {"a": 1, "b": 1}, "q2": {"é": 1}}


@each_row("score", [np.nan, np.inf, -np.inf])
def test_a_score_that_cannot_be_ordered_is_refused(score: float) -> None:
    with pytest.raises(InputError, match="rank 2"):
        run_lines("q", ["a", "b"], floats(1, score), tag="t")


@pytest.mark.parametrize("word", ["two words", "", "a\tb", "a\u00a0b", "line\n"])
def test_an_id_that_would_shift_the_columns_is_refused(word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="columns"):
        run_lines("q", [word], floats(1), tag="t")
    with pytest.raises(InputError, match="columns"):
        run_lines(word, ["a"], floats(1), tag="t")
    with pytest.raises(InputError, match="columns"):
        write_qrels(tmp_path / "x", {"q": [word]})
    assert not list(tmp_path.iterdir())


def test_a_run_that_fails_midway_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "x.trec"
    write_run(path, [("q", ["a"], floats(1))], tag="old")
    with pytest.raises(InputError):
        write_run(path, [("q", ["a"], floats(1)), ("q2", ["a b"], floats(1))], tag="new")
    assert path.read_text() == "q Q0 a 1 1.0 old\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q Q0 b 2 0.5", "5 columns instead of 6"),
        ("q Q0 b b 2 0.5 t", "7 columns instead of 6"),
        ("q Q0 b two 0.5 t", "the rank 'two' is no number"),
        ("q Q0 b 2 high t", "the score 'high' is no number"),
        ("q Q0 b 2 nan t", "the score is nan"),
        ("q Q0 b 2 inf t", "the score is inf"),
        ("q Q0 a 2 0.5 t", "'a' appears twice for the query 'q'"),
    ],
)
def test_a_broken_run_is_refused_with_its_line(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.trec"
    path.write_text(f"q Q0 a 1 0.9 t\n\n{line}\n")
    with pytest.raises(InputError, match=said) as raised:
        read_run(path)
    assert f"{path}:3: " in raised.value.what


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q 0 a", "3 columns instead of 4"),
        ("q 0 a 1.5", "the relevance '1.5' is no number"),
        ("q 0 b 0", "appears twice"),
    ],
)
def test_broken_judgements_are_refused_with_their_line(
    line: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.qrels"
    path.write_text(f"q 0 b 1\n{line}\n")
    with pytest.raises(InputError, match=said) as raised:
        read_qrels(path)
    assert f"{path}:2: " in raised.value.what


def test_a_missing_or_binary_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_run(tmp_path / "run.trec")
    with pytest.raises(InputError, match=r"Did you mean 'run\.trec'"):
        read_run(tmp_path / "run.tre")
