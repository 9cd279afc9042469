"""Indexes of the schema before: they are read as they are, and settle with their first change."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from recsys.app.inspection import inspect_artifact
from recsys.app.wiring import open_index
from recsys.errors import ArtifactMismatch
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.pipelines.jobs.index_writer import writing
from recsys.ranking.ranker import TreeRanker
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.artifacts import MANIFEST, sha256, write_json
from recsys.store.generations import pin, read_pointer
from recsys.store.layout import CORPUS, INDEX_SCHEMA, TEXT
from recsys.store.terms import NORMS

GOLDEN = Path(__file__).parents[2] / "golden" / "index-schema-1"
DRAFT = Draft("Rivers and glaciers", "We measure rivers with an instrument.")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GOLDEN / "index", tmp_path / "old.index"))


def opened(index: Path) -> Recommender:
    """Open it with the trees of both looks alone: processors round the products of networks."""
    recommender = open_index(index)
    ranker = recommender.ranker
    assert isinstance(ranker, TreeRanker) and ranker.first is not None
    trees = replace(ranker, network=None, first=replace(ranker.first, network=None))
    return replace(recommender, ranker=trees)


def answered(index: Path) -> list[tuple[str, float]]:
    answer = opened(index).recommend(DRAFT, 6)
    return [(each.paper.id, round(float(each.score), 6)) for each in answer.recommendations]


def expected() -> list[tuple[str, float]]:
    """Read the answer; it is made anew whenever another ranker ships: this index has none."""
    return [(paper, score) for paper, score in json.loads((GOLDEN / "answer.json").read_text())]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_answers_as_the_version_did_that_wrote_it(index: Path) -> None:
    before = names(index)
    assert answered(index) == expected()
    assert inspect_artifact(index, hashes=True)[0].schema == 1
    assert names(index) == before


def test_its_first_change_makes_generations_of_it(index: Path) -> None:
    with writing(index) as writer:
        assert read_pointer(index) is not None
        assert answered(index) == expected()
        with writer.member("notes") as new:
            (new / "text").write_text("new")
    assert names(index) == ["generations", "lock", "manifest.json"]
    assert pin(index).manifest().schema == INDEX_SCHEMA
    assert answered(index) == expected()
    inspect_artifact(index, hashes=True)


def test_one_of_the_schema_before_is_read_and_settles_with_its_first_change(index: Path) -> None:
    with writing(index) as writer, writer.member("notes") as new:
        (new / "text").write_text("new")
    generation = pin(index).folder
    manifest = json.loads((generation / MANIFEST).read_text())
    write_json(generation / MANIFEST, manifest | {"schema": 2})
    pointer = json.loads((index / MANIFEST).read_text())
    found = {"schema": 2, "sha256": sha256(generation / MANIFEST)}
    write_json(index / MANIFEST, pointer | found)
    assert answered(index) == expected()
    assert inspect_artifact(index, hashes=True)[0].schema == 2
    write_json(index / MANIFEST, pointer | found | {"schema": 1})
    with pytest.raises(ArtifactMismatch, match="schema 1"):
        open_index(index)
    write_json(index / MANIFEST, pointer | found | {"schema": 3})
    assert answered(index) == expected()
    update(index, [], UpdateOptions(compact=True))
    assert read_pointer(index) == pointer | {"generation": "2", "sha256": ANY}
    assert (pin(index).folder / TEXT / NORMS).exists()
    assert answered(index) == expected()


def test_what_somebody_put_into_it_stays(index: Path) -> None:
    (index / ".ranker.77.new").mkdir()
    (index / "text-notes").mkdir()
    with writing(index) as writer, writer.member("notes") as new:
        (new / "text").write_text("new")
    assert names(index) == ["generations", "lock", "manifest.json", "text-notes"]


def test_a_reader_that_opened_it_before_keeps_what_it_has(index: Path) -> None:
    recommender = opened(index)
    with writing(index) as writer, writer.member("notes") as new:
        (new / "text").write_text("new")
    assert "corpus" in names(index)  # It may be read by name, too.
    answer = recommender.recommend(DRAFT, 6)
    assert [each.paper.id for each in answer.recommendations] == [name for name, _ in expected()]
    del recommender, answer
    with writing(index):
        pass
    assert names(index) == ["generations", "lock", "manifest.json"]


def test_one_that_was_half_settled_settles(index: Path) -> None:
    (index / "generations" / "0" / "corpus").mkdir(parents=True)
    assert answered(index) == expected()
    with writing(index):
        pass
    assert read_pointer(index) is not None
    assert answered(index) == expected()


def test_one_without_aliases_and_front_matter_is_updated_as_if_built_anew(
    index: Path, tmp_path: Path
) -> None:
    old = open_index(index).collection.corpus
    assert old.front_matter is None
    assert {paper.aliases for paper in old.papers([0, 1])} == {()}
    papers: list[dict[str, Any]] = [
        {
            "id": paper.id,
            "title": paper.title,
            "abstract": paper.abstract,
            "year": paper.year,
            "authors": paper.authors,
            "venue": paper.venue,
            "references": paper.references,
            "keyphrases": paper.keyphrases,
            "doi": paper.doi,
            "url": paper.url,
            "labels": dict(paper.labels),
        }
        for paper in old.full_papers(range(len(old)))
    ]
    new: list[dict[str, Any]] = [
        {"id": "zz", "title": "Author Index", "year": 2001},
        papers[0] | {"title": "Preface"},
    ]
    (tmp_path / "new.jsonl").write_text("\n".join(map(json.dumps, new)), encoding="utf-8")
    update(index, [tmp_path / "new.jsonl"], UpdateOptions())
    every = {each["id"]: each for each in [*papers, *new]}.values()
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, every)), encoding="utf-8")
    (tmp_path / "anew").mkdir()
    ingest(source_files([tmp_path / "all.jsonl"]), tmp_path / "anew")
    updated = pin(index).folder / CORPUS
    assert names(updated) == names(tmp_path / "anew")
    for name in names(updated):
        assert (updated / name).read_bytes() == (tmp_path / "anew" / name).read_bytes(), name
    found = open_index(index).collection.corpus
    assert found.front_matter is not None
    assert found.front_matter.tolist() == [0, len(found) - 1]
