"""What the program wrote when it was last looked at, compared with what it writes now.

After a change that is meant to show: `RECSYS_UPDATE_GOLDEN=1 python -m pytest tests/test_golden.py`
writes the files anew, and `git diff tests/golden` tells whether the change is the intended one. To
train the shipped ranker again is such a change: it ranks here, so that every feature is compared.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main

from recsys.app.cli.program import application
from recsys.app.wiring import data_folder
from recsys.formats.answers import as_json
from recsys.formats.drafts.draft_formats import read_draft
from recsys.indexes.bm25 import Bm25Index, write_postings
from recsys.indexes.exact import ExactIndex
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.evaluation.batch import BatchOptions, run_batch
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.ranking.ranker import TreeRanker
from recsys.recommend import Recommender
from recsys.store.artifacts import CORPUS, ranker_folder, seal
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from recsys.store.terms import TermStore
from tests.hashing_encoder import HashingEncoder

if TYPE_CHECKING:
    from tests.conftest import RunCli

GOLDEN = Path(__file__).resolve().parent / "golden"
UPDATE = bool(os.environ.get("RECSYS_UPDATE_GOLDEN"))
TOLERANCE = 1e-4

pytestmark = pytest.mark.usefixtures("one_process")


def open_golden(folder: Path, *, metadata: bool = True) -> Recommender:
    """Open the tiny corpus with an encoder that gives the same vectors on every machine."""
    folder = folder / CORPUS
    terms = TermStore.load(folder)
    corpus = Corpus.load(folder)
    texts = [(each["title"], each["abstract"]) for each in corpus.texts().to_pylist()]
    vectors = HashingEncoder().encode(texts)
    collection = Collection(
        corpus=corpus,
        graph=CitationGraph.load(folder),
        terms=terms,
        vectors=vectors,
        vector_index=ExactIndex(vectors),
        text_index=Bm25Index.load(folder, terms),
    )
    return Recommender(
        collection,
        HashingEncoder(),
        TreeRanker.load(ranker_folder(data_folder(), metadata=metadata)),
        metadata=metadata,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    index = tmp_path_factory.mktemp("golden") / "tiny.index"
    folder = index / CORPUS
    folder.mkdir(parents=True)
    ingest(source_files([GOLDEN / "papers.jsonl"]), folder)
    texts = Corpus.load(folder).texts().to_pylist()
    store = TermStore.build((each["title"], each["abstract"]) for each in texts)
    store.save(folder)
    write_postings(folder)
    seal(index, "tiny index", 1, {})
    return index


def expected(name: str, now: str) -> str:
    """Return what a golden file holds; when updating, write it first."""
    path = GOLDEN / name
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(now, encoding="utf-8")
    return path.read_text(encoding="utf-8")


def assert_alike(now: object, before: object, place: str = "answer") -> None:
    """Compare JSON values, floats within a tolerance."""
    if isinstance(before, float):
        assert now == pytest.approx(before, abs=TOLERANCE), place
    elif isinstance(before, dict) and isinstance(now, dict):
        assert list(now) == list(before), place
        for key, value in before.items():
            assert_alike(now[key], value, f"{place}.{key}")
    elif isinstance(before, list) and isinstance(now, list):
        assert len(now) == len(before), place
        for at, value in enumerate(before):
            assert_alike(now[at], value, f"{place}[{at}]")
    else:
        assert now == before, place


@pytest.mark.parametrize("system", ["two-stage", "stage-one", "embedding", "bm25"])
def test_the_run_is_the_one_of_before(folder: Path, tmp_path: Path, system: str) -> None:
    run = tmp_path / "run.trec"
    options = BatchOptions(system=system, k=10, engine=ProcessPool(1))
    run_batch(folder, GOLDEN / "split.json", options, run, open_index=open_golden)
    now = run.read_text(encoding="utf-8")
    before = expected(f"{system}.trec", now)
    rows = [[line.split() for line in text.splitlines()] for text in (now, before)]
    assert [row[:4] + row[5:] for row in rows[0]] == [row[:4] + row[5:] for row in rows[1]]
    scores = [[float(row[4]) for row in each] for each in rows]
    assert scores[0] == pytest.approx(scores[1], abs=TOLERANCE)


def test_the_answer_is_the_one_of_before(folder: Path) -> None:
    answer = open_golden(folder).recommend(read_draft(GOLDEN / "draft.json"), 6)
    now = as_json(answer)
    value: dict[str, Any] = json.loads(now)
    assert value["schema"] == "recsys.answer/1"
    assert_alike(value, json.loads(expected("answer.json", now)))


def commands() -> Iterator[tuple[str, ...]]:
    """Name every command of the program: (), ("recommend",), ("train", "ranker") ..."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:  # noqa: ANN401
        yield path
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, (*path, name))

    return walk(typer.main.get_command(application()), ())


@pytest.mark.parametrize("command", list(commands()), ids=lambda path: " ".join(("recsys", *path)))
def test_the_help_is_the_one_of_before(
    command: tuple[str, ...], run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    done = run_cli(*command, "--help")
    assert (done.code, done.err) == (0, "")
    name = "help/" + "-".join(("recsys", *command)) + ".txt"
    now = "\n".join(line.rstrip() for line in done.out.splitlines()) + "\n"
    assert now == expected(name, now)


def test_every_help_file_belongs_to_a_command() -> None:
    names = {"-".join(("recsys", *command)) + ".txt" for command in commands()}
    assert {path.name for path in (GOLDEN / "help").iterdir()} == names
