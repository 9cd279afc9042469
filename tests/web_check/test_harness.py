"""The harness itself: it would notice, and what it says is what there was."""

import json
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from recsys.errors import InputError
from tests.web_check import bombs
from tests.web_check.__main__ import run, write_page
from tests.web_check.attacks import OK, Attack
from tests.web_check.findings import Check, Report, Setting, missing, program
from tests.web_check.flows import READERS, bibliography, given_drafts, plain
from tests.web_check.server import Reply, chunked, multipart

PAPER = {"id": "a", "title": "Rivers & more", "abstract": "We measure 5% of rivers.", "year": 2001}


def _reply(raw: bytes, *, closed: bool) -> Reply:
    return Reply(raw, closed, 0, 0)


def test_an_attack_accepts_refusals_and_closed_connections_only() -> None:
    attack, mild = Attack("x", lambda _: Reply(b"", True, 0, 0)), b"HTTP/1.1 200 OK\r\n\r\n"
    assert attack.accepts(_reply(b"HTTP/1.1 413 Too Large\r\n\r\n", closed=False))
    assert attack.accepts(_reply(b"", closed=True))
    assert not attack.accepts(_reply(b"", closed=False))
    assert not attack.accepts(_reply(mild, closed=True))
    assert not attack.accepts(_reply(b"HTTP/1.1 500 Internal Server Error\r\n\r\n", closed=True))
    assert not attack.accepts(_reply(mild + b"HTTP/1.1 421 x\r\n\r\n", closed=True))
    assert Attack("x", attack.run, allowed=OK).accepts(_reply(mild, closed=False))


def test_chunks_and_parts_are_framed() -> None:
    assert b"".join(chunked([b"x" * 17])) == b"11\r\n" + b"x" * 17 + b"\r\n0\r\n\r\n"
    assert multipart([('name="a"', b"1")], "q").endswith(b'name="a"\r\n\r\n1\r\n--q--\r\n')


def test_a_bomb_is_what_it_says() -> None:
    size = 3 * 2**20
    assert zlib.decompress(bombs.deflated_zeros(size), -15) == bytes(size)
    for packed in (bombs.zip_of_zeros(["a", "b"], size), bombs.overlapping_zip(2, size)):
        entries = zipfile.ZipFile(BytesIO(packed)).infolist()
        assert [entry.file_size for entry in entries] == [size, size]
        assert len(packed) < size / 100
    lies = zipfile.ZipFile(BytesIO(bombs.zip_of_zeros(["a"], size, told=5))).infolist()
    assert lies[0].file_size == 5


def test_downloads_are_compared_by_the_letters_of_their_titles() -> None:
    assert plain(r"{R{\'e}sum{\'e}s} \& Rivers") == plain("Résumés & rivers")
    assert plain("Rivers") != plain("River")
    assert READERS["bibtex"](bibliography([PAPER]))[0].strip("{}") == r"Rivers \& more"
    assert READERS["csv"]("Title,Year\nRivers,2001\n") == ["Rivers"]
    assert READERS["ris"]("TY  - JOUR\nTI  - Rivers\nER  - \n") == ["Rivers"]
    assert READERS["csl-json"]('[{"title": "Rivers"}]') == ["Rivers"]


def test_a_draft_is_given_in_every_format() -> None:
    given = {each.name: dict(each.files) for each in given_drafts(PAPER, [PAPER])}
    assert set(given) == {"tex-bib", "zip", "md", "docx", "pdf", "bib", "ris", "json"}
    assert given["pdf"]["draft.pdf"].startswith(b"%PDF-")
    assert json.loads(given["json"]["draft.json"])["references"] == ["a"]


def test_what_is_missing_is_said_with_how_to_get_it() -> None:
    assert "apt-get install chromium" in str(missing("chromium"))
    assert "make web-check" in str(missing("axe-core"))
    assert Path(program("python")).is_file()


def _check(report: Report | Exception) -> Check:
    def found(setting: Setting) -> Report:
        if isinstance(report, Exception):
            raise report
        return report

    return Check("hostile", "attacks", "attacks", found)


def test_how_a_check_breaks_is_a_finding(tmp_path: Path) -> None:
    setting = Setting(index=tmp_path, out=tmp_path)
    report = run(_check(ValueError("boom")), setting)
    assert "boom" in report.findings[0]
    assert "boom" in (tmp_path / "hostile" / "findings.txt").read_text()
    assert run(_check(missing("wrk")), setting).findings == [str(missing("wrk"))]


def test_the_page_keeps_what_other_checks_found(tmp_path: Path) -> None:
    (tmp_path / "web.md").write_text("Before.\n\n<!-- web -->\n<!-- /web -->\n\nAfter.\n")
    report = Report(figures=["fast"], seconds=61.2)
    report.counts["413"] += 1_234
    report.expect(False, "slow")
    for name in ("load", "hostile"):
        write_page(tmp_path, tmp_path / "web.json", name, report)
    page = (tmp_path / "web.md").read_text()
    assert page.index("`hostile`: wrong") < page.index("`load`: wrk")
    assert "| 1,234 attacks | 1 | 61 |" in page
    assert json.loads((tmp_path / "web.json").read_text())["load"]["figures"] == ["fast"]
    assert page.startswith("Before.") and page.endswith("After.\n")
    with pytest.raises(InputError):
        write_page(tmp_path / "none", tmp_path / "web.json", "load", report)
