"""The recommendation task of SciDocs as files."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.recommendation_task import (
    METADATA,
    PROPENSITIES,
    TEST,
    TRAIN,
    VALIDATION,
    RecommendationTask,
    RelatedPaper,
    read_task,
    write_task,
)

HEADER = "query_id,clicked_id,similar_papers\n"
PAPER: dict[str, object] = {
    "paper_id": "a",
    "title": "A title",
    "abstract": None,
    "year": 2015,
    "authors": ["1", "2"],
    "references": ["b", "b"],
    "cited_by": [],
}
WORDS = st.frozensets(st.text("abc", min_size=1, max_size=2), max_size=3)
RELATED = st.builds(
    RelatedPaper, st.text(max_size=4), st.none() | st.integers(1, 9999), WORDS, WORDS, WORDS
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Lay a task out by hand."""
    folder = tmp_path / "scidocs"
    (folder / "recomm").mkdir(parents=True)
    (folder / TRAIN).write_text(f'{HEADER}q,a,"a,b,c"\nq,c,"a,b,c"\n')
    (folder / VALIDATION).write_text(f'{HEADER}q,b,"b,a"\n')
    (folder / TEST).write_text(f"{HEADER}r,a,a\n")
    (folder / PROPENSITIES).write_text('{"scores": [0.9, 0.5, 0.2]}')
    (folder / METADATA).write_text(json.dumps({"a": PAPER}))
    return folder


def with_paper(root: Path, record: object) -> RelatedPaper:
    (root / METADATA).write_text(json.dumps({"a": record}))
    return read_task(root).papers["a"]


def test_a_task_is_read_from_its_published_layout(root: Path) -> None:
    task = read_task(root)
    assert list(task.train.impressions()) == [
        Impression("q", ("a", "b", "c"), ("a",)),
        Impression("q", ("a", "b", "c"), ("c",)),
    ]
    assert list(task.validation.impressions()) == [Impression("q", ("b", "a"), ("b",))]
    assert list(task.test.impressions()) == [Impression("r", ("a",), ("a",))]
    assert task.propensities.values.tolist() == [0.9, 0.5, 0.2]
    expected = RelatedPaper("A title", 2015, frozenset("12"), frozenset("b"), frozenset())
    assert task.papers == {"a": expected}


@given(st.dictionaries(st.text(min_size=1, max_size=3), RELATED, max_size=3))
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, papers: dict[str, RelatedPaper]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "written task"
    train, validation, test = (
        ClickLog.of([Impression("q", tuple("abc"), (paper,))]) for paper in "abc"
    )
    propensities = Propensities("swap", np.array([1.0, 0.5, 0.1]))
    task = RecommendationTask(train, validation, test, papers, propensities)
    write_task(folder, task)
    read = read_task(folder)
    assert read.papers == papers and list(read.papers) == list(papers)
    assert read.propensities.method == "swap"
    for log, found in ((train, read.train), (validation, read.validation), (test, read.test)):
        assert list(found.impressions()) == list(log.impressions())
    once = [path.read_bytes() for path in sorted(folder.rglob("*.*"))]
    write_task(folder, read)
    assert [path.read_bytes() for path in sorted(folder.rglob("*.*"))] == once


@pytest.mark.parametrize("field", ["title", "year", "authors", "references", "cited_by"])
def test_a_paper_that_lacks_a_field_is_an_error(root: Path, field: str) -> None:
    with pytest.raises(InputError, match=f"{METADATA}: The paper 'a' has no field '{field}'"):
        with_paper(root, {key: value for key, value in PAPER.items() if key != field})


NOBODY: frozenset[str] = frozenset()
NO_YEARS = (None, "", "forthcoming", 0, 10**400, float("nan"), float("inf"))


def test_what_is_null_or_no_year_is_unknown_and_numbers_are_ids(root: Path) -> None:
    for year in (2015, "2015", 2015.0):
        assert with_paper(root, {**PAPER, "year": year}).year == 2015
    for unknown in NO_YEARS:
        assert with_paper(root, {**PAPER, "year": unknown}).year is None
    assert with_paper(root, dict.fromkeys(PAPER)) == RelatedPaper("", None, NOBODY, NOBODY, NOBODY)
    assert with_paper(root, {**PAPER, "authors": [1, "2"]}).authors == {"1", "2"}


@pytest.mark.parametrize(
    ("record", "what"),
    [
        (["a"], "The paper 'a' is ['a'], no object."),
        ({**PAPER, "title": 5}, "The field 'title' of the paper 'a' has 5 instead of text."),
        ({**PAPER, "year": [2015]}, "The field 'year' of the paper 'a' has [2015] instead of a "),
        ({**PAPER, "authors": "1"}, "'authors' of the paper 'a' has '1' instead of a list of ids."),
        ({**PAPER, "cited_by": [None]}, "'cited_by' of the paper 'a' has None instead of an id."),
        ({**PAPER, "references": [["b"]]}, "of the paper 'a' has ['b'] instead of an id."),
    ],
)
def test_a_value_of_another_type_is_an_error(root: Path, record: object, what: str) -> None:
    with pytest.raises(InputError) as caught:
        with_paper(root, record)
    assert f"{root / METADATA}: " in str(caught.value)
    assert what in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_metadata_that_is_no_json_object_is_an_error(root: Path, content: bytes) -> None:
    (root / METADATA).write_bytes(content)
    with pytest.raises(InputError, match=f"{METADATA} (is not JSON|holds no JSON object)"):
        read_task(root)


def test_a_list_longer_than_the_table_is_an_error_with_both_lengths(root: Path) -> None:
    (root / PROPENSITIES).write_text('{"scores": [0.9, 0.5]}')
    with pytest.raises(InputError, match=r"A list in \S*train\.csv shows 3 .* covers 2 pos"):
        read_task(root)


def test_every_missing_file_is_named(root: Path, tmp_path: Path) -> None:
    for name in (VALIDATION, METADATA):
        (root / name).unlink()
    with pytest.raises(InputError, match=rf"lacks {VALIDATION}, {METADATA}\. SciDocs' data has"):
        read_task(root)
    shutil.rmtree(root)
    with pytest.raises(InputError, match="scidocs has no folder recomm"):
        read_task(root)


def test_a_broken_click_is_named_by_its_file_and_line(root: Path) -> None:
    with (root / TEST).open("a") as file:
        file.write("q,z,a\n")
    with pytest.raises(InputError, match=r"test\.csv:3: Query 'q': 'z' was clicked, but not shown"):
        read_task(root)
