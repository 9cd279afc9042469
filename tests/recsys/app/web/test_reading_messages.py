import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web.given.reading_messages import (
    LIST,
    OUT_OF_MEMORY,
    Request,
    answer,
    parse_list_answer,
    parse_manuscript_answer,
    read_files,
    read_header,
    refusal,
)
from recsys.errors import ArtifactError, DraftError, InputError, MissingExtraError, RecsysError
from recsys.records import Bibliography, Manuscript, Reference
from tests.rows import each_row

PRINTABLE = st.characters(exclude_categories=["C", "Z"], include_characters=" ")
WORDS = st.text(PRINTABLE, max_size=10)
REFERENCES = st.builds(
    Reference,
    key=WORDS,
    title=st.none() | WORDS,
    authors=st.lists(WORDS, max_size=3).map(tuple),
    year=st.none() | st.integers(1000, 2999),
    doi=st.none() | WORDS,
    id=st.none() | WORDS,
    pmid=st.none() | WORDS,
    ids=st.lists(WORDS, max_size=2).map(tuple),
    keyphrases=st.lists(WORDS, max_size=2).map(tuple),
)
MANUSCRIPTS = st.builds(
    Manuscript,
    title=WORDS,
    abstract=st.none() | WORDS,
    authors=st.lists(WORDS, max_size=3).map(tuple),
    references=st.lists(REFERENCES, max_size=3).map(tuple),
    as_of=st.none() | st.integers(1000, 2999),
    notes=st.lists(WORDS, max_size=3).map(tuple),
)


@given(MANUSCRIPTS)
def test_a_manuscript_comes_over_as_it_is(found: Manuscript) -> None:
    assert parse_manuscript_answer(answer(found)) == found


@given(st.lists(REFERENCES, max_size=3), st.lists(WORDS, max_size=3))
def test_a_list_comes_over_as_it_is(references: list[Reference], problems: list[str]) -> None:
    found = Bibliography(tuple(references), tuple(problems))
    assert parse_list_answer(answer(found)) == found


def test_what_a_work_cites_does_not_come_over() -> None:
    cited = Reference(title="Ice", labels={"a": 1}, cited_ids=("b",), cites=(Reference("c"),))
    assert parse_list_answer(answer(Bibliography((cited,)))).references == (Reference(title="Ice"),)


@given(st.lists(st.tuples(st.text(), st.binary()), max_size=3))
def test_files_come_over_whatever_they_are_called(files: list[tuple[str, bytes]]) -> None:
    names, sizes = tuple(name for name, _ in files), tuple(len(raw) for _, raw in files)
    request = Request(LIST, 1.5, 2**30, names, sizes)
    stream = io.BytesIO(request.header() + b"".join(content for _, content in files))
    read = read_header(stream)
    assert read == request
    assert read_files(stream, read) == files


def test_a_request_that_ends_too_early_is_none() -> None:
    stream = io.BytesIO(Request(LIST, 1, 1, ("a",), (9,)).header() + b"short")
    with pytest.raises(ValueError, match="too early"):
        read_files(stream, read_header(stream))
    with pytest.raises(ValueError, match="Expecting value"):
        read_header(io.BytesIO(b""))


@each_row("kind", [InputError, DraftError, MissingExtraError])
def test_an_error_comes_over_with_its_words(kind: type[RecsysError]) -> None:
    with pytest.raises(RecsysError) as caught:
        parse_manuscript_answer(refusal(kind("What \u00e9 happened.", "What to do.")))
    assert type(caught.value) is kind
    assert (caught.value.what, caught.value.hint) == ("What \u00e9 happened.", "What to do.")


def test_a_lack_of_memory_comes_over() -> None:
    with pytest.raises(MemoryError):
        parse_list_answer(OUT_OF_MEMORY)


GOOD = json.loads(answer(Manuscript(title="T", references=(Reference(title="R"),))))


def changed(**values: object) -> bytes:
    return json.dumps({"found": {**GOOD["found"], **values}}).encode()


@each_row(
    "raw",
    [
        *(b"", b"{", b"[]", b"3", b"null", b"{}", b"\xff", b'"error"', b"[" * 100_000),
        *(b'{"found": null}', b'{"found": []}', b'{"found": {}}', b'{"error": 3}'),
        b'{"error": {"kind": 3, "what": "a", "hint": "b"}}',
        b'{"error": {"kind": "SystemExit", "what": "a", "hint": "b"}}',
        refusal(ArtifactError("Of another room.")),
        *(changed(title=None), changed(title=3), changed(abstract=["x"]), changed(authors="ab")),
        *(changed(authors=[3]), changed(as_of="2001"), changed(as_of=True), changed(notes={})),
        *(changed(references=[3]), changed(references=[{"title": 3}]), changed(references=None)),
        *(changed(references=[{"authors": [], "year": 2.5}]), changed(references=[{}])),
        answer(Bibliography()),
    ],
)
def test_what_is_no_answer_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_manuscript_answer(raw)


@given(st.binary())
def test_whatever_comes_is_an_answer_or_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_list_answer(raw)
