import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.formats.drafts import KEYS, MAX_BYTES, draft_of, parse_draft, read_draft
from recsys.records import Draft

FULL = {
    "id": "me",
    "title": "Ranking citations",
    "abstract": "We rank.",
    "authors": ["Ada Lovelace", "Alan Turing"],
    "venue": "SIGIR",
    "year": 2021,
    "references": ["p1", "p2"],
}


def parse(text: str | bytes) -> Draft:
    return parse_draft(text if isinstance(text, bytes) else text.encode(), "draft.json")


def message(text: str | bytes) -> str:
    with pytest.raises(DraftError) as caught:
        parse(text)
    return str(caught.value)


def test_a_full_draft_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "draft.json"
    path.write_text(json.dumps(FULL), encoding="utf-8")
    assert read_draft(path) == Draft(
        title="Ranking citations",
        abstract="We rank.",
        authors=("Ada Lovelace", "Alan Turing"),
        venue="SIGIR",
        references=("p1", "p2"),
        as_of=2021,
        paper_id="me",
    )


@pytest.mark.parametrize(
    ("text", "title", "abstract"),
    [
        ('{"title": "Only a title"}', "Only a title", None),
        ('{"abstract": "Only an abstract."}', "", "Only an abstract."),
        ('{"title": null, "abstract": "Null title."}', "", "Null title."),
        ('{"title": "  spread \\n over\\tlines ", "abstract": ""}', "spread over lines", None),
        ('{"title": "nul \\u0000 and half \\ud83d pair"}', "nul and half pair", None),
        ('{"title": "whole \\ud83d\\ude00 pair"}', "whole \N{GRINNING FACE} pair", None),
    ],
)
def test_a_title_or_an_abstract_is_enough(text: str, title: str, abstract: str | None) -> None:
    assert parse(text) == Draft(title=title, abstract=abstract)


def test_as_of_goes_before_year() -> None:
    assert parse('{"title": "t", "year": 2019}').as_of == 2019
    assert parse('{"title": "t", "as_of": 2021}').as_of == 2021
    assert parse('{"title": "t", "year": 2019, "as_of": 2021}').as_of == 2021
    assert parse('{"title": "t"}').as_of is None


def test_a_byte_order_mark_is_accepted() -> None:
    assert parse(b'\xef\xbb\xbf{"title": "Marked"}').title == "Marked"


def test_repeated_and_empty_list_items_are_dropped() -> None:
    draft = parse('{"title": "t", "references": ["b", "a", "b", " "], "authors": ["", "Ada"]}')
    assert draft.references == ("b", "a")
    assert draft.authors == ("Ada",)


def test_an_abstract_of_a_megabyte_is_read_quickly() -> None:
    text = json.dumps({"abstract": "word " * 200_000})
    begun = time.process_time()
    assert len(parse(text).abstract or "") == 999_999
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ('{"title": "x",\n "abstract" "y"}', "line 2, column 13"),
        ("title: x", "not JSON"),
        ('{"title": "x"', "not JSON"),
        ('{"title": "x"}\n{"title": "y"}', "Extra data at line 2"),
        ('[{"title": "x"}]', "holds a list of 1 instead of a JSON object"),
        ('"just text"', "holds the string 'just text'"),
        ("17", "holds the number 17"),
        ("null", "holds null"),
        ("{}", "neither a title nor an abstract"),
        ('{"title": " ", "abstract": "\\n"}', "neither a title nor an abstract"),
        ('{"title": 5}', "title is the number 5. It must be a string"),
        ('{"title": ["x"]}', "title is a list of 1"),
        ('{"title": "x", "abstract": {"the": [0]}}', "abstract is an object"),
        ('{"title": "x", "authors": "Ada"}', "authors is the string 'Ada'"),
        ('{"title": "x", "authors": [{"name": "Ada"}]}', "authors, item 1 is an object"),
        ('{"title": "x", "references": ["p1", 7]}', "references, item 2 is the number 7"),
        ('{"title": "x", "venue": false}', "venue is false"),
        ('{"title": "x", "year": "2021"}', "year is the string '2021'"),
        ('{"title": "x", "year": true}', "year is true"),
        ('{"title": "x", "year": 2021.5}', "year is the number 2021.5"),
        ('{"title": "x", "as_of": 21}', "as_of is the number 21"),
        ('{"title": "x", "abtract": "y"}', "unknown key 'abtract'. Did you mean 'abstract'?"),
        ('{"title": "x", "zzz": "y"}', "The keys are id, title"),
        ('{"title": "x", "title": "y"}', "the key 'title' occurs twice"),
        ('{"title": "x", "year": ' + "9" * 5000 + "}", "cannot be read as JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"title": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        (b'{"title": "a\xffb"}', "not UTF-8: byte 0xff on line 1"),
        (b'{\n"title": "caf\xe9"}', "byte 0xe9 on line 2"),
        ('{"title": "x"}'.encode("utf-16"), "UTF-16"),
        ('{"title": "x"}'.encode("utf-16-le"), "NUL byte"),
        (b'{"title": "x\x00"}', "NUL byte at offset 12"),
        (b"\x1f\x8b\x08\x00junk", "NUL byte"),
    ],
)
def test_an_unusable_draft_is_a_one_line_error(text: str | bytes, said: str) -> None:
    found = message(text)
    assert said in found
    assert "\n" not in found
    assert len(found) < 300


def test_every_error_says_what_to_do_next() -> None:
    for text in ("", "[]", "{", "{}", '{"title": 1}', '{"titel": "x"}', b"\xff\xfe", b"\x00"):
        with pytest.raises(DraftError) as caught:
            parse(text)
        assert caught.value.hint.endswith((".", "?"))


def test_a_missing_file_is_answered_with_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "draft.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DraftError, match=r"Did you mean 'draft\.json'\?"):
        read_draft(tmp_path / "drft.json")
    with pytest.raises(DraftError, match="its folder does not exist"):
        read_draft(tmp_path / "nowhere" / "draft.json")


def test_a_directory_is_no_draft(tmp_path: Path) -> None:
    with pytest.raises(DraftError, match="is a directory"):
        read_draft(tmp_path)


@pytest.mark.parametrize("name", ["a" * 5000, "nul\0byte", "file/below"])
def test_an_impossible_path_is_an_error_like_any_other(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DraftError, match="cannot be read"):
        read_draft(tmp_path / name)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        os.truncate(file.fileno(), MAX_BYTES + 1)
    with pytest.raises(DraftError, match="larger than 64 MB"):
        read_draft(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON) | JSON)
def test_any_json_value_is_a_draft_or_a_draft_error(value: object) -> None:
    try:
        draft = draft_of(value, "x")
    except DraftError as error:
        assert "\n" not in str(error)
    else:
        assert draft.title or draft.abstract


@given(st.binary(max_size=60))
def test_any_bytes_are_a_draft_or_a_draft_error(raw: bytes) -> None:
    try:
        parse_draft(raw, "x")
    except DraftError as error:
        assert error.hint


@given(st.text(min_size=1), st.lists(st.text()), st.integers(1000, 2999))
def test_cleaning_a_draft_twice_changes_nothing(title: str, ids: list[str], year: int) -> None:
    value = {"title": title, "abstract": "a", "references": ids, "year": year}
    once = draft_of(value, "x")
    again = {"title": once.title, "abstract": "a", "references": list(once.references)}
    assert draft_of(again | {"year": year}, "x") == once
