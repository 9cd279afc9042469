"""Cite as you write: an editor that waits, and the page where somebody picks."""

import os
import re
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from recsys.app.web import pick_routes
from recsys.app.web.listening import make_application
from recsys.app.web.pick_routes import CAYW, FORMS, Pick
from recsys.app.web.service import ServeSettings, Service
from tests.built_index import Built
from tests.recsys.app.web.page_reader import read
from tests.recsys.app.web.served import HOST, TOKEN, settings_of
from tests.recsys.app.web.test_listening import started, told_to_stop

PASSAGE = "Rivers were measured with an instrument |."
IDS = ("rivers-05", "rivers-06")


def asking(settings: ServeSettings, host: str = "127.0.0.1") -> TestClient:
    """Ask an application as a program on some machine does."""
    return TestClient(
        make_application(Service(settings)),
        base_url=f"http://{HOST}",
        raise_server_exceptions=False,
        client=(host, 50_000),
    )


@pytest.fixture(scope="module")
def editor(built: Built) -> Iterator[TestClient]:
    with asking(settings_of(built.index)) as client:
        yield client


@pytest.fixture
def guarded(built: Built) -> Iterator[TestClient]:
    """Ask a server that asks for a token."""
    with asking(settings_of(built.index, token=TOKEN)) as client:
        yield client


@pytest.fixture
def browser(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[Callable[[str], object]], list[str]]]:
    """Let something be done with each page that is opened; return their addresses.

    An editor is answered while its page still reads the reply to its form: whoever closes the
    client that both use comes after that, so a test names its client before this.
    """
    opened: list[str] = []
    pages: list[threading.Thread] = []

    def use(act: Callable[[str], object]) -> list[str]:
        def open_page(address: str) -> bool:
            pages.append(threading.current_thread())
            opened.append(address)
            act(address)
            return True

        monkeypatch.setattr("webbrowser.open", open_page)
        monkeypatch.setattr(pick_routes, "_LOOK", 0.005)
        return opened

    yield use
    for page in pages:
        page.join()


def sending(editor: TestClient, **fields: object) -> Callable[[str], object]:
    """Send a form of the page, as its buttons do."""
    return lambda address: editor.post(address.removeprefix(f"http://{HOST}"), data=fields)


def test_an_editor_is_told_that_picking_works_without_a_page(
    editor: TestClient, browser: Callable[..., list[str]]
) -> None:
    opened = browser(print)
    answer = editor.get(CAYW, params={"probe": "probe"})
    assert (answer.status_code, answer.text, opened) == (200, "ready", [])


def test_what_is_picked_is_cited_in_each_format(
    editor: TestClient, browser: Callable[..., list[str]]
) -> None:
    browser(sending(editor, paper=IDS, do="cite"))
    one, other = "Rivers2005Rivers", "Rivers2006Rivers"
    told = {
        "": rf"\cite{{{one},{other}}}",
        "format=latex&command=citep": rf"\citep{{{one},{other}}}",
        "format=cite": rf"\cite{{{one},{other}}}",
        "format=biblatex": rf"\autocite{{{one},{other}}}",
        "format=mmd": f"[#{one}][][#{other}][]",
        "format=pandoc": f"@{one}; @{other}",
        "format=pandoc&brackets=1": f"[@{one}; @{other}]",
        "format=typst": f"@{one} @{other}",
        "format=typst&keys=[auth:lower][year]": "@rivers2005 @rivers2006",
    }
    given = {query: editor.get(f"{CAYW}?{query}").text for query in told}
    assert given == told
    assert {"latex", "mmd", "pandoc", "typst"} <= FORMS.keys()


def test_nothing_is_inserted_where_the_person_cancels_or_chooses_nothing(
    editor: TestClient, browser: Callable[..., list[str]]
) -> None:
    def nothing_then_cancel(address: str) -> None:
        path = address.removeprefix(f"http://{HOST}")
        page = editor.post(path, data={"do": "cite", "words": "rivers"}).text
        assert "Nothing is chosen." in page and "Tick a paper, or cancel." in page
        assert "Nothing was cited" in editor.post(path, data={"do": "cancel"}).text

    browser(nothing_then_cancel)
    answer = editor.get(CAYW, params={"format": "pandoc"})
    assert (answer.status_code, answer.text) == (200, "")


def test_the_page_offers_what_would_be_cited_here_and_what_words_find(
    editor: TestClient, browser: Callable[..., list[str]]
) -> None:
    seen: list[str] = []

    def look_around(address: str) -> None:
        path = address.removeprefix(f"http://{HOST}")
        seen.append(editor.get(path).text)
        first = re.findall(r'name="paper" value="([^"]+)"', seen[0])[0]
        form = {"paper": first, "passage": PASSAGE, "words": "On rivers in survey 7"}
        seen.append(editor.post(path, data={**form, "do": "find"}).text)
        editor.post(path, data={**form, "do": "cite"})

    opened = browser(look_around)
    answer = editor.get(CAYW, params={"text": PASSAGE})
    seen.append(editor.get(opened[0].removeprefix(f"http://{HOST}")).text)
    first, second, last = map(read, seen)
    assert "What would be cited here" in first.one("main").words()
    assert re.search(r"\d %", first.one("main").words())
    words = second.one("main").words()
    assert "Chosen" in words and "Papers with \u201cOn rivers in survey 7\u201d" in words
    assert seen[1].count(" checked>") == 1 and "survey 7" in words
    assert "Your editor has the citation" in last.one("main").words()
    assert "@" in seen[2] and answer.text in last.one("main").words()
    assert PASSAGE not in "".join(re.findall(r'(?:href|action)="([^"]*)"', "".join(seen)))


def test_what_cannot_be_answered_is_said_on_the_page_and_to_the_editor(
    editor: TestClient, browser: Callable[..., list[str]]
) -> None:
    shown: list[str] = []

    def ask(address: str) -> None:
        path = address.removeprefix(f"http://{HOST}")
        for fields in ({"passage": "|"}, {"words": "zzzz qqqq"}):
            shown.append(editor.post(path, data=fields).text)
        editor.post(path, data={"do": "cancel"})

    browser(ask)
    editor.get(CAYW)
    assert 'role="alert"' in shown[0]
    assert "No paper of the corpus holds these words." in shown[1]
    refused = {"format=word": "There is no format", "command=a{b": "no command"}
    refused |= {"index=none": "none", "keys=[": "["}
    for query, said in refused.items():
        answer = editor.get(f"{CAYW}?{query}")
        assert answer.status_code in (400, 404, 422) and said in answer.text, query
        assert answer.headers["content-type"].startswith("application/problem+json"), query
    assert editor.get("/pick/unknown").status_code == 410


def test_an_editor_waits_for_a_while_and_no_longer(
    editor: TestClient, browser: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = browser(lambda address: None)
    monkeypatch.setattr(pick_routes, "SECONDS", 0.05)
    answer = editor.get(CAYW)
    assert (answer.status_code, answer.text) == (504, "")
    page = editor.get(opened[0].removeprefix(f"http://{HOST}")).text
    assert "Your editor no longer waits" in page and 'name="do"' not in page
    late = editor.post(opened[0].removeprefix(f"http://{HOST}"), data={"paper": IDS, "do": "cite"})
    assert "Your editor no longer waits" in late.text


def test_only_so_many_editors_wait_at_once(
    editor: TestClient, browser: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = browser(lambda address: None)
    waiting = [
        threading.Thread(target=editor.get, args=(CAYW,)) for _ in range(pick_routes.MOST_PICKS)
    ]
    for thread in waiting:
        thread.start()
    while len(opened) < len(waiting):
        pass
    refused = editor.get(CAYW)
    assert refused.status_code == 503 and refused.headers["retry-after"] == "5"
    for address in opened:
        sending(editor, do="cancel")(address)
    for thread in waiting:
        thread.join()
    browser(sending(editor, paper=IDS[0], do="cite"))
    assert editor.get(CAYW).status_code == 200


def test_strangers_open_no_page(
    built: Built, editor: TestClient, browser: Callable[..., list[str]]
) -> None:
    opened = browser(lambda address: None)
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"origin": "https://elsewhere.example"},
        {"host": "elsewhere.example"},
    ):
        assert editor.get(CAYW, headers=headers).status_code in (403, 421), headers
    with asking(settings_of(built.index), "192.168.1.7") as far:
        assert far.get(CAYW).status_code == 403
    assert (
        editor.post("/pick/x", headers={"origin": "https://elsewhere.example"}).status_code == 403
    )
    assert opened == []


def test_a_token_is_asked_for_and_handed_to_the_page(
    guarded: TestClient, browser: Callable[..., list[str]]
) -> None:
    bearer = {"authorization": f"Bearer {TOKEN}"}

    def pick(address: str) -> None:
        path = address.removeprefix(f"http://{HOST}")
        assert "What do you want to cite?" in guarded.get(path).text
        guarded.post(path.partition("?")[0], data={"paper": IDS[0], "do": "cite"})

    opened = browser(pick)
    assert guarded.get(CAYW).status_code == 401
    assert opened == []
    assert guarded.get(CAYW, headers=bearer).text == r"\cite{Rivers2005Rivers}"
    assert opened[0].endswith(f"?token={TOKEN}")


def test_a_pick_is_kept_as_it_is() -> None:
    pick = Pick("latex", "citep", True, "vis", "[auth]", PASSAGE, "maps", IDS, True, "late")
    assert Pick.unpacked(pick.packed()) == pick and Pick.unpacked(b"") is None


@pytest.mark.parametrize("workers", [1, 2])
def test_a_real_editor_and_a_real_page_meet_in_whatever_process(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    script = tmp_path / "browser.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        from urllib.request import urlopen
        assert b"What do you want to cite?" in urlopen(sys.argv[1]).read()
        urlopen(sys.argv[1], data=b"paper=rivers-05&do=cite").read()
        """)
    )
    monkeypatch.setenv("BROWSER", f"{sys.executable} {script} %s")
    with started(built.index, "--workers", workers) as (process, address):
        for _ in range(2):
            answer = httpx2.get(f"{address.rstrip('/')}{CAYW}?format=pandoc", timeout=60)
            assert answer.text == "@Rivers2005Rivers"
        assert told_to_stop(process, signal.SIGINT)[0] == 0


def test_a_server_that_is_stopped_lets_its_editors_go(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", f"{sys.executable} -c pass %s")
    assert "BROWSER" in os.environ
    with started(built.index) as (process, address):
        answers: list[int] = []

        def wait() -> None:
            asked = httpx2.get(f"{address.rstrip('/')}{CAYW}", timeout=60)
            answers.append(asked.status_code)

        editor = threading.Thread(target=wait)
        editor.start()
        while not httpx2.get(f"{address}healthz", timeout=30).json():
            pass
        threading.Event().wait(0.5)  # It waits by now.
        assert told_to_stop(process, signal.SIGINT)[0] == 0
        editor.join()
        assert answers == [504]
