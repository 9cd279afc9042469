"""The format is described in `zotero_maker`."""

import filecmp
import hashlib
import os
import random
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.formats.exports.zotero_database import (
    StoredWork,
    _copy_extents,
    is_library,
    read,
    works,
)
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.exports.zotero_maker import (
    FEED,
    GROUP,
    Library,
    better_bibtex,
    opened,
)

PDF = "application/pdf"
ARTICLE = {
    "title": "Growth of <i>Betula nana</i>",
    "abstractNote": "Trees grow.",
    "publicationTitle": "Journal of Trees",
    "volume": 12,
    "pages": "33-49",
    "date": "2004-03-00 March 2004",
    "DOI": "10.1234/JT.33",
    "url": "https://example.org/a",
    "extra": "PMID: 11111\nCitation Key: ash2004",
    "creators": [
        ("author", "Ada B.", "Ash"),
        ("editor", "Edith", "Editor"),
        ("author", None, "Forest Survey Group"),
    ],
    "tags": ["birch", "growth"],
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path)
    made.add("journalArticle", ARTICLE, key="ABCD2345")
    return made


def references(path: Path) -> list[Reference]:
    found = list(read(path))
    assert [each for each in found if isinstance(each, Problem)] == []
    return [each for each in found if isinstance(each, Reference)]


def stored(path: Path) -> list[StoredWork]:
    return [each for each in works(path) if isinstance(each, StoredWork)]


def state(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in folder.iterdir()
        if path.is_file()
    }


@pytest.mark.parametrize("given_as", ["folder", "file"])
def test_a_library_is_read(library: Library, given_as: str) -> None:
    (work,) = references(library.folder if given_as == "folder" else library.file)
    assert work.key == "ash2004"
    assert work.title == "Growth of Betula nana"
    assert work.authors == ("Ada B. Ash", "Forest Survey Group")
    assert (work.year, work.venue, work.kind) == (2004, "Journal of Trees", "article-journal")
    assert (work.doi, work.url) == ("10.1234/jt.33", "https://example.org/a")
    assert work.abstract == "Trees grow."


def test_what_is_no_work_is_left_out(library: Library) -> None:
    parent = library.add("book", {"title": "Kept"})
    for kind in ("note", "annotation", "attachment"):
        library.add(kind, {"title": "Not a work"})
    library.attach(parent, "storage:a.pdf", key="FILE0001", kind=PDF)
    gone = library.add("book", {"title": "Deleted"})
    library.run("INSERT INTO deletedItems VALUES (?, '2020-01-01')", (gone,))
    library.add("journalArticle", {"title": "In a feed"}, library=FEED)
    library.add("journalArticle", {"title": "Of a group"}, key="ABCD2345", library=GROUP)
    titles = [work.title for work in references(library.folder)]
    assert titles == ["Growth of Betula nana", "Kept", "Of a group"]


def test_a_title_may_have_another_name_and_a_field_be_the_users(library: Library) -> None:
    library.add("case", {"caseName": "A v. B", "date": "0000-00-00 forthcoming", "mine": "x"})
    work = references(library.folder)[-1]
    assert (work.title, work.year) == ("A v. B", None)
    library.add("book", {})
    assert references(library.folder)[-1].title is None


@pytest.mark.parametrize("older", [True, False])
def test_citation_keys_of_the_plug_in_are_read(library: Library, older: bool) -> None:
    item = library.add("book", {"title": "Kept"})
    better_bibtex(library.folder, {item: "kept2020"}, older=older)
    assert references(library.folder)[-1].key == "kept2020"
    native = library.add("book", {"title": "Newer", "citationKey": "own2021"})
    assert native
    assert references(library.folder)[-1].key == "own2021"


def test_a_value_of_many_megabytes_costs_its_own_item_alone(library: Library) -> None:
    library.add("book", {"title": "Between"}, key="LARGE222")
    library.add("book", {"title": "After"})
    with closing(opened(library.file)) as connection:
        connection.execute(
            "UPDATE itemDataValues SET value = zeroblob(?) WHERE value = 'Between'", (9_000_000,)
        )
        connection.commit()
    tracemalloc.start()
    first, problem, last = read(library.folder)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()
    assert isinstance(first, Reference) and isinstance(last, Reference) and last.title == "After"
    assert isinstance(problem, Problem)
    assert problem.text == "the item LARGE222 has a field of more than 1 MB: it was left out."


def test_the_holes_of_a_file_are_not_copied(library: Library, tmp_path: Path) -> None:
    os.truncate(library.file, 2**28)
    assert [work.key for work in references(library.file)] == ["ash2004"]
    scattered, copy = tmp_path / "scattered", tmp_path / "copy"
    with scattered.open("wb") as file:
        for place in (0, 20 * 2**20, 40 * 2**20):
            file.seek(place)
            file.write(b"some bytes" * 50_000)
        file.truncate(60 * 2**20)
    _copy_extents(scattered, copy)
    assert filecmp.cmp(scattered, copy, shallow=False)
    assert copy.stat().st_blocks * 512 < 4 * 2**20


@pytest.mark.parametrize("raw", [b"", b"no database", b"SQLite format 3\0" + b"\1" * 500])
def test_keys_that_cannot_be_read_cost_no_work(library: Library, raw: bytes) -> None:
    (library.folder / "better-bibtex.sqlite").write_bytes(raw)
    assert len(references(library.folder)) == 1


def test_the_stored_pdf_of_an_item_is_found(library: Library) -> None:
    item = library.add("book", {"title": "Kept"})
    place = library.folder / "storage" / "FILE0002"
    place.mkdir(parents=True)
    (place / "A book.pdf").write_bytes(b"%PDF-1.4")
    library.attach(item, "storage:page.html", key="FILE0003", kind="text/html")
    library.attach(item, "storage:lost.pdf", key="FILE0001", kind=PDF)
    kept = library.attach(item, "storage:A book.pdf", key="FILE0002", kind=PDF)
    library.attach(None, "storage:alone.pdf", key="FILE0004", kind=PDF)
    library.attach(item, None, key="FILE0005", kind=PDF)
    found = stored(library.folder)
    assert [work.pdf for work in found] == [None, place / "A book.pdf"]
    library.run("INSERT INTO deletedItems VALUES (?, '2020-01-01')", (kept,))
    assert [work.pdf for work in stored(library.folder)] == [None, None]


def test_a_folder_that_may_not_be_written_to_is_read(library: Library) -> None:
    library.file.chmod(0o400)
    library.folder.chmod(0o500)
    try:
        assert len(references(library.folder)) == 1
    finally:
        library.folder.chmod(0o700)


def test_a_library_that_zotero_holds_is_read(library: Library) -> None:
    with closing(sqlite3.connect(library.file, isolation_level=None)) as zotero:
        zotero.execute("PRAGMA locking_mode = EXCLUSIVE")
        zotero.execute("BEGIN EXCLUSIVE")
        before = state(library.folder)
        assert len(references(library.folder)) == 1
        assert state(library.folder) == before
        zotero.execute("ROLLBACK")


def test_what_is_only_in_the_log_is_read(library: Library) -> None:
    with closing(sqlite3.connect(library.file, isolation_level=None)) as zotero:
        zotero.execute("PRAGMA journal_mode = WAL")
        zotero.execute("PRAGMA wal_autocheckpoint = 0")
        zotero.execute("UPDATE itemDataValues SET value = 'Newer' WHERE value LIKE 'Growth%'")
        assert (library.folder / "zotero.sqlite-wal").stat().st_size
        before = state(library.folder)
        assert [work.title for work in references(library.folder)] == ["Newer"]
        assert state(library.folder) == before


def test_what_zotero_has_not_finished_is_undone(library: Library) -> None:
    for number in range(40):
        library.add("book", {"title": f"{number} " + "long " * 500})
    with closing(sqlite3.connect(library.file, isolation_level=None)) as zotero:
        zotero.execute("PRAGMA cache_size = 1")
        zotero.execute("BEGIN")
        zotero.execute("UPDATE itemDataValues SET value = 'half ' || value")
        assert (library.folder / "zotero.sqlite-journal").stat().st_size
        titles = [work.title or "" for work in references(library.folder)]
        zotero.execute("ROLLBACK")
    assert len(titles) == 41
    assert not any(title.startswith("half") for title in titles)


def database(path: Path, *tables: str) -> Path:
    with closing(opened(path)) as connection:
        for table in tables:
            connection.execute(f"CREATE TABLE [{table}] (x)")
        connection.commit()
    return path


@pytest.mark.parametrize(
    ("tables", "named"),
    [
        (("Documents", "DocumentContributors", "Files"), "Mendeley"),
        (("refs", "enl_refs"), "EndNote"),
        (("books", "books_authors_link"), "Calibre"),
        (("moz_places",), "Firefox"),
        (("citationkey",), "Better BibTeX"),
        (("items", "creatorData", "creators"), "Zotero 4"),
        (("users",), "another program"),
        ((), "empty"),
    ],
)
def test_other_databases_are_named(tmp_path: Path, tables: tuple[str, ...], named: str) -> None:
    path = database(tmp_path / "some.sqlite", *tables)
    if not tables:
        path = database(path, "x")
        with closing(opened(path)) as connection:
            connection.execute("DROP TABLE x")
    with pytest.raises(InputError, match=named):
        list(read(path))


def test_views_in_place_of_tables_are_refused(library: Library) -> None:
    library.run("DROP TABLE itemTags")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    library.run(
        f"CREATE VIEW itemTags AS SELECT i AS itemID, i AS tagID, 0 AS type FROM ({endless})"
    )
    with pytest.raises(InputError, match="itemTags"):
        list(read(library.folder))


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    text = tmp_path / "zotero.sqlite"
    text.write_text("no database")
    with pytest.raises(InputError, match="not an SQLite database"):
        list(read(text))
    with pytest.raises(InputError, match="There is no file"):
        list(read(tmp_path / "zotero.sqlit"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no zotero\.sqlite in"):
        list(read(tmp_path / "empty"))


def test_a_library_is_known(library: Library, tmp_path: Path) -> None:
    assert is_library(library.folder)
    assert is_library(library.file)
    other = tmp_path / "papers.txt"
    other.write_text("TY  - JOUR")
    assert not is_library(other)
    assert not is_library(tmp_path / "missing")
    (tmp_path / "folder").mkdir()
    assert not is_library(tmp_path / "folder")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Library(tmp_path_factory.mktemp("zotero"))
    for number in range(30):
        item = made.add("journalArticle", ARTICLE | {"title": f"Work {number}"})
        made.attach(item, "storage:a.pdf", key=f"FILE{number:04}", kind=PDF)
    return made.file


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_a_damaged_database_is_told(sound: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    raw = bytearray(sound.read_bytes())
    for _ in range(rng.randint(1, 30)):
        place = rng.randrange(16, len(raw))
        raw[place : place + rng.randint(1, 8)] = rng.randbytes(rng.randint(1, 8))
    if rng.random() < 0.3:
        del raw[rng.randrange(len(raw)) :]
    path = tmp_path / "zotero.sqlite"
    path.write_bytes(bytes(raw))
    try:
        found = list(works(path))
    except InputError:
        return
    assert sum(isinstance(each, Problem) for each in found) <= 1
