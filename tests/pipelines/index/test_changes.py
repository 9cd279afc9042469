"""What changes come to; and that what is written of them is what a rebuild writes, byte by byte."""

import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import CorpusError
from recsys.pipelines.corpora.corpus_worth import worth_of
from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index import changes, citation_links, columns, paper_rows
from recsys.pipelines.index.changes import Changes, Plan, plan, read_ids, towards
from recsys.pipelines.index.citation_links import LinkChanges
from recsys.pipelines.index.columns import merge_columns, write_columns
from recsys.pipelines.index.paper_rows import texts_in
from recsys.pipelines.index.text import merge_text, write_text
from recsys.store.collection import check_corpus
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from recsys.store.terms import TermStore
from tests.rows import few
from tests.stored import is_stored

Row: TypeAlias = Mapping[str, object]
World: TypeAlias = dict[str, Row]


def row(paper_id: str, **values: object) -> Row:
    return {"id": paper_id, "title": f"Title of {paper_id}", **values}


def table(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(each) for each in rows], schema=SCHEMA)


def rebuilt(folder: Path, world: World) -> Path:
    """Write all papers at once."""
    (folder / "corpus").mkdir(parents=True)
    (folder / "text").mkdir()
    write_columns(folder / "corpus", table(list(world.values())).to_batches())
    write_text(Corpus.load(folder / "corpus"), folder / "text")
    return folder


def updated(
    old: Path, folder: Path, papers: Sequence[Row], removed: Sequence[str] = ()
) -> tuple[Plan, LinkChanges]:
    """Write what the changes make of an older folder."""
    (folder / "corpus").mkdir(parents=True)
    (folder / "text").mkdir()
    corpus = Corpus.load(old / "corpus")
    planned = plan(corpus, Changes(table(papers), tuple(removed)))
    graph = CitationGraph.load(old / "corpus")
    links = merge_columns(folder / "corpus", planned.papers, corpus, graph, planned.merged)
    merge_text(TermStore.load(old / "text"), planned, folder / "text")
    return planned, links


def files(folder: Path) -> dict[str, object]:
    """Read all files, and what is stored of papers, in however many parts."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not is_stored(path.name))
    corpus, graph = Corpus.load(folder / "corpus"), CitationGraph.load(folder / "corpus")
    check_corpus(folder / "corpus", corpus, graph)
    rows = range(len(corpus))
    return {
        **{path.relative_to(folder).as_posix(): path.read_bytes() for path in paths},
        "papers": corpus.full_papers(rows),
        "texts": texts_in(corpus),
        "worth": worth_of(corpus, graph),
        "shown": [corpus.stored.paper(row, corpus.ids[row], corpus.year(row)) for row in rows],
    }


def check(folder: Path, world: World, *steps: tuple[Sequence[Row], Sequence[str]]) -> World:
    """Take steps from a world; after each, all files are those of a rebuild."""
    old = rebuilt(folder / "0", world)
    first = files(old)
    for number, (papers, removed) in enumerate(steps, 1):
        kept = {name: each for name, each in world.items() if name not in removed}
        world = kept | {str(each["id"]): each for each in papers}
        planned, _ = updated(old, folder / str(number), papers, removed)
        assert files(folder / str(number)) == files(rebuilt(folder / f"{number}-again", world))
        assert len(planned.merged.origins) == len(world)
        old = folder / str(number)
    assert files(folder / "0") == first
    return world


A, B, C = row("a"), row("b", references=["a", "later", "a", "b"]), row("c", references=["b", "z"])
WORLD: World = {str(each["id"]): each for each in (A, B, C)}


@pytest.mark.parametrize(
    ("papers", "removed"),
    [
        ([], []),
        ([], ["a", "c"]),
        ([], ["a"]),
        ([row("0"), row("A"), row("!")], []),
        ([row("z"), row("zz"), row("\U0001f600"), row("\ufffd"), row("é")], []),
        ([row("later", title="Comes later", abstract="at last")], ["b"]),
        ([row("b", title="Another", references=["c"], authors=["New, N"], venue="Acta")], []),
        ([row("b")], ["b"]),
        ([row("new")], ["a", "b", "c"]),
        ([row("n", abstract="x " * 700)], []),
        ([A], ["a"]),
    ],
)
def test_changed_files_are_those_of_a_rebuild(
    papers: list[Row], removed: list[str], tmp_path: Path
) -> None:
    check(tmp_path, WORLD, (papers, removed))


TEXT = st.lists(st.sampled_from(["ant", "bees", "çé", "dog", "of"]), max_size=5).map(" ".join)
DOIS = st.sampled_from(["10.1/a", "10.1/A", "10.1/b"])
IDS = st.text("ab\u00e9\U0001f600", min_size=1, max_size=2) | DOIS
NAMES = st.sampled_from(
    ["Lee, Ann", "A. Lee", "Ada Lee", "Lee", "B. Lee", "Bo Li", "Éva Nagy", "?"]
)
PAPERS = st.lists(
    st.fixed_dictionaries(
        {"id": IDS, "title": TEXT.map(lambda text: text or "untitled")},
        optional={
            "abstract": st.none() | TEXT,
            "year": st.none() | st.integers(1990, 1995),
            "authors": st.lists(NAMES, max_size=3),
            "venue": st.sampled_from(["VLDB 2012", "vldb", "2012", "Acta", ""]),
            "references": st.none() | st.lists(IDS, max_size=5),
            "doi": st.none() | DOIS,
            "url": st.none() | st.just("https://a.org/B"),
            "aliases": st.none() | st.lists(IDS, max_size=2),
            "labels": st.just('{"a": 1}'),
        },
    ),
    max_size=8,
    unique_by=lambda paper: str(paper["id"]),
)


@given(
    PAPERS, st.lists(st.tuples(PAPERS, st.lists(IDS, max_size=4)), max_size=4), st.integers(1, 5)
)
@few(8)
def test_any_changes_write_what_a_rebuild_writes(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[Row],
    steps: list[tuple[list[Row], list[str]]],
    group: int,
) -> None:
    # One paper is always there, whatever else is removed.
    world: World = {"stays": row("stays", references=["a", "ab"])}
    world |= {str(each["id"]): each for each in first}
    with pytest.MonkeyPatch.context() as patch:
        for module in (columns, changes, paper_rows):
            patch.setattr(module, "ROW_GROUP", group)
        patch.setattr(citation_links, "_LINKS", group)
        patch.setattr(citation_links, "_SCANNED", group)
        check(tmp_path_factory.mktemp("world"), world, *steps)


def test_what_is_stored_stays_until_there_are_as_many_others(tmp_path: Path) -> None:
    def parts(folder: Path) -> list[int]:
        return [*map(int, np.diff(Corpus.load(folder / "corpus").stored.firsts))]

    many = [row(f"p{at:02}", abstract="of rivers", references=["p00", "z1"]) for at in range(40)]
    world = {str(each["id"]): each for each in many}
    steps: list[tuple[list[Row], list[str], list[int]]] = [
        ([row("z1")], [], [40, 1]),
        ([row("z2"), row("p03", references=["z1", "z3"])], [], [40, 3]),
        ([row("z3")], ["p05", "nobody"], [40, 3, 1]),
        ([], [f"p{at}" for at in range(10, 17)], [40, 3, 1]),
        ([], ["z2"], [40, 3]),
        ([], ["p20", "p21"], [32]),
    ]
    check(tmp_path, world, *((papers, removed) for papers, removed, _ in steps))
    found = [parts(tmp_path / str(number)) for number in range(1, len(steps) + 1)]
    assert found == [sizes for *_, sizes in steps]
    first, then = (tmp_path / number / "corpus" / "papers.parquet" for number in "05")
    assert first.samefile(then)


def test_changes_are_counted_and_said(tmp_path: Path) -> None:
    old = rebuilt(tmp_path / "old", WORLD)
    removed = ["c", "x1", "x2", "x3", "x4", "x5", "x6"]
    planned, links = updated(old, tmp_path / "new", [row("later"), row("a", year=1999), B], removed)
    assert planned.counts == (1, 1, 1)
    assert planned.papers.column("id").to_pylist() == ["a", "later"]  # b is as it was.
    assert planned.lines() == [
        "papers: 1 added, 1 replaced, 1 removed; 3 in total",
        "not removed because not in the index: 'x1', 'x2', 'x3', 'x4', 'x5' and 1 more",
    ]
    assert links == LinkChanges(links=2, gained=1, lost=1)


@pytest.mark.parametrize(
    "change",
    [
        {"references": ["a", "later", "b", "a"]},
        {"references": ["a", "later", "a"]},
        {"references": None},
        {"authors": []},
        {"abstract": ""},
        {"year": 2000},
        {"labels": "{}"},
    ],
)
def test_a_paper_is_as_it_was_only_if_all_of_it_is(change: Row, tmp_path: Path) -> None:
    corpus = Corpus.load(rebuilt(tmp_path / "old", WORLD) / "corpus")
    assert plan(corpus, Changes(table([{**B, **change}, A]))).counts == (0, 1, 0)


def test_all_that_is_not_in_a_file_is_removed(tmp_path: Path) -> None:
    corpus = Corpus.load(rebuilt(tmp_path / "old", WORLD) / "corpus")
    wanted = towards(corpus.ids, table([row("z"), B, row("c")]))
    assert wanted.removed == ("a",)
    assert plan(corpus, wanted).counts == (1, 1, 1)


def test_to_remove_every_paper_is_refused(tmp_path: Path) -> None:
    corpus = Corpus.load(rebuilt(tmp_path / "old", WORLD) / "corpus")
    with pytest.raises(CorpusError, match="No paper would be left"):
        plan(corpus, Changes(table([]), ("a", "b", "c")))


def test_rows_of_today_and_of_then_are_told(tmp_path: Path) -> None:
    old = rebuilt(tmp_path / "old", WORLD)
    merged = updated(old, tmp_path / "new", [row("aa"), row("c", year=1)], ["a"])[0].merged
    assert merged.today.tolist() == [-1, 1, 2]
    origins = merged.origins
    assert origins.rows.tolist() == [3, 1, 4]  # aa, b, c.
    assert origins.moved.tolist() == [-1, 1, -1]
    assert origins.pick(np.array([5, 6, 7]), np.array([8, 9])).tolist() == [8, 6, 9]


def test_ids_are_read_one_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = "\ufeffa b\n\n# a comment\n  é \r\nx\u2028y\na b\n#\n".encode()
    (tmp_path / "ids.txt").write_bytes(raw)
    assert read_ids(tmp_path / "ids.txt") == ("a b", "é", "x\u2028y")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert read_ids(Path("-")) == ("a b", "é", "x\u2028y")
    for content, name in ((b"\xff", "bad.txt"), (None, "none.txt")):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(CorpusError, match=f"{name} cannot be read as a list of ids"):
            read_ids(tmp_path / name)
