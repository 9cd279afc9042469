"""Snowballs: some articles of a corpus and what they cite, which cites nothing there."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bench import PAPERS, SPLIT, Bench
from benchmarks.edge_dropout import EdgeDropout, all_links
from benchmarks.shipped_ranker import forms_of, subsample_corpus
from tests.benches import built_already

PARTS = ("train", "dev", "test")


def paper(name: str, *references: str) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"On {name}",
        "abstract": f"It is about {name}.",
        "year": 2000,
        "venue": "Rivers",
        "references": list(references),
    }


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A corpus: queries of each part cite papers of their own, one that all cite, and others."""
    queries = {part: [f"{part}{number}" for number in range(4)] for part in PARTS}
    papers = [paper("all"), paper("nobody", "all"), paper("far")]
    for part in PARTS:
        for name in queries[part]:
            papers += [paper(name, f"{name}'s", "all", "outside"), paper(f"{name}'s", "far")]
    papers += [paper("cites a query", "train0")]
    papers[-2]["references"] = ["train1"]
    folder = tmp_path / "data" / "rivers"
    folder.mkdir(parents=True)
    lines = "".join(json.dumps(each) + "\n" for each in papers)
    (folder / PAPERS).write_bytes(gzip.compress(lines.encode()))
    (folder / SPLIT).write_text(json.dumps({"rule": "as it is", **queries}))
    return Bench(tmp_path / "data", tmp_path / "work")


def rolled(bench: Bench, **options: Any) -> tuple[dict[str, Any], dict[str, list[str]]]:  # noqa: ANN401
    out = bench.work / "ball"
    subsample_corpus(bench, "rivers", out, **{"seed": 0, "abstracts": True, **options})
    lines = gzip.decompress((out / PAPERS).read_bytes()).splitlines()
    papers = {each["id"]: each for each in map(json.loads, lines)}
    assert len(papers) == len(lines)
    return papers, json.loads((out / SPLIT).read_text())


def test_it_holds_the_articles_as_they_are_and_what_they_cite_without_references(
    bench: Bench,
) -> None:
    papers, split = rolled(bench)
    articles = {name for part in split.values() for name in part}
    assert articles == {f"{part}{number}" for part in ("train", "dev") for number in range(4)}
    assert set(papers) == articles | {f"{name}'s" for name in articles} | {"all"}
    for name in articles:
        assert papers[name] == paper(name, f"{name}'s", "all", "outside")
    for name in set(papers) - articles:
        assert papers[name] == paper(name)


def test_nothing_is_learned_of_test_queries(bench: Bench) -> None:
    for seed in range(20):
        papers, split = rolled(bench, seed=seed)
        assert set(split) == {"train", "dev"}
        assert not any(name.startswith("test") for name in papers)


def test_of_what_is_cited_titles_may_be_all_that_is_known(bench: Bench) -> None:
    papers, split = rolled(bench, abstracts=False)
    articles = {name for part in split.values() for name in part}
    for name, each in papers.items():
        assert each["title"] == f"On {name}"
        assert (each["abstract"] is None) == (name not in articles)


def test_a_few_articles_are_drawn_and_stay_in_their_part(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.shipped_ranker.ARTICLES", 3)
    drawn = set()
    for seed in range(20):
        papers, split = rolled(bench, seed=seed)
        articles = [name for part in split.values() for name in part]
        assert len(articles) == 3
        assert all(name.startswith(part) for part, names in split.items() for name in names)
        assert set(papers) == {*articles, *(f"{name}'s" for name in articles), "all"}
        drawn.add(tuple(sorted(articles)))
    assert len(drawn) > 10


def test_the_same_seed_writes_the_same_bytes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.shipped_ranker.ARTICLES", 3)
    written = list[tuple[bytes, ...]]()
    for seed in (0, 0, 1):
        rolled(bench, seed=seed)
        files = (bench.work / "ball" / name for name in (PAPERS, SPLIT))
        written.append(tuple(file.read_bytes() for file in files))
    assert written[0] == written[1]
    assert written[0] != written[2]


def test_they_teach_beside_the_corpus_as_parts_of_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bench, "built", built_already)
    monkeypatch.setattr("benchmarks.shipped_ranker.TITLES_TOO", ())
    monkeypatch.setattr("benchmarks.shipped_ranker.SNOWBALLED", ("rivers",))
    whole, *balls = forms_of(bench, "rivers")
    assert (whole.index, whole.split) == (bench.index("rivers"), bench.split("rivers"))
    place = bench.work / "snowballs"
    assert [each.index for each in balls] == [place / f"rivers-{n}.index" for n in (0, 1)]
    assert [each.split for each in balls] == [place / f"rivers-{n}" / SPLIT for n in (0, 1)]
    assert {each.corpus for each in (whole, *balls)} == {"rivers"}
    assert whole.links is EdgeDropout
    assert [each.links for each in balls] == [all_links, all_links]
    monkeypatch.setattr("benchmarks.shipped_ranker.SNOWBALLED", ())
    assert forms_of(bench, "rivers") == [whole]
