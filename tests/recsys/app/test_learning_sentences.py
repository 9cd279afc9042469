"""`recsys add-contexts`, `train local` and `evaluate-local` from the outside."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from recsys.app import wiring
from recsys.app.wiring import open_index, serving_model
from recsys.indexes.opening import open_collection
from recsys.local.local_recommender import LOCAL_RANKER
from recsys.models.encoder import SeenQueries
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.local.store_contexts import read_sentences
from recsys.pipelines.local.train_local import Division, LocalTraining, train_local
from recsys.store.artifacts import CONTEXTS, ENCODER, MANIFEST
from recsys.store.generations import in_force
from tests.pipelines.small_index import TOPICS, YEARS
from tests.recsys.app.web.test_listening import started

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

WAYS = (
    "Of {topic} much is known since survey {age}.",
    "{name} (20{age:02}) measured {topic} with another instrument.",
    "We follow survey {age} on {topic} [CITE].",
    "Instruments for {topic} were compared in survey {age} (see {name}, 20{age:02}).",
)
"""What papers say of those that they cite."""


def write(path: Path, contexts: Sequence[Mapping[str, str | int]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in contexts), encoding="utf-8")
    return path


LEARN = ("--train-until", 2005, "--dev-until", 2009, "--per-paper", 2)


def write_contexts(folder: Path) -> Path:
    """Write what every paper says of the two before it in four ways, and of a stranger."""
    said = [
        {
            "citing": f"{topic}-{age:02}",
            "cited": f"{topic}-{age - back:02}",
            "text": way.format(topic=topic, age=age - back, name=topic.title()),
        }
        for age in range(YEARS)
        for topic in TOPICS
        for back in (1, 2)
        if age >= back
        for way in WAYS
    ]
    stranger = {"citing": "rivers-05", "cited": "nobody", "text": "As nobody said before."}
    return write(folder / "contexts.jsonl", [*said, stranger])


@pytest.fixture
def contexts(tmp_path: Path) -> Path:
    return write_contexts(tmp_path)


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.without_models(tmp_path)


@pytest.fixture(scope="module", autouse=True)
def few_are_enough() -> Iterator[None]:
    """Learn from fewer sentences than would tell anything: each takes a while to be asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recsys.pipelines.local.train_local.FEWEST", 30)
        yield


@pytest.fixture(scope="module")
def learned(few_are_enough: None, built: "Built", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with a local ranker of its own; tests take a copy."""
    folder = tmp_path_factory.mktemp("learned")
    index = built.without_models(folder)
    contexts = read_sentences([write_contexts(folder)]).contexts
    divide = Division(contexts, until=(2005, 2009)).parts
    train_local(index, divide, LocalTraining(), open_index=open_index)
    return index


def test_from_contexts_to_a_report(
    index: Path, contexts: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    added = run_cli("add-contexts", index, contexts)
    assert (added.code, added.out) == (0, "")
    assert "337 contexts read; 336 of them are new" in added.err
    assert f"Saved in {index}." in added.err
    assert (in_force(index) / CONTEXTS).is_dir()

    trained = run_cli("train", "local", index, contexts, *LEARN)
    assert (trained.code, trained.out) == (0, "")
    said = "Train until 2005, dev until 2009: 144 sentences to train on, 128 for dev, 64 left for"
    assert said in trained.err
    assert "Left out: 1 contexts of papers that the corpus does not hold." in trained.err
    assert (in_force(index) / LOCAL_RANKER).is_dir()
    assert (in_force(index) / CONTEXTS).is_dir()

    out = tmp_path / "report"
    asked = ("--out", out, "--systems", "bm25, local", "--per-paper", 2, "--jobs", 1)
    done = run_cli("evaluate-local", index, contexts, *asked, "--years", "2010-2011")
    assert done.code == 0
    assert done.out.startswith("16 sentences; ") and "R@10" in done.out and "\nlocal " in done.out
    facts = json.loads((out / "facts.json").read_text(encoding="utf-8"))
    assert facts["systems"] == ["bm25", "local"]
    assert (facts["known"], facts["masked"]) == ("references", True)
    assert facts["command"].startswith(f"recsys evaluate-local {index} ")
    assert run_cli("report", out, "--quiet").code == 0
    assert "Local citation recommendation on small" in (out / "report.html").read_text("utf-8")
    runs = [out / "runs" / f"{name}.trec" for name in ("bm25", "local")]
    assert "R@10" in run_cli("compare", *runs, "--qrels", out / "qrels.txt").out

    leaking = run_cli("evaluate-local", index, contexts, *asked, "--years", "2005-2010")
    assert leaking.code == 1
    assert "`recsys train local`" in leaking.err and "was trained on" in leaking.err


@pytest.mark.slow  # As `test_encoder_leaks` has it of the other ranker.
def test_a_local_ranker_is_told_to_trust_an_encoder_of_its_papers_too_much(
    index: Path, contexts: Path, run_cli: "RunCli"
) -> None:
    collection = open_collection(index)
    known = collection.corpus.rows([f"rivers-{age:02}" for age in range(2, 12)])
    SeenQueries.of(collection, train=known, dev=known[:0]).save(in_force(index) / ENCODER)
    done = run_cli("train", "local", index, contexts, *LEARN)
    assert done.code == 0
    # Of four topics, 2001 to 2009: the encoder knows one from 2002 on.
    assert "has learned from 8 of the 36 papers of train and dev: the ranker takes" in done.err


def cited(draft: Path, index: Path) -> tuple[object, ...]:
    draft.write_text("# Rivers\n\nOf rivers much is known since survey 3 [CITE].\n")
    return ("cite", draft, "--index", index)


PARTED = "The local ranker of this index was trained with another ranker for drafts"


def test_an_answer_says_that_the_rankers_of_an_index_have_parted(
    built: "Built", index: Path, learned: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    asked = cited(tmp_path / "draft.md", index)
    assert PARTED not in run_cli(*asked).err  # The package's own answers.
    shutil.rmtree(index)
    shutil.copytree(learned, index)
    assert PARTED not in run_cli(*asked).err
    with writing(index) as writer, writer.member("ranker") as new:  # As `train ranker` does.
        shutil.copytree(in_force(built.index) / "ranker", new, dirs_exist_ok=True)
    told = run_cli(*asked)
    assert told.code == 0 and PARTED in told.err
    assert PARTED not in run_cli(*asked, "--quiet").err


def test_rankers_that_learned_of_each_other_are_both_kept(
    built: "Built", contexts: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    index = built.copy(tmp_path)
    asked = cited(tmp_path / "draft.md", index)
    assert run_cli("train", "local", index, contexts, *LEARN).code == 0
    new = write(tmp_path / "new.jsonl", [{"id": "new", "title": "On rivers again", "year": 2012}])
    assert run_cli("update", index, new).code == 0
    assert PARTED not in run_cli(*asked).err


def test_pages_are_served_beside_a_local_ranker_that_cannot_be_read(
    learned: Path, tmp_path: Path
) -> None:
    index = Path(shutil.copytree(learned, tmp_path / "small.index"))
    (in_force(index) / LOCAL_RANKER / MANIFEST).write_text("{", encoding="utf-8")
    with started(index) as (process, address):
        assert process.stderr is not None
        assert "local-ranker" in process.stderr.readline()
        assert httpx2.get(f"{address}healthz", timeout=30).json() == {"status": "ok"}


def test_a_split_says_which_papers_are_asked(
    index: Path, contexts: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"train": ["rivers-03"], "test": ["rivers-05", "undated"]}))
    given = (index, contexts, "--split", split, "--systems", "bm25", "--jobs", 1)
    done = run_cli("evaluate-local", *given, "--out", tmp_path / "a", "--per-paper", 9, "--raw")
    assert done.code == 0 and "8 sentences; " in done.out
    assert json.loads((tmp_path / "a" / "facts.json").read_text())["masked"] is False
    nobody = run_cli("evaluate-local", *given, "--out", tmp_path / "b", "--part", "dev")
    assert nobody.code == 1
    assert "No sentence is by one of the 0 dev papers" in nobody.err
    few = run_cli("train", "local", index, contexts, "--split", split)
    assert few.code == 3
    assert "There are 2 sentences to train on, 0 for dev" in few.err


def test_contexts_of_two_years_cannot_be_divided_by_year(
    index: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    two = [
        {"citing": f"rivers-0{age}", "cited": "rivers-01", "text": "As was said."} for age in (3, 4)
    ]
    done = run_cli("train", "local", index, write(tmp_path / "two.jsonl", two))
    assert done.code == 1
    assert "The citing papers are of 2 years" in done.err and "--split FILE" in done.err


def test_files_without_contexts_of_ours_are_refused(
    built: "Built", run_cli: "RunCli", tmp_path: Path
) -> None:
    strangers, notes = tmp_path / "strangers.jsonl", tmp_path / "notes.txt"
    write(strangers, [{"citing": "a", "cited": "b", "text": "As was said."}])
    notes.write_text("No contexts at all.\n")
    out = ("--out", tmp_path / "out")
    for name, more in (("add-contexts", ()), ("train local", ()), ("evaluate-local", out)):
        for file, said in (
            (strangers, "None of the "),
            (notes, "known format"),
            (tmp_path / "nothing.jsonl", "nothing.jsonl"),
        ):
            done = run_cli(*name.split(), built.index, file, *more)
            assert done.code == 1 and said in done.err, (name, file)
    assert not (tmp_path / "out").exists()


def test_what_is_not_read_is_counted(
    index: Path, run_cli: "RunCli", contexts: Path, tmp_path: Path
) -> None:
    with contexts.open("a", encoding="utf-8") as file:
        file.write('{"citing": "rivers-05", "cited": "rivers-04", "text": "[CITE]"}\n{"cut\n')
    done = run_cli(
        "evaluate-local", index, contexts, "--out", tmp_path / "out", "--systems", "bm25",
        "--known", "sentence", "--years", "2011", "--jobs", 1,
    )  # fmt: skip
    assert done.code == 0 and "4 sentences; " in done.out
    assert "Not read: " in done.err and "no sentence around the mark: 1" in done.err


def test_no_sentence_of_these_years_and_no_such_system(
    index: Path, contexts: Path, run_cli: "RunCli"
) -> None:
    given = ("evaluate-local", index, contexts, "--out", index.parent / "out")
    late = run_cli(*given, "--years", "2050")
    assert late.code == 1 and "No sentence is by a paper of 2050 to 2050." in late.err
    wrong = run_cli(*given, "--systems", "bm25,lokal")
    assert wrong.code == 1 and "Did you mean 'local'?" in wrong.err
    none = run_cli(*given, "--systems", " ")
    assert none.code == 1 and "nothing to evaluate" in none.err


def test_a_missing_local_ranker_is_named(
    index: Path,
    contexts: Path,
    run_cli: "RunCli",
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = serving_model

    def without(folder: Path, name: str) -> Path:
        return tmp_path / name if name == LOCAL_RANKER else usual(folder, name)

    monkeypatch.setattr(wiring, "serving_model", without)
    done = run_cli("evaluate-local", index, contexts, "--out", tmp_path / "out", "--jobs", 1)
    assert done.code == 1
    assert LOCAL_RANKER in done.err and "Traceback" not in done.err
