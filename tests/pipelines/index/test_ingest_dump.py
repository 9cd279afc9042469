"""Dumps become the very bytes that the same files become at once."""

import gzip
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import CorpusError, InputError
from recsys.pipelines.corpora.collect import AS_TOLD, DUMP_BYTES, Reading
from recsys.pipelines.corpora.link_citations import Rule
from recsys.pipelines.corpora.merge_works import id_of_work
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.jobs.engines import ProcessPool
from tests.pipelines.corpora.bucket_server import bucket_server, put
from tests.pipelines.corpora.corpus_files import json_lines, three, write
from tests.pipelines.index.both_ways import as_dumps, both_ways, contents
from tests.pipelines.index.dump_worlds import World, worlds, write_world
from tests.pipelines.jobs.counting_engine import CountingEngine
from tests.recsys.formats.exports.zotero_maker import Library
from tests.rows import few


def readings() -> st.SearchStrategy[Reading]:
    keyphrases = st.sampled_from(("", "keyphrases", "labels.tags"))
    return st.builds(Reading, apart=st.booleans(), titles_only=st.booleans(), keyphrases=keyphrases)


@settings(few(8), suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.integers(1, 5), readings())
def test_any_world_in_any_number_of_parts_is_the_same(
    world: World, parts: int, reading: Reading
) -> None:
    with tempfile.TemporaryDirectory() as place:
        sources = [write_world(world, Path(place, "sources"))]
        work = Path(place, "work")
        try:
            both_ways(sources, work, reading, parts=parts)
        except CorpusError as error:
            with pytest.raises(CorpusError) as other:
                files = source_files(sources)
                as_dumps(files, work / "dumped", work / "again", reading, parts=parts)
            assert (other.value.what, other.value.hint) == (error.what, error.hint)


def test_every_rule_that_links_what_lists_describe_is_the_same(tmp_path: Path) -> None:
    person = [{"family": "Oak", "given": "Olaf"}]
    more = [
        {
            "DOI": "10.5555/seen",
            "prefix": "10.5555",
            "title": ["What became of the ice"],
            "author": person,
            "issued": {"date-parts": [[2003]]},
            "reference": [
                {
                    "article-title": "Sand in deserts moves by night",
                    "author": "Elm",
                    "year": "2005",
                },
                {"article-title": "How glaciers carve a wide valley", "author": "Oak"},
                {"author": "Oak", "year": "1999", "volume": "3", "first-page": "7"},
                {"author": "Oak", "year": "1999", "volume": "9", "first-page": "1"},
            ],
        },
        {
            "DOI": "10.5555/twin",
            "prefix": "10.5555",
            "title": ["How glaciers carve a wide valley"],
            "author": person,
            "issued": {"date-parts": [[1997]]},
        },
    ]
    sources = [*three(tmp_path), json_lines(tmp_path / "more.jsonl", more)]
    report = both_ways(sources, tmp_path / "work", parts=4)
    assert {rule for rule, count in report.read.cited.items() if count} >= {
        Rule.IDENTIFIER,
        Rule.PLACE,
        Rule.TITLE,
        Rule.OUTSIDE,
    }


def test_tables_of_one_name_keep_their_numbers_apart_and_libraries_are_read(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        table = f"id,title,references\n1,Rivers of {folder},2\n2,Sand of {folder},1\n"
        write(tmp_path / "sources" / folder / "papers.csv", table)
    (tmp_path / "zotero").mkdir()
    library = Library(tmp_path / "zotero")
    library.add("journalArticle", {"title": "How glaciers carve a wide valley", "date": "1999"})
    sources = [tmp_path / "sources", library.folder, *three(tmp_path)]
    report = both_ways(sources, tmp_path / "work")
    assert {"table", "Zotero library"} <= {each.format for each in report.read.files}
    assert report.links >= 4


def test_ids_that_are_taken_are_numbered_in_the_same_order(tmp_path: Path) -> None:
    """Works of nobody and no year are not one for their title, and have one id made of it."""
    unnamed: dict[str, Any] = {
        "own_id": None,
        "names": [],
        "authors": [],
        "year": None,
        "title": "Rivers at night",
    }
    name = id_of_work(unnamed)
    own = [{"id": f"{name}{end}", "title": f"Ice {end}"} for end in ("-2", "-2-2", "-5")]
    entry = "@misc{x, title = {Rivers at night}}\n"
    files = [
        write(tmp_path / "a.bib", entry * 2),
        json_lines(tmp_path / "b.jsonl", own),
        write(tmp_path / "c.bib", entry * 3),
    ]
    report = both_ways(files, tmp_path / "work", parts=5)
    assert report.papers == 8


def numbered(folder: Path, files: int) -> list[Path]:
    return [
        json_lines(
            folder / f"{number}.jsonl",
            [{"id": f"p{number}", "title": f"Rivers {number}", "references": ["p0", f"p{number}"]}],
        )
        for number in range(files)
    ]


def test_a_killed_run_keeps_the_shards_that_were_read(tmp_path: Path) -> None:
    files = source_files(numbered(tmp_path, 6))
    once, dumped = tmp_path / "once", tmp_path / "dumped"
    once.mkdir()
    dumped.mkdir()
    report = ingest(files, once)
    first, second = CountingEngine(most=4), CountingEngine()
    with pytest.raises(KeyboardInterrupt):
        as_dumps(files, dumped, tmp_path / "place", engine=first)
    # In the middle of all that follows, too: what lies there is begun anew.
    (tmp_path / "place" / "merged").mkdir()
    (tmp_path / "place" / "merged" / "names.runs").write_bytes(b"torn")
    other = as_dumps(files, dumped, tmp_path / "place", engine=second)
    assert (len(first.done), len(second.done)) == (4, 2)
    assert (other, contents(dumped)) == (report, contents(once))


def test_what_was_read_of_other_files_is_not_kept(tmp_path: Path) -> None:
    dumped, place = tmp_path / "dumped", tmp_path / "place"
    dumped.mkdir()
    paths = numbered(tmp_path, 3)
    for most, expected, reading in ((2, 2, AS_TOLD), (2, 1, AS_TOLD), (2, 2, Reading(apart=True))):
        engine = CountingEngine(most)
        with suppress(KeyboardInterrupt):
            as_dumps(source_files(paths), dumped, place, reading, engine=engine)
        assert len(engine.done) == expected
    paths[0].write_text('{"id": "p0", "title": "Other rivers"}\n', encoding="utf-8")
    engine = CountingEngine()
    as_dumps(source_files(paths), dumped, place, Reading(apart=True), engine=engine)
    assert len(engine.done) == 3


TORN = gzip.compress(b'{"id": "a", "title": "Rivers"}\n' * 1000)[:-20]


@pytest.mark.parametrize(
    ("content", "named"),
    [(TORN, True), (TORN, False), (b"", True), (b"\0\1\2 nothing", True), (b"[1, 2]\n", True)],
)
def test_a_file_that_cannot_be_read_is_told_as_ever(
    tmp_path: Path, content: bytes, named: bool
) -> None:
    """Some shard after others; a file that lies in a folder is left out only if it gave nothing."""
    folder = tmp_path / "sources"
    numbered(folder, 2)
    (folder / "9.jsonl").write_bytes(content)
    files = source_files([folder / "0.jsonl", folder / "9.jsonl"] if named else [folder])
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(InputError) as expected:
        ingest(files, out)
    with pytest.raises(InputError) as found:
        as_dumps(files, out, tmp_path / "place")
    assert found.value.what == expected.value.what
    assert str(folder / "9.jsonl") in found.value.what


def test_files_of_a_folder_that_hold_no_works_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    numbered(folder, 2)
    write(folder / "manifest", json.dumps({"entries": [{"url": "s3://x", "meta": {}}]}, indent=1))
    write(folder / "RELEASE.txt", "no works in here")
    report = both_ways([folder], tmp_path / "work")
    assert len(report.read.skipped) == 2


@pytest.mark.area("store")
def test_processes_read_files_of_a_bucket_and_say_which_one_is_torn(tmp_path: Path) -> None:
    here, sources = tmp_path / "sources", [Path("s3://dumps/data/works")]
    numbered(here, 3)
    once, dumped = tmp_path / "once", tmp_path / "dumped"
    once.mkdir()
    report = ingest(source_files([here]), once)
    with bucket_server():
        for path in here.iterdir():
            put(f"data/works/updated_date=2026-01-01/{path.name}", path.read_bytes())
        dumped.mkdir()
        found = ingest(source_files(sources), dumped, engine=ProcessPool(2))
        assert (found, contents(dumped)) == (report, contents(once))
        put("data/works/updated_date=2026-01-02/part_000.gz", TORN)
        with pytest.raises(CorpusError) as error:
            ingest(source_files(sources), dumped, engine=ProcessPool(2))
    torn = "s3://dumps/data/works/updated_date=2026-01-02/part_000.gz ends in the middle of"
    assert error.value.what.startswith(torn)
    assert "of 'read works'" in error.value.what


def test_small_files_are_read_at_once_and_large_ones_as_dumps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = source_files(numbered(tmp_path, 3))
    for size, expected in ((DUMP_BYTES, 0), (sum(file.size for file in files), 3)):
        monkeypatch.setattr("recsys.pipelines.corpora.collect.DUMP_BYTES", size)
        engine = CountingEngine()
        folder = tmp_path / str(size)
        folder.mkdir()
        ingest(files, folder, engine=engine)
        assert len(engine.done) == expected
