import io
import tracemalloc
from collections.abc import Iterator
from typing import BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.markup import xml_stream
from recsys.formats.markup.xml_stream import Layout, Record, first_names, records
from recsys.formats.references.bibliography import Problem
from tests.rows import each_row

LAYOUT = Layout(frozenset({"work"}), frozenset({"body"}))


def read(text: str | bytes) -> list[Record | Problem]:
    raw = text.encode() if isinstance(text, str) else text
    return list(records(io.BytesIO(raw), LAYOUT))


def texts(text: str | bytes) -> list[str]:
    return ["".join(found.element.itertext()) for found in read(text) if isinstance(found, Record)]


def problem(text: str | bytes) -> Problem:
    found = [each for each in read(text) if isinstance(each, Problem)]
    assert len(found) == 1
    return found[0]


class Repeated(io.RawIOBase):
    """A file that says one thing many times."""

    def __init__(self, head: bytes, part: bytes, times: int) -> None:
        self._parts = self._all(head, part, times)

    @staticmethod
    def _all(head: bytes, part: bytes, times: int) -> Iterator[bytes]:
        yield head
        for _ in range(times):
            yield part

    def read(self, size: int = -1) -> bytes:
        return next(self._parts, b"")


def repeated(head: bytes, part: bytes, times: int) -> BinaryIO:
    return cast(BinaryIO, Repeated(head, part, times))


def test_records_come_with_their_line_and_without_what_is_passed_over() -> None:
    found = read("<all>\n<work>a<body><work>b</work>\n</body>c</work>\n<other/><work/></all>")
    assert all(isinstance(each, Record) for each in found)
    works = [each for each in found if isinstance(each, Record)]
    assert ["".join(work.element.itertext()) for work in works] == ["ac", ""]
    assert [work.line for work in works] == [2, 4]


def test_line_ends_of_windows_and_control_characters_do_no_harm() -> None:
    assert texts("<all>\r\n<work>a\x0bb\x1fc\r\n</work></all>\r\n") == ["a b c\n"]


@each_row("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252", "latin-1"])
def test_encodings_are_as_the_file_declares(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><work>Böhm</work>'
    assert texts(text.encode(encoding)) == ["Böhm"]


def test_an_unknown_encoding_and_a_wrong_one_are_told() -> None:
    unknown = problem('<?xml version="1.0" encoding="x-klingon"?><work/>')
    assert "x-klingon" in unknown.text
    assert unknown.reason == "unknown encoding"
    many = problem('<?xml version="1.0" encoding="gbk"?><work/>')
    assert many.reason == "unknown encoding"
    wrong = problem("<all><work>a</work><work>Böhm</work></all>".encode("latin-1"))
    assert wrong.reason == "broken XML"
    assert "1 record before" in wrong.text


def test_characters_that_a_dtd_names_are_text() -> None:
    head = '<!DOCTYPE all SYSTEM "all.dtd">'
    assert texts(f"{head}<work>B&ouml;hm &amp; K&uuml;hn&nope;</work>") == ["Böhm & Kühn&nope;"]
    assert texts("<work>B&ouml;hm</work>") == ["Böhm"]


LAUGHS = (
    '<!DOCTYPE all [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<all><work>&b;</work></all>"
)
OUTSIDE = '<!DOCTYPE all [<!ENTITY x SYSTEM "file:///etc/passwd">]><all><work>&x;</work></all>'
PARAMETER = '<!DOCTYPE all [<!ENTITY % x SYSTEM "http://localhost:9/x"> %x;]><all><work/></all>'


@each_row("text", [LAUGHS, OUTSIDE, PARAMETER])
def test_entities_that_a_file_defines_are_refused(text: str) -> None:
    assert texts(text) == []
    assert problem(text).reason == "defines entities"


@each_row(
    "text", ["<all><work>a</work>\n<work>b</wo", "<all><work>a</work>\n", "<all><work>a</work>\n<"]
)
def test_of_a_file_cut_short_the_whole_records_are_read(text: str) -> None:
    assert texts(text) == ["a"]
    assert problem(text).reason == "XML cut short"
    assert problem(text).line == 2
    assert problem(text).text.startswith("line 2: ")


def test_of_a_malformed_file_the_records_before_are_read() -> None:
    text = "<all><work>a</work>\n<work>b</other></work><work>c</work></all>"
    assert texts(text) == ["a"]
    assert (problem(text).reason, problem(text).line) == ("broken XML", 2)


@each_row("inner", ["<work>", "<x>", "<body>"])
def test_deep_nesting_is_refused(inner: str) -> None:
    for text in (inner * 100_000, f"<work>{inner * 100_000}", f"<work><body>{inner * 100_000}"):
        assert texts(text) == []
        assert problem(text).reason == "nested too deeply"


def test_documents_one_after_the_other_are_one_file() -> None:
    one = '<?xml version="1.0"?>\n<!DOCTYPE all SYSTEM "a.dtd">\n<all><work>a</work>\n</all>\n'
    found = read(one * 3)
    assert [each.line for each in found if isinstance(each, Record)] == [3, 7, 11]
    assert len(found) == 3
    assert problem(one * 2 + "<all><work>b</all>").line == 9


def test_documents_one_after_the_other_may_break_at_any_byte(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = '<?xml version="1.0"?><all><work>a</work></all>\n<!-- x --><all><work>b</work></all>'
    for size in range(1, len(text)):
        monkeypatch.setattr(xml_stream, "_CHUNK", size)
        assert texts(text) == ["a", "b"]


def test_many_small_documents_do_not_hang() -> None:
    found = read("<work/>" * 30_000)
    assert isinstance(found[-1], Problem)
    assert len(found) > 10_000


def test_a_tag_without_end_is_refused() -> None:
    stream = repeated(b'<all><work>a</work><work x="', b"y" * 2**16, 1000)
    *works, last = records(stream, LAYOUT)
    assert len(works) == 1
    assert isinstance(last, Problem)
    assert last.reason == "endless tag"


def test_a_record_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_stream, "LARGEST_RECORD", 2**20)
    stream = repeated(b"<all><work>a</work><work>", b"<b>y</b>" * 2**13, 1000)
    *works, last = records(stream, LAYOUT)
    assert len(works) == 1
    assert isinstance(last, Problem)
    assert last.reason == "endless record"


def test_memory_does_not_grow_with_the_file() -> None:
    part = b"<other><x>text</x></other><work><x>text</x><body>text</body></work>\n" * 100

    def peak(times: int) -> int:
        tracemalloc.start()
        try:
            assert (
                sum(1 for _ in records(repeated(b"<all>", part, times), LAYOUT)) == times * 100 + 1
            )
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(100) < 1.5 * peak(10)


def test_a_stream_that_fails_is_told() -> None:
    class Failing(io.RawIOBase):
        def __init__(self) -> None:
            self._parts = iter([b"<all><work>a</work>"])

        def read(self, size: int = -1) -> bytes:
            for part in self._parts:
                return part
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")

    found = list(records(cast(BinaryIO, Failing()), LAYOUT))
    assert isinstance(found[0], Record)
    assert isinstance(found[1], Problem)
    assert found[1].reason == "unreadable file"


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "Zs")), max_size=20)


@given(st.lists(WORDS, max_size=6), st.integers(1, 40))
def test_no_words_are_lost_however_the_file_is_cut(words: list[str], size: int) -> None:
    raw = f"<all>{''.join(f'<work><x>{word}</x></work>' for word in words)}</all>".encode()
    pieces = [raw[place : place + size] for place in range(0, len(raw), size)]
    stream = io.BytesIO(raw)
    parts = iter(pieces)
    stream.read = lambda _size=-1: next(parts, b"")  # type: ignore[method-assign] # smaller reads
    found = list(records(stream, LAYOUT))
    works = [each for each in found if isinstance(each, Record)]
    assert ["".join(work.element.itertext()) for work in works] == words


@each_row(
    ("head", "names"),
    [
        ("", []),
        ("TY  - JOUR", []),
        ("{<a>", []),
        ("\ufeff  <a><b/><c>", ["a", "b", "c"]),
        ('<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "x">\n<!-- <b> --><a x="1"/>', ["a"]),
        ("<!-- " * 20_000, []),
        ("<" * 100_000, []),
        ("<a" * 50_000, []),
        ("</a><b>", ["b"]),
    ],
)
def test_first_names(head: str, names: list[str]) -> None:
    assert first_names(head) == names
