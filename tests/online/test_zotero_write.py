"""Papers that go into a running Zotero: the plan, the person who is asked, and all that fails."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from recsys.errors import InputError, KeyRefused, OnlineError
from recsys.pipelines.online.client import Client, ClientConfig
from recsys.pipelines.online.sites import ZOTERO_KEY, Keys
from recsys.pipelines.online.zotero_library import LibraryPart, RunningZotero
from recsys.pipelines.online.zotero_write import WritePlan, Writer, Written, plan_writing
from recsys.records import Paper
from tests.online.loopback import Given, Served, serving
from tests.online.world import TestClock
from tests.online.zotero_desktop import ZoteroDesktop

RIVERS = Paper(
    "10.5555/rivers",
    "Rivers of the north",
    "We measure rivers.",
    2001,
    ("Ada Ash", "The River Group", "Ludwig van Beethoven"),
    "Journal of Rivers",
)
BELLS = Paper("bells", "Bells without ropes: a study of towers", None, 1999, ("Bob Birch",))
GRAVEL = Paper(
    "10.5555/gravel", "Gravel is honey", None, 2010, ("Cy Elm",), "Proceedings of GRAVEL"
)
KNOWN_KEY = "k" * 32


@pytest.fixture
def desk() -> ZoteroDesktop:
    """A library with bells in no collection, and rivers, known by DOI, in that of the thesis."""
    desk = ZoteroDesktop(says=["Always Allow"])
    thesis = desk.add_collection("Thesis")
    desk.add(thesis, title="Another spelling of rivers", DOI="10.5555/RIVERS")
    author = {"creatorType": "author", "firstName": "Bob", "lastName": "Birch"}
    desk.add(title="Bells Without Ropes. A Study of Towers", date="1999", creators=[author])
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


def planned(zotero: RunningZotero, folder: Path, to: str, *papers: Paper) -> WritePlan:
    return plan_writing(zotero, LibraryPart.named(to), papers, folder)


def sent(zotero: RunningZotero, folder: Path, to: str, *papers: Paper) -> Written:
    return Writer(zotero).write(planned(zotero, folder, to, *papers))


def writes(served: Served) -> list[str]:
    return [asked.path for asked in served.asked if asked.method == "POST"]


def test_a_plan_parts_what_is_new_from_what_is_there_and_writes_nothing(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    plan = planned(zotero, tmp_path, "Thesis", RIVERS, BELLS, GRAVEL, GRAVEL)
    assert [paper.id for paper in plan.new] == ["10.5555/gravel"]
    assert [item.title for item in plan.joining] == ["Bells Without Ropes. A Study of Towers"]
    assert list(plan.lines()) == [
        "Zotero, My Library, 'Thesis'.",
        "New items: 1.",
        "  Gravel is honey",
        "In the library already, only put into the collection: 1.",
        "  Bells Without Ropes. A Study of Towers",
        "There already: 2.",
        "Zotero will ask you to allow it, unless you have always allowed it.",
    ]
    assert writes(served) == [] and len(desk.items) == 2


def test_a_plan_is_carried_out_and_the_same_again_has_nothing_to_do(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    thesis = next(iter(desk.collections))
    written = sent(zotero, tmp_path, "Thesis", RIVERS, BELLS, GRAVEL)
    assert (written.created, written.joined, written.refused) == (1, 1, ())
    assert desk.titles(thesis) == sorted(desk.titles()) and len(desk.titles()) == 3
    written_to = [asked for asked in served.asked if asked.path == "/api/users/0/items"]
    header = written_to[-1].headers
    assert header["zotero-server-id"] == desk.server and len(header["zotero-api-key"]) == 32
    assert planned(zotero, tmp_path, "Thesis", RIVERS, BELLS, GRAVEL).is_empty


def test_an_item_has_the_fields_of_its_type(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    desk.items.clear()
    book = Paper("b", "A book", labels={"type": "book"}, doi="10.5555/book", venue="Oak Press")
    sent(zotero, tmp_path, "", RIVERS, GRAVEL, book)
    rivers, gravel, own = desk.items.values()
    assert rivers["itemType"] == "journalArticle" and rivers["DOI"] == "10.5555/rivers"
    assert (rivers["publicationTitle"], rivers["date"]) == ("Journal of Rivers", "2001")
    assert rivers["abstractNote"] == "We measure rivers."
    assert rivers["creators"] == [
        {"creatorType": "author", "firstName": "Ada", "lastName": "Ash"},
        {"creatorType": "author", "name": "The River Group"},
        {"creatorType": "author", "firstName": "Ludwig", "lastName": "van Beethoven"},
    ]
    assert gravel["itemType"] == "conferencePaper"
    assert gravel["proceedingsTitle"] == "Proceedings of GRAVEL"
    assert (own["itemType"], own["extra"]) == ("book", "DOI: 10.5555/book")
    assert own["publisher"] == "Oak Press"


def test_a_collection_that_is_not_there_is_made_where_its_path_says(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    thesis = next(iter(desk.collections))
    plan = planned(zotero, tmp_path, "Thesis/Gravel", GRAVEL)
    assert "the collection 'Thesis/Gravel' will be created." in next(plan.lines())
    Writer(zotero).write(plan)
    made = list(desk.collections.values())[-1]
    assert (made["name"], made["parentCollection"]) == ("Gravel", thesis)
    assert desk.titles(made["key"]) == ["Gravel is honey"]
    sent(zotero, tmp_path, "Bells", BELLS)
    assert list(desk.collections.values())[-1]["parentCollection"] is False
    with pytest.raises(InputError, match="no collection 'Nowhere'"):
        planned(zotero, tmp_path, "Nowhere/Deep", GRAVEL)


def test_51_items_go_in_two_requests_each_with_the_version_before_it(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    papers = [Paper(f"10.5555/{n}", f"Paper of the number {n}") for n in range(51)]
    assert sent(zotero, tmp_path, "Thesis", *papers).created == 51
    bodies = [json.loads(a.body) for a in served.asked if a.path == "/api/users/0/items" and a.body]
    assert [len(body) for body in bodies] == [50, 50, 1]  # The first was before the dialog.
    assert desk.dialogs == 1


def test_a_key_for_one_write_is_asked_for_again_and_one_for_good_is_kept(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    papers = [Paper(f"10.5555/{n}", f"Paper of the number {n}") for n in range(51)]
    desk.says = ["Allow", "Allow"]
    written = sent(zotero, tmp_path, "", *papers)
    assert (written.created, written.remembered, desk.dialogs) == (51, "", 2)
    desk.says = ["Always Allow"]
    written = sent(zotero, tmp_path, "", BELLS, GRAVEL)
    assert len(written.remembered) == 32
    desk.says = []
    assert sent(zotero, tmp_path, "Thesis", BELLS).joined == 1


def test_a_key_that_was_kept_asks_nobody(
    desk: ZoteroDesktop, served: Served, tmp_path: Path
) -> None:
    desk.allowed_for_good(KNOWN_KEY)
    keys = Keys({ZOTERO_KEY: KNOWN_KEY})
    with Client(ClientConfig(addresses={"zotero": served.address}, keys=keys)) as client:
        assert sent(RunningZotero(client), tmp_path, "", GRAVEL).created == 1
    assert desk.dialogs == 0
    reads = [asked for asked in served.asked if asked.method == "GET"]
    assert not any("zotero-api-key" in asked.headers for asked in reads)


def test_a_person_who_refuses_has_nothing_written(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    desk.says = ["Deny"]
    with pytest.raises(KeyRefused, match=r"denied in Zotero's dialog: nothing was written\."):
        sent(zotero, tmp_path, "Thesis", GRAVEL)
    assert len(desk.items) == 2


def test_what_zotero_refuses_is_told_plainly_and_never_repeated(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    desk.says = ["Always Allow"]
    sent(zotero, tmp_path, "", BELLS, RIVERS, Paper("first", "The first of all"))
    told = {
        428: "wants to be told which library and which version",
        412: "was changed meanwhile, or another Zotero runs now",
        413: "takes no 50 items at once",
        409: "is locked, or being imported into",
        403: "does not allow it",
        404: "has no such library",
        400: "does not understand what it was sent",
        500: "failed while it was writing (500: it broke): some may be written",
        503: "failed while it was writing",
    }
    for status, said in told.items():
        served.reset()
        desk.failing = [Given(b"it broke", status)]
        with pytest.raises(OnlineError) as error:
            sent(zotero, tmp_path, "", GRAVEL)
        assert said in error.value.what and error.value.hint, status
        assert writes(served) == ["/api/users/0/items"], status
    assert len(desk.titles()) == 3


def test_garbage_in_the_place_of_results_is_told(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    for garbage in (b"<html>", b"[]", b'{"successful": 7}', b"null", b"\xff\xfe"):
        desk.failing, desk.says = [Given(garbage)], ["Always Allow"]
        with pytest.raises(OnlineError) as error:
            sent(zotero, tmp_path, "", GRAVEL)
        assert error.value.hint, garbage


def test_a_lost_connection_repeats_no_write_and_the_same_again_writes_nothing_twice(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    papers = [Paper(f"10.5555/{n}", f"Paper of the number {n}") for n in range(120)]
    desk.failing = [None, "lost"]
    with pytest.raises(OnlineError, match=r"in 1 try.*50 items were written before\."):
        sent(zotero, tmp_path, "Thesis", *papers)
    assert len(desk.titles()) == 102  # Zotero had written the second part before it was lost.
    assert sent(zotero, tmp_path, "Thesis", *papers).created == 20
    assert len(desk.titles()) == 122 and len(set(desk.titles())) == 122


def test_a_library_that_changed_meanwhile_is_not_written_over(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    plan = planned(zotero, tmp_path, "Thesis", BELLS, GRAVEL)
    desk.add(title="Gravel is honey", date="2010")
    with pytest.raises(OnlineError, match=r"changed meanwhile.*Give the same command again"):
        Writer(zotero).write(plan)
    desk.says = ["Always Allow"]
    written = sent(zotero, tmp_path, "Thesis", BELLS, GRAVEL)
    assert (written.created, written.joined) == (0, 2)
    assert desk.titles().count("Gravel is honey") == 1


def test_another_zotero_than_the_one_that_was_read_is_not_written_to(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    plan = planned(zotero, tmp_path, "Thesis", GRAVEL)
    desk.server = "anotherDB001"
    with pytest.raises(OnlineError, match="another Zotero runs now"):
        Writer(zotero).write(plan)


def test_single_items_that_are_refused_are_named_and_the_others_stay(
    desk: ZoteroDesktop, zotero: RunningZotero, tmp_path: Path
) -> None:
    odd = Paper("odd", "Please refuse me")
    written = sent(zotero, tmp_path, "Thesis", GRAVEL, odd, BELLS)
    assert (written.created, written.joined) == (1, 1)
    assert written.refused == ("Please refuse me: Invalid value (400).",)


def test_an_older_zotero_imports_into_what_is_selected(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    desk.server, desk.selected = "", next(iter(desk.collections))
    plan = planned(zotero, tmp_path, "Thesis", RIVERS, BELLS, GRAVEL)
    lines = list(plan.lines())
    assert (
        lines[0] == "This Zotero is older than 10: papers go to 'Thesis', its selected collection."
    )
    assert lines[1:] == ["New items: 1.", "  Gravel is honey", "There already: 2."]
    assert Writer(zotero).write(plan).created == 1
    assert desk.titles(desk.selected)[-1] == "Gravel is honey" and desk.dialogs == 0
    asked = served.asked[-1]
    assert asked.path == "/connector/import" and len(asked.parameters["session"]) == 16
    assert asked.headers["content-type"] == "application/x-research-info-systems"
    assert planned(zotero, tmp_path, "", RIVERS, BELLS, GRAVEL).is_empty


def test_an_older_zotero_with_something_else_selected_is_not_written_to(
    desk: ZoteroDesktop, served: Served, zotero: RunningZotero, tmp_path: Path
) -> None:
    desk.server = ""
    with pytest.raises(InputError, match=r"'My Library' is selected.*Select 'Thesis' there"):
        planned(zotero, tmp_path, "Thesis", GRAVEL)
    plan = planned(zotero, tmp_path, "", GRAVEL)
    for status, said in ((409, "locked"), (500, "failed"), (400, "does not understand")):
        desk.failing = [Given(b"", status)]
        with pytest.raises(OnlineError, match=said):
            Writer(zotero).write(plan)
    assert len(desk.items) == 2
