import json
from pathlib import Path

import pytest

from recsys.app.wiring import STARTER, data_folder
from recsys.pipelines.planning.measure_here import WORDS, figures_here, long_texts, times_of
from recsys.pipelines.planning.measured_rates import RATES, speed_of
from recsys.progress import silent
from tests.hashing_encoder import HashingEncoder
from tests.rows import each_row

PAPERS = 1000
"""With fewer, there are not drafts enough to ask."""


@pytest.fixture(scope="module")
def figures() -> dict[str, object]:
    return figures_here(long_texts(data_folder() / STARTER), HashingEncoder(), PAPERS, silent)


@each_row("name", [name for name, row in RATES.items() if row.speed != ""])
def test_what_tells_the_speed_is_measured(figures: dict[str, object], name: str) -> None:
    assert speed_of(figures, RATES[name], PAPERS) > 0


def test_a_machine_is_compared_with_that_of_the_results(figures: dict[str, object]) -> None:
    here = speed_of(figures, RATES["words"], PAPERS)
    assert times_of("words", here / 3, figures, PAPERS) == pytest.approx(3)


def test_texts_are_as_long_as_abstracts_are(tmp_path: Path) -> None:
    papers = [{"title": f"t{n}", "abstract": "word " * 40} for n in range(3)] + [{"title": "bare"}]
    source = tmp_path / "papers.jsonl"
    source.write_text("".join(json.dumps(each) + "\n" for each in papers), encoding="utf-8")
    texts = long_texts(source)
    assert [title for title, _ in texts] == ["t0", "t1", "t2"]
    assert all(WORDS <= len((text or "").split()) < WORDS + 40 for _, text in texts)
