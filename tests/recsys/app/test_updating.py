"""`recsys update` as a user sees it."""

import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.app.inspection import inspect_artifact
from recsys.app.wiring import open_index
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.jobs.index_writer import writing
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force, pin
from tests.built_index import DRAFT, finished_shards, stopped, write_many
from tests.pipelines.small_index import invented_papers, write_small_nnselect

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

NEW = {"id": "new", "title": "Rivers and glaciers, once more", "year": 2012}
ASKED = Draft(DRAFT["title"], DRAFT["abstract"])


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


def written(path: Path, papers: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in papers), encoding="utf-8")
    return path


def ids(index: Path) -> set[str]:
    corpus = Corpus.load(in_force(index) / "corpus")
    return {corpus.ids[row] for row in range(len(corpus))}


def answered(recommender: Recommender) -> list[tuple[str, float]]:
    answer = recommender.recommend(ASKED, 60)
    return [(each.paper.id, each.score) for each in answer.recommendations]


def state(index: Path) -> dict[str, bytes]:
    """Read every file of an index but its lock."""
    return {
        path.relative_to(index).as_posix(): path.read_bytes()
        for path in index.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def test_papers_are_added_and_replaced(index: Path, tmp_path: Path, run_cli: "RunCli") -> None:
    changed = invented_papers()[0] | {"title": "Something else entirely"}
    more = written(tmp_path / "more.jsonl", [NEW, changed, invented_papers()[1]])
    done = run_cli("update", index, more)
    assert (done.code, done.out) == (0, "")
    assert "3 papers read as recsys" in done.err
    assert "papers: 1 added, 1 replaced; 51 in total" in done.err
    assert done.err.endswith(f"Saved in {index}.\n")
    answer = open_index(index).recommend(ASKED, 60)
    titles = {each.paper.id: each.paper.title for each in answer.recommendations}
    assert titles["new"] == NEW["title"]
    assert titles[str(changed["id"])] == "Something else entirely"
    again = run_cli("update", index, more)
    assert again.code == 0 and "papers: none changed; 51 in total" in again.err
    assert f"{index} already holds these papers: nothing was changed." in again.err


@pytest.mark.parametrize("where", ["file", "-"])
def test_papers_are_removed(where: str, index: Path, tmp_path: Path, run_cli: "RunCli") -> None:
    listed = "# gone\nrivers-03\n\nnobody\n"
    (tmp_path / "ids.txt").write_text(listed)
    source = "-" if where == "-" else tmp_path / "ids.txt"
    done = run_cli("update", index, "--remove", source, stdin=listed.encode())
    assert done.code == 0 and "papers: 1 removed; 49 in total" in done.err
    assert "not removed because not in the index: 'nobody'" in done.err
    assert "citations: 0 gained, 4 lost" in done.err
    assert "rivers-03" not in ids(index) and len(ids(index)) == 49


def test_an_index_becomes_a_file(
    index: Path, built: "Built", tmp_path: Path, run_cli: "RunCli"
) -> None:
    everything = written(tmp_path / "all.jsonl", [*invented_papers()[2:], NEW])
    done = run_cli("update", index, "--from", everything)
    assert "papers: 1 added, 2 removed; 49 in total" in done.err
    assert ids(index) == {str(each["id"]) for each in [*invented_papers()[2:], NEW]}
    before = state(index)
    same = run_cli("build", everything, "--out", index)
    assert f"{index} is up to date" in same.err and state(index) == before
    assert run_cli("build", built.papers, "--out", index).code == 1


def test_the_search_of_vectors_is_prepared_anew(index: Path, run_cli: "RunCli") -> None:
    before, answers = in_force(index), answered(open_index(index))
    done = run_cli("update", index, "--compact")
    assert done.code == 0 and "papers: none changed; 50 in total" in done.err
    assert in_force(index) != before and answered(open_index(index)) == answers


@pytest.mark.parametrize("named", [None, "exact"])
def test_what_searches_the_vectors_changes_when_it_is_prepared_anew(
    named: str | None,
    built: "Built",
    tmp_path: Path,
    run_cli: "RunCli",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index = tmp_path / "one.index"
    build([built.papers], index, BuildOptions(vectors=named), cache=cache_folder())
    monkeypatch.setattr(
        "recsys.pipelines.index.update.by_size", lambda n: "int8" if n == 51 else "ivf"
    )
    found = []
    for words in ((written(tmp_path / "more.jsonl", [NEW]),), ("--compact",)):
        assert run_cli("update", index, *words).code == 0
        found.append(pin(index).manifest().config["ann"]["backend"])
    assert found == ["exact", named or "int8"]


def test_what_contradicts_itself_or_cannot_be_read_leaves_the_index_as_it_was(
    index: Path, built: "Built", tmp_path: Path, run_cli: "RunCli"
) -> None:
    before, bad, fifo = state(index), tmp_path / "bad.jsonl", tmp_path / "fifo"
    no, every = tmp_path / "ids.txt", tmp_path / "every.txt"
    bad.write_text("no JSON\n")
    no.write_text("rivers-00\n")
    every.write_text("\n".join(ids(index)))
    os.mkfifo(fifo)
    for words, said in (
        ((built.papers, "--from", built.papers), "Both SOURCES and --from were given"),
        (("--from", built.papers, "--remove", no), "exactly the papers of some files"),
        ((), "nothing to update with"),
        ((built.papers, "--embeddings", tmp_path / "x.npy"), "were made by minilm"),
        ((bad,), "bad.jsonl"),
        ((tmp_path / "none.jsonl",), f"There is no file of papers at {tmp_path / 'none.jsonl'}."),
        (("-",), "standard input is not a regular file, and papers are read more than once."),
        ((fifo,), f"{fifo} is not a regular file"),
        ((tmp_path,), f"None of 3 files holds a usable paper. {bad}: "),
        (("--remove", tmp_path / "none.txt"), "none.txt cannot be read as a list of ids"),
        (("--remove", every), "No paper would be left"),
    ):
        done = run_cli("update", index, *words)
        assert done.code == 1 and said in done.err, done.err
    assert state(index) == before


def test_the_rejected_lines_are_where_the_report_says(tmp_path: Path, run_cli: "RunCli") -> None:
    papers, index = tmp_path / "papers.jsonl", tmp_path / "my.index"
    written(papers, [NEW, {"id": "x", "title": ""}])
    reports = [run_cli("build", papers, "--out", index)]
    rejects = index / "generations" / "1" / "corpus" / "rejects.jsonl"
    assert json.loads(rejects.read_text())["line"] == 2
    written(papers, [{"id": "y"}, {"id": "z", "title": "Deserts"}])
    reports.append(run_cli("update", index, papers))
    for number, done in enumerate(reports, 1):
        path = index / "generations" / str(number) / "corpus" / "rejects.jsonl"
        assert "1 line rejected (" in done.err
        assert f"Rejected lines: see {path}." in done.err
    assert json.loads(path.read_text())["line"] == 1


def test_models_are_carried_or_left_out_and_that_is_said(
    index: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    corpus = Corpus.load(in_force(index) / "corpus")
    texts = [(each["title"], each["abstract"]) for each in corpus.texts().to_pylist()]
    with writing(index) as writer:
        with writer.member("nnselect") as new:
            new.rmdir()
            write_small_nnselect(new, texts)
        with writer.member("nnrank") as new:
            (new / "weights").write_text("of its very rows")
    done = run_cli("update", index, written(tmp_path / "more.jsonl", [NEW]))
    assert done.code == 0 and "The nnrank no longer fits the index: train it again." in done.err
    assert not (in_force(index) / "nnrank").exists()
    carried = np.load(in_force(index) / "nnselect" / "vectors.npy")
    assert len(carried) == 51
    inspect_artifact(index, hashes=True)


def test_a_reader_goes_on_answering_as_before(
    index: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    reader = open_index(index)
    before = answered(open_index(index))
    for number in range(2):
        paper = NEW | {"id": f"new-{number}"}
        assert run_cli("update", index, written(tmp_path / "more.jsonl", [paper])).code == 0
    assert answered(reader) == before
    assert {"new-0", "new-1"} <= dict(answered(open_index(index))).keys()


def test_vectors_from_elsewhere_are_given_with_new_papers(
    tmp_path: Path, run_cli: "RunCli"
) -> None:
    names = [str(each["id"]) for each in invented_papers()]
    vectors = np.random.default_rng(0).standard_normal((len(names) + 1, 8)).astype(np.float32)
    own, more = tmp_path / "own.npy", tmp_path / "more.npy"
    write_embeddings(own, Embeddings(tuple(names), vectors[:-1]))
    papers, index = written(tmp_path / "all.jsonl", invented_papers()), tmp_path / "my.index"
    assert run_cli("build", papers, "--out", index, "--embeddings", own).code == 0
    new = written(tmp_path / "new.jsonl", [NEW])
    before = state(index)
    write_embeddings(more, Embeddings(("new",), vectors[-1:, :7]))
    refused = run_cli("update", index, new, "--embeddings", more)
    assert refused.code == 1 and "have 7 numbers, those of the index 8" in refused.err
    assert state(index) == before
    write_embeddings(more, Embeddings(("new",), vectors[-1:]))
    assert run_cli("update", index, new, "--embeddings", more).code == 0
    row = sorted([*names, "new"]).index("new")
    found = np.load(in_force(index) / "vectors" / "vectors.npy")[row]
    np.testing.assert_allclose(found, vectors[-1] / np.linalg.norm(vectors[-1]), atol=1e-6)


@pytest.mark.slow  # Usually `test_update_law` kills some.
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_update_continues(
    number: signal.Signals, index: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    many, work = write_many(tmp_path / "many.jsonl"), index / "unfinished" / "update"
    before = answered(open_index(index))
    code, _ = stopped(number, ("update", index, many), when=lambda: bool(finished_shards(work)))
    assert code and finished_shards(work)
    assert answered(open_index(index)) == before
    told = (work / "vectors.shards" / "vectors.json").stat().st_mtime_ns
    finished = sorted(path.name for path in (work / "finished").iterdir())
    assert finished == ["corpus", "text"] and told
    done = run_cli("update", index, many)
    assert done.code == 0 and "papers: 1,100 added; 1,150 in total" in done.err
    assert not (index / "unfinished").exists()
    inspect_artifact(index, hashes=True)
