"""Runs from elsewhere: any scores, any other queries, no leaks."""

from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.pipelines.evaluation.evaluate import read_external
from recsys.store.collection import Collection

QUERIES = ["rivers-09", "rivers-10", "rivers-11"]


def written(folder: Path, *lines: str) -> dict[str, Path]:
    path = folder / "run.trec"
    path.write_text("".join(f"{line} theirs\n" for line in lines), encoding="utf-8")
    return {"theirs": path}


def test_a_run_is_ordered_cut_and_scored_by_rank(collection: Collection, tmp_path: Path) -> None:
    runs = written(
        tmp_path,
        "rivers-10 Q0 rivers-02 1 -7.5",
        "rivers-10 Q0 rivers-08 2 1e9",
        "rivers-10 Q0 rivers-03 3 -7.5",
        "rivers-05 Q0 rivers-04 1 1",
    )
    run = read_external(runs, collection, QUERIES, k=2)["theirs"]
    ((query, papers, scores),) = run.rankings
    assert (query, papers, scores.tolist()) == ("rivers-10", ["rivers-08", "rivers-02"], [2, 1])
    assert (run.facts["answered"], run.facts["other_queries"]) == (1, 1)


def test_a_run_of_other_queries_is_refused(collection: Collection, tmp_path: Path) -> None:
    runs = written(tmp_path, "rivers-05 Q0 rivers-04 1 1")
    with pytest.raises(InputError, match="none of the 3 queries"):
        read_external(runs, collection, QUERIES, k=5)


@pytest.mark.parametrize("name", ["two-stage", "a/b", "", ".x", "a b"])
def test_names_that_cannot_be_used_are_refused(
    name: str, collection: Collection, tmp_path: Path
) -> None:
    runs = written(tmp_path, "rivers-09 Q0 rivers-04 1 1")
    with pytest.raises(InputError):
        read_external({name: runs["theirs"]}, collection, QUERIES, k=5)
