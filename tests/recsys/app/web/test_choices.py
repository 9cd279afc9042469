"""What filters offer is counted among the papers that an answer holds."""

from dataclasses import replace
from pathlib import Path

from recsys.app.web.choices import choices_of
from recsys.query.question_schema import Filters
from recsys.records import Paper
from tests.small_recommender import DRAFT, ids, stored

NAMES = ("boats", "kites", "gauges", "sounding", "eye")
VENUES = ("Journal of Rivers 2001", "Journal of Rivers", "Journal of Rivers", "Ice [Letters]", None)


def papers() -> list[Paper]:
    return [
        Paper(
            f"p{number}",
            f"Rivers measured by {NAMES[number]}",
            year=2000 + number,
            venue=venue,
            labels={"doc_type": "Article; Review" if number == 3 else "Article"},
        )
        for number, venue in enumerate(VENUES)
    ]


def test_venues_and_types_are_counted_and_spellings_are_one(tmp_path: Path) -> None:
    found = choices_of(stored(papers(), tmp_path / "corpus"), DRAFT)
    assert found.venues == (
        ("journal of rivers", "Journal of Rivers", 3),
        ("ice letters", "Ice [Letters]", 1),
    )
    assert found.types == (("article", 5), ("review", 1))
    assert found.papers == 5
    assert set(found.probabilities) == {0, 1, 2, 3, 4}


def test_a_box_lets_through_as_many_papers_as_it_says(tmp_path: Path) -> None:
    recommender = stored(papers(), tmp_path / "corpus")
    found = choices_of(recommender, DRAFT)
    for value, _, count in found.venues:
        assert len(ids(recommender.recommend(DRAFT, filters=Filters(venues=(value,))))) == count
    for kind, count in found.types:
        assert len(ids(recommender.recommend(DRAFT, filters=Filters(types=(kind,))))) == count


def test_nothing_is_offered_where_nothing_is_found(tmp_path: Path) -> None:
    draft = replace(DRAFT, references=tuple(f"p{number}" for number in range(5)))
    assert choices_of(stored(papers(), tmp_path / "corpus"), draft).papers == 0
