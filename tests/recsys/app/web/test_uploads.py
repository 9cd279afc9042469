"""A stranger's files are read in a process that ends; what it says is checked."""

import base64
import io
import json
import logging
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web import upload_reader, uploads
from recsys.app.web.upload_reader import (
    DRAFT,
    LIST,
    DraftText,
    ReadingTask,
    UploadedDraft,
    answer,
    cut,
)
from recsys.app.web.uploads import (
    ReadingLimits,
    UploadedFile,
    pack,
    parse_draft_answer,
    parse_list_answer,
    read_uploaded_draft,
    read_uploaded_lists,
    unpack,
)
from recsys.errors import ArtifactError, DraftError, InputError, MissingExtraError, RecsysError
from recsys.formats.drafts.bundle import read_bundle
from recsys.formats.drafts.draft_files import bundle_of
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.formats.files import MAX_BYTES
from recsys.records import Bibliography, Body, Manuscript, Mark, Reference, Sentence, Span
from tests.recsys.formats.drafts.small_docx import docx, packed, paragraph
from tests.rows import each_row
from tests.torture import samples
from tests.web_check import bombs

# Another process in the place of the one that reads a stranger's files.


def stand_in(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process of other code read in place of the real one."""
    monkeypatch.setattr(uploads, "_CHILD", (sys.executable, "-c", code))


pytestmark = pytest.mark.usefixtures("nothing_is_left")

MIB = 2**20
WORD = docx(paragraph("From Word", style="Title"), paragraph("Words of a text " * 5))
BIB, JSON = samples.BIBTEX.encode(), json.dumps(samples.DRAFT).encode()
TEX = (
    rb"\documentclass{article}\begin{document}\title{Mine}"
    b"\n\nRivers run \\cite{river1}, and more \\cite{?}.\n\\input{part}\\bibliography{b}"
    rb"\end{document}"
)


def draft_of(files: Mapping[str, bytes], *, sentences: bool = False) -> UploadedDraft:
    """Read files as one draft."""
    uploaded = [UploadedFile(name, content) for name, content in files.items()]
    return read_uploaded_draft(uploaded, sentences=sentences)


def read_one(name: str, content: bytes) -> Manuscript:
    return draft_of({name: content}).manuscript


# Files.


@each_row(
    "files",
    [
        {"a.tex": samples.LATEX.encode()},
        {"a.docx": WORD},
        {"a.bib": BIB},
        {"a.md": samples.MARKDOWN.encode()},
        {"a.txt": samples.PLAIN.encode()},
        {"a.json": JSON},
        {"a.pdf": samples.pdf()},
        {"a.zip": packed({"main.tex": samples.LATEX.encode()})},
        {"a.ris": samples.RIS.encode()},
        {"a.csv": samples.CSV.encode()},
        {"a.tex": rb"\title{Mine}\cite{river1}\bibliography{b}", "b.bib": BIB},
    ],
    usually=3,
)
def test_files_are_read_as_they_are_in_this_process(files: dict[str, bytes]) -> None:
    assert draft_of(files).manuscript == read_bundle(files).manuscript()


def test_lists_are_read_one_after_the_other() -> None:
    files = {"x/a.bib": BIB, "a.bib": b"@article{x, t", "b.ris": samples.RIS.encode()}
    found = read_uploaded_lists([UploadedFile(*each) for each in files.items()])
    assert len(found.references) == 4
    assert [problem.partition(":")[0] for problem in found.problems] == ["a (2).bib"] * 2
    (work,) = read_uploaded_lists([UploadedFile("list", b"10.1000/r1\n")]).references
    assert work.doi == "10.1000/r1"
    with pytest.raises(InputError, match="NUL byte"):
        read_uploaded_lists([UploadedFile("a.bib", b"\0")])


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
        read_one(name, content)
    assert type(there.value) is type(here.value) is kind
    assert str(there.value) == str(here.value)


def test_a_missing_extra_comes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; sys.modules['docx'] = None; "
        "from recsys.app.web.upload_reader import main; main()"
    )
    stand_in(code, monkeypatch)
    with pytest.raises(MissingExtraError) as caught:
        read_one("a.docx", WORD)
    assert caught.value.hint == "pip install 'citerec[serve]'"


@each_row(
    "name",
    ["../../etc/passwd", "C:\\x", "a\0b.md", "\ud800", "x" * 10_000, "/etc/passwd", "", "-", ".",
     "\u202ex.md", "\n\n", "~root", "file:///etc/passwd", "con.md"],
    usually=2,
)  # fmt: skip
def test_a_name_is_a_label(name: str) -> None:
    assert read_one(name, b"On rivers\n\nAbstract\n\nWe measure rivers.\n").title == "On rivers"
    with pytest.raises(DraftError) as caught:
        read_one(name, b"")
    assert str(caught.value).isprintable()
    assert len(caught.value.what) < 150
    assert not {"/", "\\"} & set(caught.value.what)


def test_no_file_too_many_files_and_too_large_ones_start_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    with pytest.raises(DraftError, match="No file"):
        read_uploaded_draft([])
    with pytest.raises(InputError, match="101 files were given"):
        read_uploaded_draft([UploadedFile("a.md", b"x")] * 101)
    half = UploadedFile("a.md", bytes(MAX_BYTES // 2))
    with pytest.raises(InputError, match=r"a\.md and 2 more: more than 64 MB"):
        read_uploaded_lists([half, half, UploadedFile("b", b"x")])


@pytest.mark.slow  # As other limits of time.
def test_fifty_megabytes_are_read_or_refused_in_time() -> None:
    assert read_one("a.md", b"# T\n\n" + b"word " * 10_000_000).title == "T"
    with pytest.raises(DraftError, match="nested too deeply"):
        read_one("a.json", b"[" * 50_000_000)


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
        read_one(name, make())
    assert "broke down" not in str(caught.value)
    assert caught.value.hint
    assert time.monotonic() - start < 60


def test_nothing_of_a_draft_is_logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(RecsysError) as caught:
        read_one("a.pdf", b"%PDF-1.4 SECRETWORDS " * 100)
    said = "".join((caplog.text, *capfd.readouterr(), str(caught.value)))
    assert "SECRETWORDS" not in said
    assert caught.value.__cause__ is None


def test_several_files_are_one_draft_with_its_sentences() -> None:
    files = {"a.tex": TEX, "part.tex": b"Glaciers melt [CITE].", "b.bib": BIB}
    found = draft_of(files, sentences=True)
    assert found.manuscript == read_bundle(files).manuscript()
    assert found.text is not None
    assert found.text.name == "a.tex"
    alone = parse_draft(TEX, Path("a.tex"), folder=bundle_of("a.tex", files))
    assert found.text.body == alone.body_citing(found.manuscript.references)
    assert [each.file for each in found.text.body.sentences][-1] == "part.tex"
    zipped = draft_of({"draft.zip": packed({"main.tex": TEX})}, sentences=True).text
    assert zipped is not None
    assert (zipped.name, zipped.body.sentences[0].file) == ("draft.zip", "main.tex")


# Messages.

PRINTABLE = st.characters(exclude_categories=["C", "Z"], include_characters=" ")
WORDS, YEARS, LINES = (
    st.text(PRINTABLE, max_size=10),
    st.integers(1000, 2999),
    st.integers(1, 10**6),
)
TUPLES, SPANS = st.lists(WORDS, max_size=3).map(tuple), st.builds(Span, LINES, LINES, LINES, LINES)
REFERENCES = st.builds(
    Reference,
    key=WORDS,
    title=st.none() | WORDS,
    authors=TUPLES,
    year=st.none() | YEARS,
    doi=st.none() | WORDS,
    id=st.none() | WORDS,
    pmid=st.none() | WORDS,
    ids=TUPLES,
    keyphrases=TUPLES,
)
WORKS = st.lists(REFERENCES, max_size=3).map(tuple)
MANUSCRIPTS = st.builds(
    Manuscript,
    title=WORDS,
    abstract=st.none() | WORDS,
    authors=TUPLES,
    references=WORKS,
    as_of=st.none() | YEARS,
    notes=TUPLES,
)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    text, span = draw(WORDS), st.none() | SPANS
    places = st.integers(0, len(text))
    marks = st.builds(Mark, places, TUPLES, st.booleans(), WORDS, span)
    return Sentence(
        text,
        tuple(draw(st.lists(marks, max_size=2))),
        draw(WORDS),
        draw(st.integers(0, 99)),
        draw(WORDS),
        draw(span),
    )


BODIES = st.builds(
    Body,
    sentences=st.lists(sentences(), max_size=3).map(tuple),
    unit=st.sampled_from(["line", "paragraph", "page"]),
    references=WORKS,
    notes=TUPLES,
)
BODY = Body(
    (Sentence("Rivers run.", (Mark(10, ("a",), True, "[?]", Span(1, 2, 3, 4)),)),),
    references=(Reference(key="a", title="On rivers"),),
)


@given(MANUSCRIPTS, BODIES, WORDS)
def test_what_was_read_comes_over_as_it_is(draft: Manuscript, body: Body, name: str) -> None:
    whole = UploadedDraft(draft, DraftText(name, body))
    for found in (draft, whole):
        expected = whole if found is whole else UploadedDraft(draft)
        assert parse_draft_answer(answer(found)) == expected
    listed = Bibliography(draft.references, draft.notes)
    assert parse_list_answer(answer(listed)) == listed
    sent = pack(whole.text)
    assert sent.isascii() and not set(sent) & set("\"'<>& \n")
    assert unpack(sent) == whole.text


def test_what_nobody_asks_of_a_work_does_not_come_over() -> None:
    cited = Reference(title="Ice", labels={"a": 1}, cited_ids=("b",), cites=(Reference("c"),))
    assert parse_list_answer(answer(Bibliography((cited,)))).references == (Reference(title="Ice"),)
    assert pack(None) == "" and unpack("") is None
    work = Reference(key="a", abstract="Words " * 500)
    small = pack(DraftText("a", Body(references=(work,))))
    again = unpack(small)
    assert again is not None
    assert again.body.references == (replace(work, abstract=None),)
    assert len(small) < 200


@given(st.lists(st.tuples(st.text(), st.binary()), max_size=3))
def test_files_come_over_whatever_they_are_called(files: list[tuple[str, bytes]]) -> None:
    names, sizes = tuple(name for name, _ in files), tuple(len(raw) for _, raw in files)
    task = ReadingTask(LIST, 1.5, 2**30, names, sizes)
    stream = io.BytesIO(task.header() + b"".join(content for _, content in files))
    read = ReadingTask.read(stream)
    assert read == task
    assert read.files(stream) == files


def test_a_request_that_ends_too_early_is_none() -> None:
    stream = io.BytesIO(ReadingTask(LIST, 1, 1, ("a",), (9,)).header() + b"short")
    with pytest.raises(ValueError, match="too early"):
        ReadingTask.read(stream).files(stream)
    with pytest.raises(ValueError, match="Expecting value"):
        ReadingTask.read(io.BytesIO(b""))


@each_row("kind", [InputError, DraftError, MissingExtraError])
def test_an_error_comes_over_with_its_words(kind: type[RecsysError]) -> None:
    error = kind("What \u00e9 happened.", "What to do.")
    with pytest.raises(RecsysError) as caught:
        parse_draft_answer(answer(error))
    why = parse_draft_answer(answer(UploadedDraft(Manuscript(), None, error))).why
    for found in (caught.value, why):
        assert type(found) is kind
        assert (found.what, found.hint) == (error.what, error.hint)


GOOD = json.loads(answer(Manuscript(title="T", references=(Reference(title="R"),))))["found"]
TEXT = json.loads(answer(UploadedDraft(Manuscript(), DraftText("a", BODY))))["text"]
SENTENCE = TEXT["body"]["sentences"][0]
MARK = SENTENCE["marks"][0]


def changed(**values: object) -> bytes:
    return json.dumps({"found": {**GOOD, **values}}).encode()


def with_body(**values: object) -> bytes:
    return json.dumps({"found": {}, "text": {"name": "a", "body": TEXT["body"] | values}}).encode()


def with_sentence(**values: object) -> bytes:
    return with_body(sentences=[SENTENCE | values])


def with_mark(**values: object) -> bytes:
    return with_sentence(marks=[MARK | values])


NO_SENTENCES: list[Any] = [[], {}, "abcdef", None, [1] * 6]
NO_SPANS: list[Any] = [[1, 2, 3], {"line": 1}, MARK["span"] | {"line": True}, "abcd", {}]


@each_row(
    "raw",
    [
        *(b"", b"{", b"[]", b"3", b"null", b"{}", b"\xff", b'"error"', b"[" * 100_000),
        *(b'{"found": null}', b'{"found": []}', b'{"error": 3}'),
        b'{"error": {"kind": 3, "what": "a", "hint": "b"}}',
        b'{"error": {"kind": "SystemExit", "what": "a", "hint": "b"}}',
        answer(ArtifactError("Of another room.")),
        *(changed(title=None), changed(title=3), changed(abstract=["x"]), changed(authors="ab")),
        *(changed(authors=[3]), changed(as_of="2001"), changed(as_of=True), changed(notes={})),
        *(changed(references=[3]), changed(references=[{"title": 3}]), changed(references=None)),
        *(changed(references=[{"authors": [], "year": 2.5}]), changed(references=[{"x": 1}])),
        answer(Bibliography((), ("A problem.",))),
        *(with_body(sentences=3), with_body(unit=3), with_body(notes="ab")),
        *(with_body(references=each) for each in ([3], [{"title": 3}], None)),
        *(with_body(sentences=[each]) for each in NO_SENTENCES),
        *(with_sentence(**{name: None}) for name in ("text", "section", "paragraph", "file")),
        *(with_sentence(marks=None), *(with_sentence(span=each) for each in NO_SPANS)),
        *(with_mark(at=each) for each in (-1, 12, 2.5, True, "1")),
        *(with_mark(keys=each) for each in ("ab", [3], None)),
        *(with_mark(gap=each) for each in (1, None)),
    ],
)
def test_what_is_no_answer_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_draft_answer(raw)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_comes_is_an_answer_or_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_list_answer(raw)
    for sent in (raw.decode("latin-1"), base64.urlsafe_b64encode(zlib.compress(raw)).decode()):
        if sent:
            with pytest.raises(InputError, match="changed on its way"):
                unpack(sent)


def test_what_was_cut_off_or_goes_on_for_ever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pack(DraftText("a", BODY))
    bomb = base64.urlsafe_b64encode(zlib.compress(bytes(10**8), 9)).decode()
    deep = base64.urlsafe_b64encode(zlib.compress(b"[" * 10**6)).decode()
    for sent in (whole[:-8], whole[:40], bomb, deep):
        with pytest.raises(InputError, match="Give its file again"):
            unpack(sent)
    monkeypatch.setattr(uploads, "LONGEST", 20)
    assert pack(DraftText("a", BODY)) == ""


def test_a_long_text_is_cut_and_says_so() -> None:
    most = upload_reader.MOST_SENTENCES
    long = Body((Sentence("A."),) * (most + 5), notes=("n",))
    body = cut(long)
    assert len(body.sentences) == most
    assert body.notes == ("n", "Only the first 3,000 of 3,005 sentences are looked at.")
    assert cut(body) is body
    again = unpack(pack(DraftText("a", long)))
    assert again is not None and len(again.body.sentences) == most


# The process that reads a stranger's files ends, whatever they or it may do.


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    # It sleeps with its input unread, and has a process of its own that holds its output.
    stand_in("import os, time\nif os.fork() == 0: time.sleep(60)\ntime.sleep(60)", monkeypatch)
    start = time.monotonic()
    with pytest.raises(DraftError) as caught:
        read_uploaded_draft([UploadedFile("a.md", bytes(10 * MIB))], ReadingLimits(seconds=1))
    assert str(caught.value) == (
        "a.md took longer than 1 s to read. Give title and abstract instead."
    )
    assert time.monotonic() - start < 10


def test_a_process_that_the_reader_starts_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "pid"
    stand_in(
        "import os, time\nchild = os.fork()\n"
        "if child == 0: time.sleep(60)\n"
        f"open({str(told)!r}, 'w').write(str(child))\n"
        """os.write(1, b'{"error": {"kind": "DraftError", "what": "W.", "hint": "H."}}')\n"""
        "os.close(1)",
        monkeypatch,
    )
    with pytest.raises(DraftError, match=r"W\. H\."):
        read_uploaded_draft([UploadedFile("a.md", b"x")], ReadingLimits(seconds=2))
    assert gone(int(told.read_text()))


def gone(process: int) -> bool:
    for _ in range(100):
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def reading_by(function: str, seconds: float) -> "subprocess.CompletedProcess[bytes]":
    """Let the reader call a function of this code, `attempt`, in place of its own reading."""
    code = f"from recsys.app.web import upload_reader as c\n{function}\nc._read = attempt\nc.main()"
    given = ReadingTask(DRAFT, seconds, 2**30, ("a",), (1,)).header() + b"x"
    return subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, timeout=60, check=False
    )


def test_a_reader_that_loops_is_ended_by_its_own_clock_too() -> None:
    done = reading_by("def attempt(*a):\n    while True: pass", 0.2)
    assert done.returncode == -signal.SIGKILL or done.returncode == -signal.SIGXCPU
    assert done.stdout == b""


def test_what_takes_too_much_memory_is_ended() -> None:
    # What a list holds takes more memory than its file.
    entries = b"".join(b"@misc{k%d, title={Work %d}}\n" % (i, i) for i in range(90_000))
    with pytest.raises(DraftError) as caught:
        read_uploaded_draft(
            [UploadedFile("a.bib", entries)], ReadingLimits(seconds=120, memory=100 * MIB)
        )
    assert str(caught.value) == (
        "a.bib needs more than 0.098 GiB of memory to read. Give title and abstract instead."
    )


@pytest.mark.parametrize(
    "code",
    [
        "",
        "raise SystemExit(3)",
        "import os; os.abort()",
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "import os; os.close(0); os.close(1)",
        "print('no answer')",
        "print('{}')",
        """print('{"found": {"title": 3}}')""",
        """print('{"error": {"kind": "KeyboardInterrupt", "what": "", "hint": ""}}')""",
        "import os\nwhile True: os.write(1, bytes(2**20))",
    ],
    ids=range(10),
)
def test_a_reader_that_breaks_down_is_one_clear_error(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(code, monkeypatch)
    with pytest.raises(DraftError) as caught:
        read_uploaded_draft([UploadedFile("a.md", bytes(3 * MIB))])
    assert str(caught.value) == (
        "a.md could not be read: its reader broke down. Give title and abstract instead."
    )


def test_a_reader_that_the_system_kills_had_too_little_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", monkeypatch)
    with pytest.raises(DraftError, match="needs more than 1 GiB of memory"):
        read_uploaded_draft([UploadedFile("a.md", b"x")])


def test_no_process_at_all_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_CHILD", ("/nowhere/at/all",))
    with pytest.raises(RecsysError, match="No process could be started") as caught:
        read_uploaded_draft([UploadedFile("a.md", b"x")])
    assert not isinstance(caught.value, InputError)


def test_only_so_many_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("import time; time.sleep(60)", monkeypatch)
    ended: list[str] = []

    def ask(seconds: float) -> None:
        with pytest.raises(RecsysError) as caught:
            read_uploaded_draft(
                [UploadedFile("a.md", b"x")], ReadingLimits(seconds=seconds, at_once=1)
            )
        ended.append(caught.value.what)

    first = threading.Thread(target=ask, args=(1.5,))
    first.start()
    time.sleep(0.5)
    ask(0.3)
    first.join()
    assert ended == [
        "a.md was not read: others are being read.",
        "a.md took longer than 1.5 s to read.",
    ]
    ask(0.3)
    assert ended[2] == "a.md took longer than 0.3 s to read."


def test_the_reader_gets_no_environment_and_opens_no_file_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RECSYS_SECRET", "x")
    monkeypatch.chdir(tmp_path)
    Path("secret.tex").write_text("SECRET", encoding="utf-8")
    Path("json.py").write_text("raise SystemExit", encoding="utf-8")
    source = rb"\title{T}\begin{abstract}\input{secret}\end{abstract}"
    found = read_uploaded_draft([UploadedFile("a.tex", source)])
    assert "SECRET" not in str(found)
    Path("json.py").unlink()
    stand_in(
        "import json, os; print(json.dumps({'error': {'kind': 'InputError', "
        "'what': ' '.join(sorted(os.environ)), 'hint': ''}}))",
        monkeypatch,
    )
    with pytest.raises(InputError) as caught:
        read_uploaded_draft([UploadedFile("a.tex", source)])
    assert "RECSYS_SECRET" not in caught.value.what
    assert "PYTHONPATH" in caught.value.what


def test_the_reader_can_write_no_file_and_open_few(tmp_path: Path) -> None:
    done = reading_by(
        "import os\n"
        "from recsys.errors import InputError\n"
        "def attempt(*a):\n"
        "    said = []\n"
        "    try:\n"
        f"        with open({str(tmp_path / 'x')!r}, 'wb', buffering=0) as file: file.write(b'x')\n"
        "    except OSError as error: said.append(error.strerror)\n"
        "    try: [os.open('/dev/null', os.O_RDONLY) for _ in range(100)]\n"
        "    except OSError as error: said.append(error.strerror)\n"
        "    print('to nobody')\n"
        "    raise InputError(', '.join(said))",
        20,
    )
    assert json.loads(done.stdout)["error"]["what"] == "File too large, Too many open files"
    assert done.stderr == b""
