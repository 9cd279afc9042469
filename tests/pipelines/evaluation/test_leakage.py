"""What would reward hindsight or memory is refused, with numbers and the first example."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt, InputError, LeakageError, RecsysError
from recsys.models.encoder import SeenQueries
from recsys.pipelines.evaluation.leakage import check_ranker, check_run
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from tests.rows import each_row


def rows(collection: Collection, *papers: str) -> Rows:
    return collection.corpus.rows(papers)


def seen(folder: Path, collection: Collection, train: Sequence[str], dev: Sequence[str]) -> Path:
    queries = (rows(collection, *part) for part in (train, dev))
    SeenQueries.of(collection, **dict(zip(("train", "dev"), queries, strict=True))).save(folder)
    return folder


def test_what_was_seen_is_stored_compactly_and_read_back(
    collection: Collection, tmp_path: Path
) -> None:
    queries = SeenQueries.load(seen(tmp_path, collection, ["rivers-02", "rivers-03"], []))
    assert queries is not None and (len(queries.train), len(queries.dev)) == (2, 0)
    stored = np.load(tmp_path / "train_queries.npy", allow_pickle=False)
    assert (stored.shape, stored.dtype) == ((2, 6), np.uint8)
    assert np.load(tmp_path / "dev_queries.npy", allow_pickle=False).shape == (0, 6)


@pytest.mark.parametrize("table", [np.zeros((2, 6)), np.zeros(6, np.uint8), None])
def test_what_cannot_be_read_is_to_be_trained_again(
    table: NDArray[np.generic] | None, tmp_path: Path
) -> None:
    SeenQueries().save(tmp_path)
    if table is None:
        (tmp_path / "train_queries.npy").write_bytes(b"cut")
    else:
        np.save(tmp_path / "train_queries.npy", table)
    with pytest.raises(ArtifactCorrupt, match=r"train_queries\.npy") as error:
        SeenQueries.load(tmp_path)
    assert error.value.hint == "Train the model again."


def test_a_ranker_trained_on_the_queries_is_refused(collection: Collection, tmp_path: Path) -> None:
    seen(tmp_path, collection, ["rivers-09", "rivers-10", "rivers-02"], [])
    asked = ["glaciers-09", "rivers-09", "rivers-10"]
    with pytest.raises(LeakageError, match=r"trained on 2 of these 3 test .*'rivers-09'") as error:
        check_ranker(tmp_path, collection, "test", asked)
    assert "recsys train ranker" in error.value.hint
    assert check_ranker(tmp_path, collection, "test", ["glaciers-09"]) is None


def test_dev_queries_are_refused_in_a_test_and_named_on_dev(
    collection: Collection, tmp_path: Path
) -> None:
    seen(tmp_path, collection, [], ["rivers-07"])
    asked = ["rivers-07", "rivers-08"]
    with pytest.raises(LeakageError, match="calibrated on 1 of these 2 test"):
        check_ranker(tmp_path, collection, "test", asked)
    warning = check_ranker(tmp_path, collection, "dev", asked)
    assert warning is not None and "calibrated on 1 of these 2" in warning


@pytest.mark.parametrize("named", [True, False])
def test_a_ranker_that_does_not_tell_is_warned_of(
    named: bool, collection: Collection, tmp_path: Path
) -> None:
    warning = check_ranker(tmp_path if named else None, collection, "test", ["rivers-09"])
    assert warning is not None and warning.startswith("Leakage unknown")


@each_row(
    ("papers", "error", "message"),
    [
        (["rivers-06", "rivers-07"], LeakageError, r"newer .* 2 times \(first: 'rivers-06' to"),
        (["undated"], LeakageError, r"year, 1 time \(first: 'undated' to 'rivers-05' of 2005\)"),
        (["rivers-05"], LeakageError, r"a query to itself 1 time \(first: 'rivers-05'"),
        (["mars"], InputError, r"run x .* does not hold 1 time \(first: 'mars' to"),
    ],
)
def test_hindsight_and_unknown_papers_are_refused(
    papers: list[str], error: type[RecsysError], message: str, collection: Collection
) -> None:
    honest = {"rivers-05": ["rivers-04", "deserts-05"], "rivers-06": []}
    check_run("x", honest, collection)
    with pytest.raises(error, match=message):
        check_run("x", honest | {"rivers-05": ["rivers-04", *papers]}, collection)
