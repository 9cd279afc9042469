import re
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.formats.answers import FORMATS, percent, render
from recsys.records import Answer, Paper, Place
from tests.rows import each_row


@pytest.mark.parametrize("name", FORMATS)
def test_an_answer_is_written_as_the_golden_file_has_it(answer: Answer, name: str) -> None:
    other = Paper("x1", "SPECTER", year=2019, venue="*Preprints*", doi="10.1/x1")
    first = replace(answer.recommendations[0], versions=(other,))
    told = replace(
        answer,
        recommendations=(first, *answer.recommendations[1:]),
        title="Of *bees* & <b>nests</b>",
        draft="a/paper.tex",
        where={"specter": Place("Papers are [vectors].", 0.51234567, 120, 3, section="Method")},
    )
    file = Path(__file__).parent / "golden" / f"answer.{name}"
    text = re.sub(r"\d+ \w+ \d{4} · recsys [\w.]+", "DATE · recsys VERSION", render(told, name))
    assert text == file.read_bytes().decode()
    assert FORMATS[name].suffix.startswith(".")
    assert "versions" not in render(answer, name)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_lets_a_title_steer_the_terminal(answer: Answer, name: str) -> None:
    first = answer.recommendations[0]
    paper = replace(first.paper, title="evil \x1b[2J title", venue="\x9b1A", id="a\x07b\nc")
    hostile = replace(answer, recommendations=(replace(first, paper=paper),))
    printed = render(hostile, name)
    assert not set(printed) & {"\x1b", "\x9b", "\x07"}


@each_row(
    ("probability", "shown"),
    [
        (0, "0 %"),
        (0.0005, "<0.1 %"),
        (0.001, "0.1 %"),
        (0.01, "1.0 %"),
        (0.0744, "7.4 %"),
        (0.0996, "10 %"),
        (0.1, "10 %"),
        (0.5, "50 %"),
        (0.994, ">99 %"),
        (1, "100 %"),
    ],
)
def test_a_chance_is_never_rounded_to_certainty(probability: float, shown: str) -> None:
    assert percent(probability) == shown
