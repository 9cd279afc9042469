"""A generated suite: it has SciDocs' layout, says what is true of the corpus, and is repeatable."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.eval.studies.scidocs.scidocs_layout import (
    PARTS,
    RANKING,
    Group,
    Task,
    read_classes,
    read_judgements,
    read_metadata,
    tasks_in,
)
from recsys.eval.studies.scidocs.scidocs_layout import suite_papers as texts_of
from recsys.pipelines.evaluation.splits import Split
from recsys.pipelines.studies.clicks.corpus_world import SimulationOptions, WorldOptions
from recsys.pipelines.studies.scidocs_generator import GeneratorOptions, generate, note_of
from recsys.store.collection import Collection
from tests.pipelines.studies.clicks.related_papers import CUT, Invented, related_collection
from tests.pipelines.studies.suite_corpus import suite_collection

READERS = SimulationOptions(
    impressions=1000, trials=1500, world=WorldOptions(pool=5, reach=8, cut=CUT)
)
SMALL = GeneratorOptions(queries=20, least=20, readers=READERS)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return suite_collection(tmp_path_factory.mktemp("suite"))


@pytest.fixture(scope="module")
def folder(collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated") / "scidocs"
    report = generate(collection, folder, SMALL)
    assert not report.missing
    assert report.lines()[-1] == f"Saved in {folder}."
    return folder


def test_judgements_are_true_of_the_graph(folder: Path, collection: Collection) -> None:
    corpus, graph = collection.corpus, collection.graph
    for part in PARTS:
        judgements = read_judgements(folder, Task.CITE, part)
        assert len(judgements) == 20
        for query, papers in judgements.items():
            (row,) = corpus.rows([query]).tolist()
            cited = {corpus.ids[each] for each in graph.cites[row].tolist()}
            right = {paper for paper, relevance in papers.items() if relevance}
            assert right <= cited and len(right) == min(5, len(cited))
            assert cited.isdisjoint(papers.keys() - right) and query not in papers
            assert len(papers) == len(right) + 25


def test_co_citations_of_val_and_test_are_other_papers_citations(
    collection: Collection, tmp_path: Path
) -> None:
    """With a split, each part knows the references of its own papers only."""
    name = collection.corpus.ids
    citing = [name[row] for row in range(len(name)) if len(collection.graph.cites[row]) >= 2]
    split = Split(tuple(citing[:30]), tuple(citing[30:33]), tuple(citing[33:36]))
    generate(collection, tmp_path / "s", replace(SMALL, split=split))
    for part, ids in (("val", split.dev), ("test", split.test)):
        rows = collection.corpus.rows(ids).tolist()
        lists = [{name[each] for each in collection.graph.cites[row].tolist()} for row in rows]
        assert read_judgements(tmp_path / "s", Task.CITE, part).keys() == set(ids)
        for query, papers in read_judgements(tmp_path / "s", Task.CO_CITE, part).items():
            together = set().union(*(each for each in lists if query in each)) - {query}
            assert {paper for paper, relevance in papers.items() if relevance} <= together
            assert together.isdisjoint(paper for paper, right in papers.items() if not right)


def test_with_a_split_clicks_know_nothing_that_train_papers_cite(
    collection: Collection, tmp_path: Path
) -> None:
    corpus = collection.corpus
    citing = [row for row in range(len(corpus)) if len(collection.graph.cites[row])]
    early = tuple(corpus.ids[row] for row in citing if corpus.years[row] < CUT)
    late = tuple(corpus.ids[row] for row in citing if corpus.years[row] >= CUT)
    later = replace(READERS, world=replace(READERS.world, cut=CUT + 2))
    generate(
        collection,
        tmp_path / "s",
        replace(SMALL, split=Split(early, late[:5], late[5:]), readers=later),
    )
    # What is known of papers is from before the cut, what is related from after it.
    records = read_metadata(tmp_path / "s", Group.RECOMM).values()
    citers = corpus.rows({each for record in records for each in record["cited_by"]})
    assert corpus.years[citers].max() == CUT - 1


def test_classes_are_venues_and_categories(folder: Path) -> None:
    names = json.loads((folder / "mag" / "classes.json").read_text(encoding="utf-8"))
    assert names == ["journal of glaciers", "journal of rivers", "journal of volcanoes"]
    for part in ("train", *PARTS):
        found = read_classes(folder, Task.MAG, part)
        for paper_id, label in zip(found.ids, found.labels.tolist(), strict=True):
            assert names[label] == f"journal of {paper_id.partition('-')[0]}"
    mesh = read_classes(folder, Task.MESH, "train")
    assert set(mesh.labels.tolist()) == {0, 1}


def test_every_paper_has_its_text(folder: Path, collection: Collection) -> None:
    texts = {paper["id"]: paper for paper in texts_of(folder)}
    used = {
        paper
        for task in RANKING
        for part in PARTS
        for query, papers in read_judgements(folder, task, part).items()
        for paper in (query, *papers)
    }
    assert used <= texts.keys()
    for paper in collection.corpus.full_papers(collection.corpus.rows(sorted(used))):
        assert texts[paper.id] == {"id": paper.id, "title": paper.title, "abstract": paper.abstract}
    keys = {"paper_id", "title", "abstract", "year", "authors", "references", "cited_by"}
    for group in Group:
        for paper_id, record in read_metadata(folder, group).items():
            assert set(record) == keys and record["paper_id"] == paper_id


def test_a_corpus_without_links_or_categories_has_few_tasks(tmp_path: Path) -> None:
    papers: Invented = [
        {"id": f"p{i:02}", "title": f"T {i}", "venue": "XY"[i % 2]} for i in range(40)
    ]
    collection = related_collection(tmp_path, papers)
    report = generate(collection, tmp_path / "suite", SMALL)
    assert tasks_in(tmp_path / "suite") == (Task.MAG,)
    assert "nothing for mesh, co-view, co-read, cite, co-cite, recomm" in " ".join(report.lines())
    with pytest.raises(InputError, match="neither citations, venues nor categories"):
        generate(collection, tmp_path / "none", replace(SMALL, least=21))
    assert not (tmp_path / "none").exists()


def test_nothing_else_is_written_over(collection: Collection, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("Mine")
    with pytest.raises(InputError, match="exists and holds no generated suite"):
        generate(collection, tmp_path / "thesis", SMALL)
    assert note_of(tmp_path / "thesis") == ""
    (tmp_path / "thesis" / "generated.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match=r"generated\.json is not readable"):
        note_of(tmp_path / "thesis")
