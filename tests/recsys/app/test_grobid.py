"""GROBID: a small server of our own answers as its documentation says, or as it should not."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app import grobid
from recsys.app.grobid import read_by_grobid
from recsys.errors import DraftError, InputError, RecsysError
from tests.inputs.small_pdf import pdf_of
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0"><teiHeader xml:lang="en"><fileDesc>
<titleStmt><title level="a" type="main">Rivers and glaciers</title></titleStmt>
<sourceDesc><biblStruct><analytic>
<author><persName><forename type="first">Ada</forename><forename type="middle">B</forename>
<surname>Ash</surname></persName>
<affiliation><orgName>Forest School</orgName></affiliation></author>
<author><persName><surname>Birch</surname></persName></author>
</analytic><monogr><imprint/></monogr><idno type="DOI">10.1000/RIVERS</idno></biblStruct>
</sourceDesc>
</fileDesc><profileDesc><abstract><div><p>We measure <ref>rivers</ref> again.</p></div></abstract>
</profileDesc></teiHeader><text><body><div><p>Long text.</p></div></body><back>
<div type="references"><listBibl>
<biblStruct xml:id="b0"><analytic><title level="a" type="main">On nests of beetles</title>
<author><persName><forename type="first">Cy</forename><surname>Cedar</surname></persName></author>
<idno type="DOI">10.1000/nests</idno></analytic><monogr><title level="j">Forest Letters</title>
<imprint><biblScope unit="volume">12</biblScope><biblScope unit="page" from="34" to="56"/>
<date type="published" when="2010-05"/></imprint></monogr></biblStruct>
<biblStruct xml:id="b1"><monogr><title level="m">A book of honey</title>
<author><persName><forename type="first">D</forename><surname>Date</surname></persName></author>
<imprint><date>Spring 1999</date></imprint></monogr></biblStruct>
<biblStruct xml:id="b2"><monogr><imprint/></monogr></biblStruct>
</listBibl></div></back></text></TEI>"""
PDF = pdf_of(b"BT /F1 12 Tf 72 720 Td (On rivers) Tj ET")


@dataclass
class Server:
    """status, body: what it answers. asked: paths and bodies of the requests."""

    status: int = 200
    body: bytes = TEI.encode()
    headers: dict[str, str] = field(default_factory=dict)
    hangs: threading.Event | None = None
    asked: list[tuple[str, bytes]] = field(default_factory=list)
    address: str = ""


@contextmanager
def serving() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.asked.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            if state.hangs is not None:
                state.hangs.wait(10)
            self.send_response(state.status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(state.body)))
            self.end_headers()
            if state.status != 204:
                self.wfile.write(state.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        state.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        yield state


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.pdf"
    path.write_bytes(PDF)
    return path


def test_what_grobid_says_is_the_draft(server: Server, draft: Path) -> None:
    found = read_by_grobid(f"{server.address}/", draft)
    assert (found.title, found.abstract) == ("Rivers and glaciers", "We measure rivers again.")
    assert found.authors == ("Ada B Ash", "Birch")
    assert found.doi == "10.1000/rivers"
    first, second = found.references
    assert (first.title, first.authors, first.year) == ("On nests of beetles", ("Cy Cedar",), 2010)
    assert (first.venue, first.volume, first.page) == ("Forest Letters", "12", "34")
    assert (first.doi, first.key) == ("10.1000/nests", "b0")
    assert (second.title, second.authors, second.year) == ("A book of honey", ("D Date",), 1999)
    [(path, body)] = server.asked
    assert path == "/api/processFulltextDocument"
    assert PDF in body and b'name="input"' in body
    assert b'name="consolidateCitations"' in body and b'name="consolidateHeader"' in body


@each_row(
    ("status", "body", "said"),
    [
        (503, b"", "is busy"),
        (204, b"", "found nothing"),
        (500, b"", "status 500"),
        (302, b"", "status 302"),
        (200, b"<TEI><teiHeader>", "cannot be read"),
        (200, b"<html><body>hello</body></html>", "cannot be read"),
        (200, b'<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;">]><TEI>&c;</TEI>', "cannot be read"),
        (200, b"<TEI><teiHeader/><text/></TEI>", "found nothing"),
        (200, b" " * 100_001, "larger than"),
    ],
)
def test_what_grobid_cannot_do_is_one_sentence(
    server: Server, draft: Path, status: int, body: bytes, said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(grobid, "LARGEST", 100_000)
    server.status, server.body = status, body
    server.headers = {"Location": "http://127.0.0.1:1/"} if status == 302 else {}
    with pytest.raises((InputError, DraftError)) as caught:
        read_by_grobid(server.address, draft)
    assert said in caught.value.what and "\n" not in caught.value.what and caught.value.hint


def test_a_server_that_hangs_is_left(server: Server, draft: Path) -> None:
    server.hangs = threading.Event()
    try:
        with pytest.raises(InputError, match="took longer"):
            read_by_grobid(server.address, draft, seconds=0.2)
    finally:
        server.hangs.set()


@pytest.mark.parametrize("address", ["localhost:8070", "ftp://host/x", "http://", "grobid"])
def test_an_address_that_is_none_is_refused(draft: Path, address: str) -> None:
    with pytest.raises(InputError, match="is not the address"):
        read_by_grobid(address, draft)


def test_nobody_there_is_said(draft: Path) -> None:
    with pytest.raises(RecsysError, match="does not answer"):
        read_by_grobid("http://127.0.0.1:1", draft)


def test_only_a_pdf_is_sent(server: Server, tmp_path: Path) -> None:
    text = tmp_path / "draft.pdf"
    text.write_text("On rivers", encoding="utf-8")
    with pytest.raises(InputError, match="is not a PDF"):
        read_by_grobid(server.address, text)
    assert not server.asked


def test_the_option_answers_and_without_it_nothing_is_sent(
    server: Server, draft: Path, built: "Built", run_cli: "RunCli"
) -> None:
    options = ("recommend", draft, "--index", built.index, "-k", "2")
    run_cli(*options)
    assert not server.asked
    asked = run_cli(*options, "--grobid", server.address, "--format", "markdown")
    assert asked.code == 0 and "Rivers and glaciers" in asked.out
    assert "draft.pdf.\n" in asked.err and "GROBID read" in asked.err
    several = run_cli(*options, draft, "--grobid", server.address)
    assert several.code == 2 and "GROBID reads the PDF of one draft." in several.err
