"""What corpora teach together: each query is seen again by what has not learned from it."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import benchmarks.corpus_lessons as program
from benchmarks.corpus_lessons import Form, Lessons, lessons_of, teach_together
from recsys.pipelines.ranking.cross_fitting import TrainedRanker, teach
from recsys.ranking.features import feature_names
from recsys.ranking.two_pass import SECOND_NAMES

if TYPE_CHECKING:
    from tests.built_index import Built

NAMES = feature_names(metadata=False, any_corpus=True)


@pytest.fixture
def lessons(built: "Built", tmp_path: Path) -> list[Lessons]:
    """Lessons of two corpora of the same papers, which drew other queries."""
    for name in ("small", "twin"):
        (tmp_path / name).mkdir()
        shutil.copy(built.split, tmp_path / name / "split.json")
        shutil.copytree(built.index, tmp_path / f"{name}.index")
    most = {"small": 12, "twin": 7}
    forms = [
        Form(name, tmp_path / f"{name}.index", tmp_path / name / "split.json") for name in most
    ]
    return [lessons_of(form, NAMES, seed=0, most=most[form.corpus]) for form in forms]


def test_the_second_look_reads_chances_by_what_has_not_learned_from_the_query(
    lessons: list[Lessons], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[TrainedRanker]()

    def watched(*tables: Any, **options: Any) -> TrainedRanker:  # noqa: ANN401
        made.append(teach(*tables, **options))
        return made[-1]

    monkeypatch.setattr(program, "teach", watched)
    taught = teach_together(lessons, seed=0)
    first, second = made
    assert taught.ranker.first is first.ranker
    assert taught.ranker.feature_names == (*NAMES, *SECOND_NAMES)
    held_out = first.ranker.calibrated(first.scores)
    by_the_mean = first.ranker.chances(np.concatenate([first.train.features, first.dev.features]))
    assert not np.array_equal(held_out, by_the_mean)
    read = np.concatenate([second.train.features, second.dev.features])[:, len(NAMES)]
    np.testing.assert_array_equal(read, held_out)
    for again, before in ((second.train, first.train), (second.dev, first.dev)):
        np.testing.assert_array_equal(again.features[:, : len(NAMES)], before.features)
        np.testing.assert_array_equal(again.relevant, before.relevant)


def test_what_was_learned_from_is_train_and_dev(lessons: list[Lessons]) -> None:
    for each in lessons:
        train, dev = each.queries
        assert (len(each.seen.train), len(each.seen.dev)) == (len(train) + len(dev), 0)
