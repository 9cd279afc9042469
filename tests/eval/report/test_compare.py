"""Runs from anywhere: what is odd about them is an error of one line, or a rule that is said."""

import json
from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.eval.report.compare import RENDERERS, SCHEMA, compare
from tests.rows import each_row

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\nq3 0 d 1\n"
GOOD = "q1 Q0 a 1 3 t\nq2 Q0 c 1 3 t\nq3 Q0 d 1 3 t\n"
OTHER = "q8 Q0 a 1 3 t\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "good.trec").write_text(GOOD)
    return tmp_path


def run(folder: Path, text: str, name: str = "odd") -> list[Path]:
    (folder / f"{name}.trec").write_text(text)
    return [folder / f"{name}.trec", folder / "good.trec"]


def mrr(folder: Path, text: str) -> tuple[float, tuple[str, ...]]:
    compared = compare(run(folder, text), folder / "qrels.txt", samples=50)
    return compared.assessment.system("odd").measures["MRR"].value, compared.notes


UNKNOWN = "odd: 1 of 4 papers are not in the judgements of their query and count as not relevant."
UNJUDGED = "odd: 1 of 4 queries of the run are not judged: left out."
MISSING = "odd: 2 of 3 judged queries are missing from the run and count as 0."
NO_GOLD = "1 of 4 queries of the judgements have no relevant paper: left out."


@each_row(
    ("text", "more", "value", "note"),
    [
        (GOOD, "", 1, None),
        (GOOD + "q1 Q0 unknown 1 9 t\n", "", 2.5 / 3, UNKNOWN),
        (GOOD + "q1 Q0 b 1 9 t\n", "", 2.5 / 3, None),  # Judged as not relevant.
        (GOOD + "q9 Q0 a 1 9 t\n", "", 1, UNJUDGED),
        ("q1 Q0 a 1 3 t\n", "", 1 / 3, MISSING),
        (GOOD, "q4 0 e 0\n", 1, NO_GOLD),
        # By scores, not by ranks; ties by ascending id.
        ("q1 Q0 z 1 5 t\nq1 Q0 a 2 5 t\nq1 Q0 0 3 4 t\n", "", 1 / 3, ...),
    ],
)
def test_what_is_odd_about_a_run_follows_a_rule_that_is_said(
    text: str, more: str, value: float, note: object, folder: Path
) -> None:
    (folder / "qrels.txt").write_text(QRELS + more)
    found, notes = mrr(folder, text)
    assert found == pytest.approx(value)
    assert note is ... or notes == (() if note is None else (note,))


@each_row(
    ("text", "judged", "said"),
    [
        *((text, QRELS, "answers none of the 3 judged queries") for text in ("", "\n\n", OTHER)),
        ("q1 Q0 a 1 3 t\nq1 Q0 a 2 2 t\n", QRELS, r"odd\.trec:2: .*twice"),
        ("q1 Q0 a 1 nan t\n", QRELS, r"odd\.trec:1: the score is nan"),
        ("q1 Q0 a 1 -inf t\n", QRELS, r"odd\.trec:1: the score is -inf"),
        ("q1 Q0 a 1 3\n", QRELS, r"odd\.trec:1: 5 columns instead of 6"),
        ("q1\ta\t3\n", QRELS, r"odd\.trec:1: 3 columns instead of 6"),
        (GOOD, "", "no relevant paper"),
        (GOOD, "q1 0 a 0\n", "no relevant paper"),
        (GOOD, "q1 0 a\n", "3 columns instead of 4"),
        (GOOD, "q1 0 a yes\n", "no number"),
        (GOOD, "q1 0 a 1\nq1 0 a 0\n", "twice"),
    ],
)
def test_runs_and_judgements_that_cannot_be_used_are_refused(
    text: str, judged: str, said: str, folder: Path
) -> None:
    (folder / "qrels.txt").write_text(judged)
    with pytest.raises(InputError, match=said):
        mrr(folder, text)


def test_two_runs_of_one_name_are_refused(folder: Path) -> None:
    (folder / "other").mkdir()
    again = run(folder / "other", GOOD, name="good")[0]
    with pytest.raises(InputError, match="Two systems are called 'good'"):
        compare([folder / "good.trec", again], folder / "qrels.txt")


def test_json_is_versioned_and_says_what_was_left_out(folder: Path) -> None:
    compared = compare(run(folder, "q1 Q0 a 1 3 t\n"), folder / "qrels.txt", samples=50)
    value = json.loads(RENDERERS["json"](compared))
    assert value["schema"] == SCHEMA == "recsys.comparison/1"
    assert [system["name"] for system in value["systems"]] == ["odd", "good"]
    assert value["systems"][0]["answered"] == 1
    assert value["systems"][1]["measures"]["MRR"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert {pair["measure"] for pair in value["pairs"]} >= {"MRR", "nDCG@20", "query F1@20"}
    assert len(value["notes"]) == 1


def test_the_winner_is_marked_in_every_format(folder: Path) -> None:
    many = [f"q{i}" for i in range(30)]
    (folder / "qrels.txt").write_text("".join(f"{q} 0 a 1\n" for q in many))
    (folder / "good.trec").write_text("".join(f"{q} Q0 a 1 2 t\n" for q in many))
    compared = compare(
        run(folder, "".join(f"{q} Q0 x 1 2 t\n" for q in many)), folder / "qrels.txt", samples=200
    )
    assert "1.000^a" in RENDERERS["table"](compared)
    assert "**1.000**<sup>a</sup>" in RENDERERS["markdown"](compared)
    assert r"\textbf{1.000}$^{a}$" in RENDERERS["latex"](compared)
    assert "significant" in RENDERERS["table"](compared)
