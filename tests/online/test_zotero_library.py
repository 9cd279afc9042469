"""The library of a running Zotero: what is asked for, and what comes of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from recsys.errors import InputError, OnlineError
from recsys.formats.exports import zotero_database
from recsys.formats.exports.zotero_database import StoredWork
from recsys.pipelines.online import zotero_library
from recsys.pipelines.online.client import Client, ClientConfig
from recsys.pipelines.online.zotero_library import (
    Collection,
    LibraryPart,
    RunningZotero,
    found_collection,
    write_part,
)
from tests.online.loopback import Fault, Served, serving
from tests.online.world import TestClock
from tests.online.zotero_desktop import ZoteroDesktop


@pytest.fixture
def desk() -> ZoteroDesktop:
    """Three collections, one inside another, and six works."""
    desk = ZoteroDesktop()
    thesis = desk.add_collection("Thesis")
    methods = desk.add_collection("Methods", thesis)
    other = desk.add_collection("Other")
    desk.add(thesis, title="Rivers of the north", DOI="10.5/one", date="2001")
    desk.add(methods, title="Rivers, measured", tags=[{"tag": "to read"}])
    desk.add(other, title="Bells without ropes", tags=[{"tag": "to read"}, {"tag": "bells"}])
    for number in range(3):
        desk.add(title=f"Loose paper {number}")
    return desk


@pytest.fixture
def served(desk: ZoteroDesktop) -> Iterator[Served]:
    with serving(desk) as served:
        yield served


@pytest.fixture
def zotero(served: Served) -> Iterator[RunningZotero]:
    config = ClientConfig(addresses={"zotero": served.address}, clock=TestClock(), tries=2)
    with Client(config) as client:
        yield RunningZotero(client)


def titles(path: Path) -> list[str]:
    """Read the titles as a build reads them."""
    works = [work for work in zotero_database.works(path) if isinstance(work, StoredWork)]
    return sorted(work.reference.title or "" for work in works)


def asked_since(served: Served) -> list[str]:
    return [a.parameters["since"] for a in served.asked if "since" in a.parameters]


def test_an_address_names_a_library_a_collection_and_a_tag() -> None:
    read = {
        "": LibraryPart(),
        "Thesis": LibraryPart(collection="Thesis"),
        "Thesis/Methods/": LibraryPart(collection="Thesis/Methods"),
        "?tag=to read": LibraryPart(tag="to read"),
        "groups/7": LibraryPart("groups/7"),
        "groups/7/Thesis?tag=a/b": LibraryPart("groups/7", "Thesis", "a/b"),
        "users/0/Thesis": LibraryPart(collection="Thesis"),
        "groups of people": LibraryPart(collection="groups of people"),
        "What is a river?": LibraryPart(collection="What is a river?"),
    }
    assert {words: LibraryPart.named(words) for words in read} == read


def test_parts_of_a_library_hold_what_lies_in_them(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    key = next(key for key, each in desk.collections.items() if each["name"] == "Methods")
    parts = {
        "": desk.titles(),
        "Thesis": ["Rivers of the north", "Rivers, measured"],
        "Thesis/Methods": ["Rivers, measured"],
        "Methods": ["Rivers, measured"],
        key: ["Rivers, measured"],
        "?tag=to read": ["Bells without ropes", "Rivers, measured"],
        "Thesis?tag=to read": ["Rivers, measured"],
        "groups/7/Other": ["Bells without ropes"],
    }
    read = {}
    for words in parts:
        part = LibraryPart.named(words)
        read[words] = titles(write_part(zotero, part, tmp_path / part.library)[0])
    assert read == parts


def test_only_what_is_new_is_asked_for_and_what_is_gone_goes(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    _, first = write_part(zotero, LibraryPart(), tmp_path)
    assert (first.changed, first.gone, asked_since(served)) == (6, 0, ["0"])
    new = desk.add(title="A new paper")
    loose = [key for key, data in desk.items.items() if data.get("title") == "Loose paper 0"]
    desk.items.pop(loose[0])
    served.reset()
    file, second = write_part(zotero, LibraryPart(), tmp_path)
    assert (second.changed, second.gone) == (1, 1)
    assert asked_since(served) == [str(first.version)]
    assert titles(file) == desk.titles()
    desk.change(new, title="A new paper, corrected")
    assert titles(write_part(zotero, LibraryPart(), tmp_path)[0]) == desk.titles()


def test_another_database_and_one_before_zotero_10_are_read_whole(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    for server in ("AbCdEf123456", "anotherDB001", ""):
        desk.server = server
        write_part(zotero, LibraryPart(), tmp_path)
        served.asked.clear() if server else None
        desk.add(title=f"Since {server or 'then'}")
    file, library = write_part(zotero, LibraryPart(), tmp_path)
    assert library.changed == len(desk.titles()) and set(asked_since(served)) == {"0"}
    assert titles(file) == desk.titles()


def test_a_damaged_file_of_what_was_read_costs_no_more_than_reading_again(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    write_part(zotero, LibraryPart(), tmp_path)
    for damage in ("", "{", '{"server": "AbCdEf123456"}', "[]", '{"server": 1}'):
        (tmp_path / "library.json").write_text(damage)
        assert write_part(zotero, LibraryPart(), tmp_path)[1].changed == 6, damage


def test_all_pages_are_read(
    desk: ZoteroDesktop,
    zotero: RunningZotero,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for page in (1, 4, 6, 7):
        monkeypatch.setattr(zotero_library, "PAGE", page)
        file, _ = write_part(zotero, LibraryPart(), tmp_path / str(page))
        assert titles(file) == desk.titles(), page


def test_the_pdf_of_a_work_is_found_where_zotero_keeps_it(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    pdf = tmp_path / "a paper, with spaces.pdf"
    pdf.write_bytes(b"%PDF-1.4")
    item = next(key for key, data in desk.items.items() if data["title"] == "Rivers, measured")
    for kind, address in (
        ("text/html", pdf.as_uri()),
        ("application/pdf", "https://elsewhere.example/paper.pdf"),
        ("application/pdf", pdf.as_uri()),
    ):
        facts = {"itemType": "attachment", "parentItem": item, "contentType": kind}
        desk.add(**facts, file=address)
    desk.add(itemType="note", parentItem=item, note="A note")
    file, _ = write_part(zotero, LibraryPart(), tmp_path / "library")
    works = [each for each in zotero_database.works(file) if isinstance(each, StoredWork)]
    assert [each.pdf for each in works if each.reference.title == "Rivers, measured"] == [pdf]
    assert {each.pdf for each in works if each.reference.title != "Rivers, measured"} == {None}


def test_what_is_not_there_is_told_with_what_is_near(zotero: RunningZotero, tmp_path: Path) -> None:
    for part, said in (
        ("Theses", "Zotero has no collection 'Theses'. Did you mean 'Thesis'?"),
        ("?tag=none", "Zotero holds no items there."),
    ):
        with pytest.raises(InputError) as error:
            write_part(zotero, LibraryPart.named(part), tmp_path)
        assert said in str(error.value)


def test_one_name_of_several_collections_is_not_guessed() -> None:
    twice = [Collection("A", "Same", "One/Same"), Collection("B", "Same", "Two/Same")]
    with pytest.raises(InputError, match=r"several collections 'Same': One/Same \(A\), Two/Same"):
        found_collection(twice, "Same")
    assert found_collection(twice, "Two/Same") is twice[1]


def test_collections_that_contain_each_other_end(
    desk: ZoteroDesktop, zotero: RunningZotero
) -> None:
    one, other = list(desk.collections)[:2]
    desk.collections[one]["parentCollection"] = other
    desk.collections[other]["parentCollection"] = one
    assert len(zotero.collections("users/0")) == 3


def test_faults_are_told_and_leave_what_was_read_before(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    file, _ = write_part(zotero, LibraryPart(), tmp_path)
    before = file.read_bytes(), (tmp_path / "library.json").read_bytes()
    desk.add(title="Never seen")
    faults = (
        *((None, fault, fault) for fault in (Fault.BROKEN, Fault.SHORT, Fault.CUT, Fault.NO_JSON)),
        (Fault.BROKEN, Fault.BROKEN),
        (None, Fault.FORBIDDEN),
        (None, Fault.ELSEWHERE),
    )
    for orders in faults:
        served.order(*orders)
        with pytest.raises(OnlineError) as error:
            write_part(zotero, LibraryPart(), tmp_path)
        assert error.value.hint, orders
        served.reset()
        assert (file.read_bytes(), (tmp_path / "library.json").read_bytes()) == before, orders


def test_items_of_odd_shapes_are_told_or_left_out(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    desk.items.clear()
    desk.add(title="A sound one")
    for odd in ({"tags": None}, {"tags": ["bare"]}, {"creators": 7}, {"title": None}):
        desk.add(**{"title": "An odd one", **odd})
    file, _ = write_part(zotero, LibraryPart.named("?tag="), tmp_path)
    assert "A sound one" in titles(file)
    desk.items["KEYLESS"] = {"key": None, "version": 10**6, "itemType": "book"}
    with pytest.raises(OnlineError, match="an item that has no key"):
        write_part(zotero, LibraryPart(), tmp_path)


def test_a_zotero_that_does_not_run_or_does_not_allow_it_says_what_to_do(
    desk: ZoteroDesktop, zotero: RunningZotero
) -> None:
    desk.enabled = False
    with pytest.raises(OnlineError, match=r"Local API is not enabled.*Settings, Advanced"):
        zotero.server()
    config = ClientConfig(addresses={"zotero": "http://127.0.0.1:1"}, clock=TestClock(), tries=2)
    with Client(config) as client, pytest.raises(OnlineError, match=r"2 tries.*Start Zotero"):
        RunningZotero(client).server()


def test_what_is_kept_of_a_library_is_json_that_only_its_owner_finds(
    zotero: RunningZotero, tmp_path: Path
) -> None:
    folder = tmp_path / "library"
    write_part(zotero, LibraryPart(), folder)
    assert json.loads((folder / "library.json").read_text())["version"]
    assert folder.stat().st_mode & 0o077 == 0
