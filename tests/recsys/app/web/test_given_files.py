"""A stranger's files are read in a process that ends, whatever they are."""

import json
import logging
import subprocess
import time
from collections.abc import Callable

import pytest

from recsys.app.web.given.given_files import GivenFile, read_given, read_given_list
from recsys.errors import DraftError, InputError, MissingExtraError, RecsysError
from recsys.formats.drafts.bundle import read_bundle
from recsys.formats.files import MAX_BYTES
from tests.recsys.app.web.stand_in import stand_in
from tests.recsys.formats.drafts.small_docx import docx, packed, paragraph
from tests.rows import each_row
from tests.torture import samples
from tests.web_check import bombs

pytestmark = pytest.mark.usefixtures("nothing_is_left")

MIB = 2**20
WORD = docx(paragraph("From Word", style="Title"), paragraph("Words of a text " * 5))
ZIP = packed({"main.tex": samples.LATEX.encode()})


@each_row(
    ("name", "content"),
    [
        ("a.tex", samples.LATEX.encode()),
        ("a.docx", WORD),
        ("a.bib", samples.BIBTEX.encode()),
        ("a.md", samples.MARKDOWN.encode()),
        ("a.txt", samples.PLAIN.encode()),
        ("a.json", json.dumps(samples.DRAFT).encode()),
        ("a.pdf", samples.pdf()),
        ("a.zip", ZIP),
        ("a.ris", samples.RIS.encode()),
        ("a.csv", samples.CSV.encode()),
    ],
    usually=3,
)
def test_a_file_is_read_as_it_is_in_this_process(name: str, content: bytes) -> None:
    assert read_given([GivenFile(name, content)]) == read_bundle({name: content}).manuscript()


def test_several_files_are_read_together() -> None:
    files = {
        "a.tex": rb"\title{Mine}\cite{river1}\bibliography{b}",
        "b.bib": samples.BIBTEX.encode(),
    }
    found = read_given([GivenFile(name, content) for name, content in files.items()])
    assert found == read_bundle(files).manuscript()
    assert len(found.references) == 1


def test_lists_are_read_one_after_the_other() -> None:
    book, more = samples.BIBTEX.encode(), samples.RIS.encode()
    found = read_given_list([GivenFile("x/a.bib", book), GivenFile("a.bib", b"@article{x, t"),
                             GivenFile("b.ris", more)])  # fmt: skip
    assert len(found.references) == 4
    assert [problem.partition(":")[0] for problem in found.problems] == ["a (2).bib"] * 2
    assert read_given_list([GivenFile("list", b"10.1000/r1\n")]).references[0].doi == "10.1000/r1"
    with pytest.raises(InputError, match="NUL byte"):
        read_given_list([GivenFile("a.bib", b"\0")])


@each_row(
    ("name", "content", "kind"),
    [
        ("a.md", b"\xff\xfe\xff", InputError),
        ("a.docx", b"PK\3\4rest", DraftError),
        ("a.md", b" ", DraftError),
        ("a.md", b"---\ntitle: [\n---\n", DraftError),
        ("a.zip", packed({"main.tex": bytes(40 * MIB)}), DraftError),
        ("a.pdf", b"%PDF-1.4 and no more", DraftError),
    ],
    usually=2,
)
def test_an_error_is_that_of_the_reader(name: str, content: bytes, kind: type[RecsysError]) -> None:
    with pytest.raises(RecsysError) as here:
        read_bundle({name: content}).manuscript()
    with pytest.raises(RecsysError) as there:
        read_given([GivenFile(name, content)])
    assert type(there.value) is type(here.value) is kind
    assert str(there.value) == str(here.value)


def test_a_missing_extra_comes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; sys.modules['docx'] = None; "
        "from recsys.app.web.given.reading_child import main; main()"
    )
    stand_in(code, monkeypatch)
    with pytest.raises(MissingExtraError) as caught:
        read_given([GivenFile("a.docx", WORD)])
    assert caught.value.hint == "pip install 'recsys[serve]'"


@each_row(
    "name",
    ["../../etc/passwd", "C:\\x", "a\0b.md", "\ud800", "x" * 10_000, "/etc/passwd", "", "-", ".",
     "\u202ex.md", "\n\n", "~root", "file:///etc/passwd", "con.md"],
    usually=5,
)  # fmt: skip
def test_a_name_is_a_label(name: str) -> None:
    text = b"On rivers\n\nAbstract\n\nWe measure rivers.\n"
    assert read_given([GivenFile(name, text)]).title == "On rivers"
    with pytest.raises(DraftError) as caught:
        read_given([GivenFile(name, b"")])
    assert str(caught.value).isprintable()
    assert len(caught.value.what) < 150
    assert "/" not in caught.value.what
    assert "\\" not in caught.value.what


def test_no_file_too_many_files_and_too_large_ones_start_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    with pytest.raises(DraftError, match="No file"):
        read_given([])
    with pytest.raises(InputError, match="101 files were given"):
        read_given([GivenFile("a.md", b"x")] * 101)
    half = GivenFile("a.md", bytes(MAX_BYTES // 2))
    with pytest.raises(InputError, match=r"a\.md and 2 more: more than 64 MB"):
        read_given_list([half, half, GivenFile("b", b"x")])


def test_fifty_megabytes_are_read_or_refused_in_time() -> None:
    found = read_given([GivenFile("a.md", b"# T\n\n" + b"word " * 10_000_000)])
    assert found.title == "T"
    with pytest.raises(DraftError, match="nested too deeply"):
        read_given([GivenFile("a.json", b"[" * 50_000_000)])


@each_row(
    ("name", "make"),
    [
        ("a.pdf", lambda: bombs.pdf_bomb(bombs.GIB, twice=False)),
        ("a.zip", lambda: packed({f"{n}.tex": bytes(31 * MIB) for n in range(4)})),
        ("a.docx", lambda: docx(document="<x>" * 10_000_000)),
        ("a.docx", lambda: docx(paragraph("x") * 300_000)),
    ],
    usually=2,
)
def test_a_bomb_is_refused_within_the_limits(name: str, make: Callable[[], bytes]) -> None:
    start = time.monotonic()
    with pytest.raises(DraftError) as caught:
        read_given([GivenFile(name, make())])
    assert "broke down" not in str(caught.value)
    assert caught.value.hint
    assert time.monotonic() - start < 60


def test_nothing_of_a_draft_is_logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    text = b"%PDF-1.4 SECRETWORDS " * 100
    with pytest.raises(RecsysError) as caught:
        read_given([GivenFile("a.pdf", text)])
    said = "".join((caplog.text, *capfd.readouterr(), str(caught.value)))
    assert "SECRETWORDS" not in said
    assert caught.value.__cause__ is None
