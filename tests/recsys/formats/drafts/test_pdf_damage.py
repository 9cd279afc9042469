import resource
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from recsys.errors import DraftError, MissingExtraError
from recsys.formats.drafts.pdf import parse, read_pages
from recsys.formats.drafts.pdf_pages import BACK_PAGES, FRONT_PAGES, Line, Pages
from recsys.records import Manuscript
from tests.recsys.formats.drafts.printed_draft import ABSTRACT, NUMBERED, TITLE, front
from tests.recsys.formats.drafts.small_pdf import Text, down, write_objects, write_pdf
from tests.rows import each_row

FILES = Path(__file__).with_name("files")


def read_pdf(raw: bytes) -> Manuscript:
    return parse(raw, Path("draft.pdf")).manuscript()


@each_row(
    ("raw", "what"),
    [
        (b"", "cannot be read as PDF"),
        (b"hello", "cannot be read as PDF"),
        (b"%PDF-1.7\n%%EOF", "cannot be read as PDF"),
        (write_pdf([]), "has no pages"),
        (write_pdf([[]]), "it may be scanned"),
        (write_pdf([down(["012 345 678"] * 5)]), "cannot be read: its fonts"),
    ],
)
def test_what_is_no_readable_pdf_is_an_error(raw: bytes, what: str) -> None:
    with pytest.raises(DraftError, match=what) as caught:
        read_pdf(raw)
    assert "draft.pdf" in caught.value.what
    assert caught.value.hint


def test_a_broken_table_of_objects_is_mended() -> None:
    raw = write_pdf([front()])
    assert read_pdf(raw.replace(b"startxref\n", b"startxref\n9")).title == TITLE
    with pytest.raises(DraftError, match="cannot be read as PDF"):
        read_pdf(raw[: raw.rindex(b"xref\n0")])


def test_a_password_is_an_error_but_not_protection_against_printing() -> None:
    with pytest.raises(DraftError, match=r"encrypted\. Save it without a password"):
        read_pdf((FILES / "encrypted.pdf").read_bytes())
    assert read_pdf((FILES / "protected.pdf").read_bytes()).title == TITLE


def test_damage_is_met_in_silence(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    raw = write_pdf([front()]).replace(b"/F 12 Tf", b"/G 12 Tf", 1)
    raw = raw.replace(b"startxref\n", b"startxref\n9")
    read_pdf(raw)
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def test_a_page_that_cannot_be_read_costs_only_itself() -> None:
    pages = [_bytes(front()), b"", _bytes(down(["References", *NUMBERED]))]
    raw = write_objects(pages).replace(b" 7 0 R", b" 0 0 R")  # The second page is not there.
    found = read_pdf(raw)
    assert found.title == TITLE
    assert len(found.references) == 3
    assert found.notes == ("1 page could not be read.",)


def test_without_its_package_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(
        MissingExtraError, match=r"draft\.pdf needs pypdfium2, .*pip install 'citerec\[pdf\]'"
    ):
        read_pdf(write_pdf([front()]))


def _bytes(page: list[Text]) -> bytes:
    return b"\n".join(
        f"BT /F {line.size} Tf 1 0 0 1 {line.x} {line.y} Tm ({line.text}) Tj ET".encode("cp1252")
        for line in page
    )


def _bomb() -> bytes:
    """A gigabyte of zeros, packed twice: equal blocks of the inner packing are put together."""
    packer = zlib.compressobj(9)
    head = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return zlib.compress(head + 1023 * block, 9)


HOSTILE = {
    "a bomb": (_bomb, b"[/FlateDecode /FlateDecode]"),
    "a nest of arrays": (lambda: b"[" * 100_000, b""),
    "many operators": (lambda: b"BT /F 9 Tf " + b"(x) Tj 3 0 Td " * 100_000 + b"ET", b""),
}


@pytest.mark.parametrize(
    "kind",
    ["a bomb", *(pytest.param(kind, marks=pytest.mark.slow) for kind in list(HOSTILE)[1:])],
)
def test_a_hostile_stream_costs_little(tmp_path: Path, kind: str) -> None:
    make, filters = HOSTILE[kind]
    path = tmp_path / "draft.pdf"
    path.write_bytes(write_objects([make()] * 3, filters=filters))
    _read_within(path, megabytes=700, seconds=20)


def test_endless_words_cost_little(tmp_path: Path) -> None:
    path, word = tmp_path / "draft.pdf", "A" * 30_000
    byline = [Text(word, 72, 690, 12), Text(word + "- 10.1000/" * 2_000, 72, 670, 10)]
    listed = [Text(f"{word}10.1000/{'10.1000/' * 2_000}", 72, 700 - 12 * row) for row in range(4)]
    pages = [[front()[0], *byline, *front()[2:]], [Text("References", 72, 740, 12), *listed]]
    path.write_bytes(write_pdf(pages, facts={"Title": "A b" + "_" * 500_000, "Author": word}))
    assert "references" in _read_within(path, megabytes=700, seconds=10)


def test_only_the_first_and_the_last_pages_are_read() -> None:
    class Noted(Pages):
        def lines(self, page: int) -> list[Line]:
            asked.add(page)
            return super().lines(page)

    asked: set[int] = set()
    raw = write_pdf([front(), *([down(ABSTRACT)] * 99)])
    assert read_pages(Noted(raw, "draft.pdf"), "draft.pdf").references == ()
    assert asked == {*range(FRONT_PAGES), *range(100 - BACK_PAGES, 100)}


@pytest.mark.slow
def test_ten_thousand_pages_are_not_all_read(tmp_path: Path) -> None:
    path = tmp_path / "draft.pdf"
    pages = [
        front(),
        *([down(ABSTRACT)] * 10_000),
        [Text("References", 72, 740, 12), *down(NUMBERED)],
    ]
    path.write_bytes(write_pdf(pages))
    assert "3 references" in _read_within(path, megabytes=700, seconds=20)


def _read_within(path: Path, *, megabytes: int, seconds: int) -> str:
    """Read a file in a process of its own that may not use more; what it says it found."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom recsys.errors import DraftError\n"
        "from recsys.formats.drafts.pdf import parse\ntry:\n"
        "    found = parse(Path(sys.argv[1]).read_bytes(), Path('draft.pdf')).manuscript()\n"
        "    print(len(found.references), 'references')\n"
        "except DraftError as error:\n    print('DraftError', error)\n"
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[4],
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
