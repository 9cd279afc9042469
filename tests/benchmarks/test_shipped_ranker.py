"""The ranker that ships: it is there, it is small, and what corpora teach it together."""

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import benchmarks.shipped_ranker as program
from benchmarks.bench import PAPERS, SPLIT, Bench
from benchmarks.edge_dropout import EdgeDropout, all_links
from benchmarks.shipped_local_ranker import main as train_local
from benchmarks.shipped_ranker import (
    CORPORA,
    SHIPPED,
    Form,
    forms_of,
    main,
    subsample_corpus,
    teach_together,
    train_together,
    training_set_of,
)
from recsys.app.wiring import data_folder, open_index, serving_ranker
from recsys.local.local_recommender import LOCAL_RANKER, learned_beside, name_of
from recsys.models.encoder import SeenQueries
from recsys.pipelines.ranking.cross_fitting import FOLDS, LEARNING_RATE, TrainedRanker, teach
from recsys.pipelines.ranking.fit_network import FEWER_UNITS
from recsys.ranking.features import feature_names
from recsys.ranking.ranker import KIND, SCHEMA, SECOND_NAMES, TreeRanker
from recsys.records import Draft
from recsys.store.artifacts import load_manifest, ranker_folder, verify
from recsys.store.generations import in_force
from tests.benches import built_already, write_corpora
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

LARGEST = 3_000_000
"""Bytes of both rankers: the package stays small."""
NAMES = feature_names(metadata=False, any_corpus=True)
PARTS = ("train", "dev", "test")


@each_row("metadata", [True, False])
def test_a_small_ranker_ships_and_serves_an_index_without_its_own(
    metadata: bool, built: "Built", tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = ranker_folder(data_folder(), metadata=metadata)
    assert folder.is_dir(), f"{folder} is missing: train it with `make ranker`"
    assert folder.parent.samefile(SHIPPED)
    assert 0 < sum(path.stat().st_size for path in folder.rglob("*")) < LARGEST / 2
    manifest = load_manifest(folder, KIND, SCHEMA)
    verify(folder, manifest)
    assert manifest.config["corpora"] == list(CORPORA)
    ranker = TreeRanker.load(folder)
    assert ranker.first is not None
    assert ranker.first.feature_names == feature_names(metadata=metadata, any_corpus=True)
    for each in (ranker, ranker.first):
        assert each.network is not None and each.network.first.shape[::2] == (FOLDS, FEWER_UNITS[0])
    assert ranker.origin == "the ranker shipped with recsys"
    index = built.without_models(tmp_path_factory.mktemp("served"))
    assert serving_ranker(in_force(index), metadata=metadata) == folder
    answer = open_index(index, metadata=metadata).recommend(Draft("On rivers"), 5)
    assert [item.rank for item in answer.recommendations] == [1, 2, 3, 4, 5]


def test_the_local_ranker_has_learned_beside_the_ranker_of_drafts_that_ships() -> None:
    """It reads that one's scores: beside another it finds less, and its chances are wrong."""
    beside = name_of(TreeRanker.load(ranker_folder(data_folder(), metadata=True)))
    assert beside is not None
    again = "train it again: `make ranker` does"
    assert learned_beside(data_folder() / LOCAL_RANKER) == beside, again


@pytest.fixture
def data(built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two corpora of the same papers, in the place of the five."""
    write_corpora(built, tmp_path, "small", "twin", "twin-titles")
    monkeypatch.setattr(program, "CORPORA", ("small", "twin"))
    monkeypatch.setattr(program, "TITLES_TOO", ("twin",))
    monkeypatch.setattr(program, "SNOWBALLED", ())
    monkeypatch.setattr(Bench, "built", built_already)
    return tmp_path


def test_both_rankers_learn_from_all_corpora(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    taught = list[list[str]]()

    def watched(sets: Any, *, seed: int) -> TrainedRanker:  # noqa: ANN401
        taught.append([each.corpus for each in sets])
        return teach_together(sets, seed=seed)

    monkeypatch.setattr(program, "teach_together", watched)
    (data / "out").mkdir()
    assert main(["--data", str(data), "--work", str(data), "--out", str(data / "out")]) == 0
    assert capsys.readouterr().err.count("Trained ") == 2
    assert taught == [["small", "twin", "twin"]] * 2, "with abstracts, and by titles alone"
    for metadata in (True, False):
        folder = ranker_folder(data / "out", metadata=metadata)
        ranker = TreeRanker.load(folder)
        assert ranker.first is not None
        assert ranker.first.feature_names == feature_names(metadata=metadata, any_corpus=True)
        config = load_manifest(folder, KIND, SCHEMA).config
        assert config["corpora"] == ["small", "twin"] and config["options"]["folds"] == FOLDS
        assert config["parameters"]["learning_rate"] == LEARNING_RATE


def test_an_index_answers_by_the_rankers_that_are_put_into_it(data: Path, built: "Built") -> None:
    (data / "asked").mkdir()
    index = built.without_models(data / "asked")
    arguments = ["--data", str(data), "--work", str(data), "--leave-out", "small"]
    assert main([*arguments, "--out", str(index)]) == 0
    for metadata in (True, False):
        own = ranker_folder(in_force(index), metadata=metadata)
        assert serving_ranker(in_force(index), metadata=metadata) == own
        assert load_manifest(own, KIND, SCHEMA).config["corpora"] == ["twin"]


@each_row("train", [main, train_local])
def test_a_place_where_no_ranker_can_lie_is_refused_before_any_work(
    train: Any,  # noqa: ANN401
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("mine")
    assert train(["--data", str(tmp_path), "--work", str(tmp_path), "--out", str(out)]) == 1
    assert capsys.readouterr().err.startswith(f"error: {out} is a file")
    assert out.read_text() == "mine" and list(tmp_path.iterdir()) == [out]


def test_the_second_look_reads_chances_by_what_has_not_learned_from_the_query(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[TrainedRanker]()

    def watched(*tables: Any, **options: Any) -> TrainedRanker:  # noqa: ANN401
        made.append(teach(*tables, **options))
        return made[-1]

    monkeypatch.setattr("recsys.pipelines.ranking.cross_fitting.teach", watched)
    forms = [Form(name, data / f"{name}.index", data / name / SPLIT) for name in ("small", "twin")]
    sets = [
        training_set_of(form, NAMES, seed=0, most=most)
        for form, most in zip(forms, (12, 7), strict=True)
    ]
    for each in sets:
        train, dev = each.queries
        assert (len(each.seen.train), len(each.seen.dev)) == (len(train) + len(dev), 0)
    taught = teach_together(sets, seed=0)
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


def test_the_shipped_ranker_tells_which_queries_it_has_seen(built: "Built", tmp_path: Path) -> None:
    form = Form("small", built.index, built.split)
    train_together([form], tmp_path, metadata=False, seed=0)
    own = SeenQueries.load(in_force(built.index) / "ranker-no-metadata")
    assert own is not None and (len(own.train), len(own.dev)) == (20, 8)
    seen = SeenQueries.load(ranker_folder(tmp_path, metadata=False))  # It learns from dev, too.
    assert seen is not None and (seen.train, seen.dev) == (own.train | own.dev, frozenset())


def paper(name: str, *references: str) -> dict[str, Any]:
    texts = {"title": f"On {name}", "abstract": f"It is about {name}.", "year": 2000}
    return {"id": name, **texts, "venue": "Rivers", "references": list(references)}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A corpus: queries of each part cite papers of their own, one that all cite, and others."""
    queries = {part: [f"{part}{number}" for number in range(4)] for part in PARTS}
    papers = [paper("all"), paper("nobody", "all"), paper("far"), paper("a citer", "train0")]
    for name in (name for part in PARTS for name in queries[part]):
        papers += [paper(name, f"{name}'s", "all", "outside"), paper(f"{name}'s", "far")]
    folder = tmp_path / "data" / "rivers"
    folder.mkdir(parents=True)
    lines = "".join(json.dumps(each) + "\n" for each in papers)
    (folder / PAPERS).write_bytes(gzip.compress(lines.encode()))
    (folder / SPLIT).write_text(json.dumps({"rule": "as it is", **queries}))
    return Bench(tmp_path / "data", tmp_path / "work")


def subsampled(
    bench: Bench, seed: int = 0, *, abstracts: bool = True
) -> tuple[dict[str, Any], dict[str, list[str]], bytes]:
    out = bench.work / "ball"
    subsample_corpus(bench, "rivers", out, seed=seed, abstracts=abstracts)
    raw = (out / PAPERS).read_bytes()
    lines = gzip.decompress(raw).splitlines()
    papers = {each["id"]: each for each in map(json.loads, lines)}
    assert len(papers) == len(lines)
    return papers, json.loads((out / SPLIT).read_text()), raw


def test_a_subsample_holds_articles_as_they_are_and_what_they_cite_without_references(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers, split, _ = subsampled(bench)
    articles = {name for part in split.values() for name in part}
    assert articles == {f"{part}{number}" for part in ("train", "dev") for number in range(4)}
    assert set(papers) == articles | {f"{name}'s" for name in articles} | {"all"}
    for name, each in papers.items():
        own = (f"{name}'s", "all", "outside") if name in articles else ()
        assert each == paper(name, *own)
    papers, _, _ = subsampled(bench, abstracts=False)
    for name, each in papers.items():
        assert each["title"] == f"On {name}"
        assert (each["abstract"] is None) == (name not in articles)
    monkeypatch.setattr(program, "ARTICLES", 3)  # A few are drawn by the seed.
    one, again, *others = (subsampled(bench, seed) for seed in (0, 0, 1, 2, 3))
    assert one == again and len({raw for *_, raw in (one, *others)}) > 2
    for papers, split, _ in (one, *others):
        articles = {name for part in split.values() for name in part}
        assert len(articles) == 3 and not any(name.startswith("test") for name in articles)
        assert set(papers) == {*articles, *(f"{name}'s" for name in articles), "all"}


def test_subsamples_teach_beside_the_corpus_as_parts_of_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bench, "built", built_already)
    monkeypatch.setattr(program, "TITLES_TOO", ())
    monkeypatch.setattr(program, "SNOWBALLED", ("rivers",))
    whole, *balls = forms_of(bench, "rivers")
    assert (whole.index, whole.split) == (bench.index("rivers"), bench.split("rivers"))
    place = bench.work / "snowballs"
    assert [each.index for each in balls] == [place / f"rivers-{n}.index" for n in (0, 1)]
    assert [each.split for each in balls] == [place / f"rivers-{n}" / SPLIT for n in (0, 1)]
    assert {each.corpus for each in (whole, *balls)} == {"rivers"}
    assert whole.links is EdgeDropout
    assert [each.links for each in balls] == [all_links, all_links]
    monkeypatch.setattr(program, "SNOWBALLED", ())
    assert forms_of(bench, "rivers") == [whole]
