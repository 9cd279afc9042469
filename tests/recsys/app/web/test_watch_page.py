"""The page of watches and their feeds."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from recsys.records import Paper
from recsys.watching.state import entry_of, new_watch, now
from tests.recsys.watching.test_feeds import faults_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RECSYS_STATE", str(tmp_path))
    (tmp_path / "watches").mkdir()
    return tmp_path / "watches"


def test_without_watches_the_page_says_how_to_begin(client: TestClient, folder: Path) -> None:
    page = client.get("/watch")
    assert page.status_code == 200 and "recsys watch add" in page.text
    assert [client.get(each).status_code for each in ("/watch.xml", "/watch/x.xml")] == [404, 404]


def test_the_page_lists_watches_and_their_feeds_are_valid(client: TestClient, folder: Path) -> None:
    for name in ("paper.tex", "<b>other.tex"):
        watch = new_watch(folder, Path("/drafts") / name)
        entry = entry_of(watch, "new", Paper("x", f"Read {name} & more", doi="10.1/x"), now())
        watch.telling((entry,), now()).save(folder)
    (folder / "damaged.json").write_text("{")
    page = client.get("/watch").text
    for text in ("paper.tex", "&lt;b&gt;other.tex", "Read paper.tex &amp; more"):
        assert text in page
    feeds = {
        address: client.get(address)
        for address in ("/watch.xml", "/watch/paper.xml", "/watch/b-other.xml")
    }
    assert all(address in page for address in feeds)
    for address, reply in feeds.items():
        assert reply.headers["content-type"] == "application/atom+xml; charset=utf-8"
        assert faults_of(reply.text) == []
        assert f'href="http://127.0.0.1:8000{address}"' in reply.text
    assert feeds["/watch.xml"].text.count("<entry>") == 2
    assert feeds["/watch/paper.xml"].text.count("<entry>") == 1
