"""The page on a training: its curves, its table, and what it takes to make it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt
from recsys.eval.report.evaluation_pictures import INK
from recsys.eval.report.page import FORMATS
from recsys.eval.studies.encoders.training_page import (
    PAGE,
    POINTS,
    TRAINING,
    Course,
    add_page,
    averaged,
    course_pictures,
    course_table,
    draw_dev,
    draw_losses,
    epochs,
    is_training,
    made,
    page_note,
    read_training,
    training_page,
)
from tests.eval.page_tags import tags_of

SVG = "{http://www.w3.org/2000/svg}"
LOSSES = [1.0, 0.8, 0.6, 0.2, 0.3]
HISTORY: dict[str, Any] = {
    "losses": LOSSES,
    "checked": [0, 2, 4, 5],
    "measures": [0.25, 0.5, 0.75, 0.7],
    "watched": [[0.2, 0.3], [0.5, 0.5], [0.9, 0.6], [0.8, 0.6]],
    "epoch_steps": 4,
    "examples": 1200,
    "seconds": 60.0,
    "continued": 3,
    "stopped": True,
}
FACTS: dict[str, Any] = {
    "schema": "recsys.training/1",
    "created_by": "recsys 9.9",
    "start": "<minilm>",
    "start_hash": "c0ffee",
    "options": {
        "start": "minilm",
        "draw": {"per_query": 5, "near": 0},
        "loop": {"pace": {"rate": 2e-5}, "steps": None},
        "lora": {"places": ["attention", "feed-forward"]},
        "half": False,
    },
    "learned_numbers": 12345,
    "sources": {"one.index": ["beef"], "other.index": ["dead"]},
    "measure": "R@20",
    "history": HISTORY,
}


def course(losses: list[float], epoch: int = 4) -> Course:
    return Course("one", losses, [0, len(losses)], [0.5, 0.25], epoch)


def texts(svg: str) -> set[str]:
    return {each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")}


def test_each_check_is_a_row() -> None:
    table = course_table(Course.of("own", HISTORY), "R@20")
    assert table.header == ("step", "epoch", "loss", "R@20")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["0", "0.00", "", "0.2500"],
        ["2", "0.50", "0.9000", "0.5000"],
        ["4", "1.00", "0.4000", "0.7500"],
        ["5", "1.25", "0.3000", "0.7000"],
    ]
    assert [row[3].best for row in table.rows] == [False, False, True, False]


@given(st.integers(1, 1000))
def test_a_loss_curve_has_few_points(steps: int) -> None:
    size = averaged(course([1.0] * steps))
    assert -(-steps // size) <= POINTS
    assert size == 1 or -(-steps // (size - 1)) > POINTS


def test_epochs_that_all_share_are_marked() -> None:
    assert list(epochs([course([1.0] * 9), course([1.0] * 3)])) == [4, 8]
    assert list(epochs([course([1.0] * 8)])) == [4]
    assert not epochs([course([1.0] * 9), course([1.0] * 9, epoch=3)])
    assert not epochs([course([1.0] * 99, epoch=1)])


def plain(draws: Callable[[], str]) -> str:
    """Draw twice: the same, in the colour of the page."""
    svg = draws()
    assert svg == draws()
    assert "currentColor" in svg and INK not in svg
    return svg


def test_pictures_name_their_lines() -> None:
    alone = texts(plain(lambda: draw_dev([Course.of("own", HISTORY)], "R@20")))
    assert {"R@20", "steps"} <= alone and "own" not in alone
    pair = [Course.of(name, HISTORY) for name in ("full", "other")]
    assert {"full", "other"} <= texts(plain(lambda: draw_losses(pair)))
    assert {"full", "other"} <= texts(plain(lambda: draw_dev(pair, "R@20")))


def test_captions_say_what_is_there() -> None:
    short = course_pictures([course([0.5] * 5)], "R@20")
    assert short["loss"].caption == "Loss by step; dotted: a new epoch begins."
    long = [course(np.linspace(1, 0, 2 * POINTS).tolist(), 1000)]
    assert course_pictures(long, "R@20")["loss"].caption == (
        "Loss by step, a point for 2 of them on average; band: four of five steps."
    )
    never = Course("own", [], [0], [0.5], 4)  # Stopped before the first step.
    assert list(course_pictures([never], "R@20")) == ["dev"]


def test_the_page_shows_curves_and_how_the_encoder_was_made() -> None:
    page = training_page(FACTS, "own")
    text = FORMATS["html"](page)
    tags = tags_of(text)
    assert tags.stack == [] and len([tag for tag, _ in tags.opened if tag == "svg"]) == 2
    assert "<minilm>" not in text and "&lt;minilm&gt;" in text
    assert "0.2500 before, 0.7500 after step 4 of 5, which was kept" in text
    assert dict(made(FACTS)) == {
        "weights at the start": "<minilm>, c0ffee",
        "learned numbers": "12,345",
        "source": "other.index, dead",
        "start": "minilm",
        "draw": "per query 5, near 0",
        "loop": "pace rate 2e-05, steps usual",
        "lora": "places attention and feed-forward",
        "half": "no",
        "examples": "1,200, 20.0 per second",
        "time": "1.0 minutes, without judging",
        "continued": "after 3 steps",
        "stopped": "The time was up before the last step.",
        "made by": "recsys 9.9",
    }
    assert json.loads(FORMATS["json"](page)) == FACTS
    assert "| 4 | 1.00 | 0.4000 | **0.7500** |" in FORMATS["markdown"](page)


def test_a_page_lies_beside_the_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_training(tmp_path)
    (tmp_path / TRAINING).write_text(json.dumps(FACTS), encoding="utf-8")
    assert is_training(tmp_path)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "matplotlib", None)
        add_page(tmp_path, "own")
        assert {each.name for each in tmp_path.iterdir()} == {TRAINING}
        assert page_note(tmp_path).endswith(
            f"pip install 'citerec[report]', then `recsys report {tmp_path}`."
        )
    add_page(tmp_path, "own")
    assert "Training of the encoder own" in (tmp_path / PAGE).read_text(encoding="utf-8")
    assert page_note(tmp_path) == f"Its curves: {tmp_path / PAGE}."


@pytest.mark.parametrize("text", ["no JSON", "[]", "{}", '{"history": {"watched": []}}'])
def test_facts_that_tell_nothing_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / TRAINING).write_text(text, encoding="utf-8")
    with pytest.raises(ArtifactCorrupt, match="does not tell of a training"):
        read_training(tmp_path, "own")
