"""Files of citing sentences are read in every format; what is wrong with them is told."""

import gzip
import json
import random
from pathlib import Path

import pytest

from recsys.errors import CorpusError, RecsysError
from recsys.formats.contexts import context_records
from recsys.formats.contexts.context_reading import FORMATS, format_of, read_contexts
from recsys.formats.references.bibliography import Problem, record_of
from recsys.records import Context
from tests.recsys.formats.contexts.context_examples import (
    EXAMPLES,
    MASKED,
    OWN,
    lines,
)
from tests.rows import each_row

GOLDEN = json.loads(Path(__file__).with_name("contexts.json").read_text(encoding="utf-8"))
"""The contexts of each example, with its works as `record_of` writes them."""


def read(folder: Path, content: str | bytes) -> tuple[list[Context], list[str]]:
    """Return the contexts of a file, and the reasons of its problems."""
    path = folder / "file"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    items = list(read_contexts(path))
    contexts = [item for item in items if isinstance(item, Context)]
    return contexts, [item.reason for item in items if isinstance(item, Problem)]


@each_row("name", EXAMPLES)
def test_each_format_gives_sentences_without_marks_and_says_who_cites_whom(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(EXAMPLES[name].encode())
    told = []
    for item in read_contexts(path):
        if isinstance(item, Problem):
            told.append({"problem": item.reason})
            continue
        row = {field: getattr(item, field) for field in ("citing", "cited", "text", "section")}
        works = {field: getattr(item, field) for field in ("citing_work", "cited_work")}
        told.append(row | {field: record_of(work) for field, work in works.items() if work})
    assert json.loads(json.dumps(told)) == GOLDEN[name]


@each_row("name", EXAMPLES)
def test_packing_line_ends_and_a_mark_of_byte_order_change_nothing(
    name: str, tmp_path: Path
) -> None:
    plain = EXAMPLES[name]
    expected = read(tmp_path, plain)
    assert read(tmp_path, gzip.compress(plain.encode())) == expected
    assert read(tmp_path, plain.replace("\n", "\r\n")) == expected
    assert read(tmp_path, b"\xef\xbb\xbf" + plain.encode()) == expected


def test_an_answer_on_citations_needs_the_cited_paper_named(tmp_path: Path) -> None:
    contexts, problems = read(tmp_path, EXAMPLES["citations"])
    assert contexts == [] and problems == ["paper that was asked about not named"]
    told = json.loads(EXAMPLES["citations"]) | {"citedPaperInfo": {"paperId": "c" * 40}}
    ((found,), problems) = read(tmp_path, json.dumps(told))
    assert (found.citing, found.cited, problems) == ("d" * 40, "c" * 40, [])


def test_masked_contexts_are_read_in_small_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read(tmp_path, MASKED)
    assert [each.citing for each in expected[0]] == ["A00-1001", "A01-1001", "A02-1001"]
    monkeypatch.setattr(context_records, "_CHUNK", 3)
    assert read(tmp_path, MASKED) == expected
    broken = MASKED.replace('"refid": "B01-2002"}', '"refid": B01-2002}', 1)
    contexts, problems = read(tmp_path, broken)
    assert (len(contexts), problems) == (2, ["not JSON"])


def test_what_cannot_be_read_is_told_line_by_line(tmp_path: Path) -> None:
    content = OWN + "{broken}\n[1]\n" + lines({"citing": "a", "cited": "b", "text": ""}, {"a": 1})
    contexts, problems = read(tmp_path, content)
    assert len(contexts) == 2
    assert problems[-2:] == ["no sentence around the mark", "object of no known format"]
    assert len(problems) == 4


def test_a_list_of_objects_is_read_as_lines_are(tmp_path: Path) -> None:
    records = [json.loads(line) for line in OWN.splitlines()]
    expected = read(tmp_path, OWN)
    assert read(tmp_path, json.dumps(records)) == expected
    assert read(tmp_path, json.dumps(records, indent=2)) == expected
    assert read(tmp_path, "[\n" + ",\n".join(OWN.splitlines()) + "\n]\n") == expected


@each_row(
    ("content", "what"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("Owls hunt voles.\n", "no citing sentences of a known format"),
        ('{"id": "a", "title": "Owls"}\n', "id, title"),
    ],
)
def test_other_files_are_refused(content: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=what) as caught:
        read(tmp_path, content)
    assert caught.value.hint


def test_a_missing_file_and_one_cut_short_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no file"):
        list(read_contexts(tmp_path / "missing"))
    packed = gzip.compress(OWN.encode() * 5000)
    with pytest.raises(CorpusError, match="gzip"):
        read(tmp_path, packed[: len(packed) // 2])


@each_row("name", EXAMPLES)
def test_damaged_files_give_no_other_error(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    plain = EXAMPLES[name].encode()
    for _ in range(25):
        raw = bytearray(plain[: rng.randrange(len(plain))] if rng.random() < 0.4 else plain)
        for _ in range(rng.randrange(6)):
            place = rng.randrange(len(raw) + 1)
            kind = rng.random()
            if kind < 0.4:
                raw[place : place + 1] = bytes([rng.randrange(256)])
            elif kind < 0.7:
                del raw[place : place + rng.randrange(1, 30)]
            else:
                raw[place:place] = rng.choice(
                    [b'"', b"{", b"null", b"[]", b"-1", b"\x00", b"1e999"]
                )
        try:
            contexts, _ = read(tmp_path, bytes(raw))
        except RecsysError:
            continue
        assert all(each.text and (each.cited or each.cited_work) for each in contexts)


def wrong(value: object, rng: random.Random) -> object:
    """Put values of other types into a record."""
    if rng.random() < 0.15:
        return rng.choice([None, [], {}, 3, "x", True, -1.5, [None], {"a": 1}, 10**400])
    if isinstance(value, dict):
        return {key: wrong(each, rng) for key, each in value.items()}
    return [wrong(each, rng) for each in value] if isinstance(value, list) else value


@each_row("name", [name for name in EXAMPLES if EXAMPLES[name].startswith("{")])
def test_values_of_other_types_give_no_other_error(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    text = EXAMPLES[name]
    whole = name in ("references", "citations", "masked")
    records = [json.loads(text)] if whole else [json.loads(line) for line in text.splitlines()]
    for _ in range(50):
        try:
            read(tmp_path, lines(*(wrong(record, rng) for record in records)))
        except RecsysError:
            continue


def test_a_very_long_line_is_passed_over_or_cut(tmp_path: Path) -> None:
    long = {"citing": "a", "cited": "b", "text": "Owls hunt voles [CITE] " + "and mice " * 200_000}
    (found,), problems = read(tmp_path, lines(long))
    assert len(found.text) < 2000 and problems == []


def test_every_row_of_the_table_has_an_example() -> None:
    found = set()
    for text in (*EXAMPLES.values(), lines(*json.loads(MASKED).values())):
        form = next((row for row in FORMATS if row.looks_so(text)), None)
        if form is None:
            first = text if text.count("\n{") == 0 else text.partition("\n")[0]
            form = format_of(json.loads(first))
        assert form is not None
        found.add(form.name)
    assert found == {form.name for form in FORMATS}
