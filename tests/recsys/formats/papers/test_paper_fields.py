import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.papers.paper_fields import (
    FieldError,
    cleaned,
    doi_of,
    inverted_text,
    labels_of,
    names_of,
    required_title,
    year_of,
)
from recsys.formats.references.bibliography import address_in
from tests.rows import each_row


@each_row(
    ("raw", "expected"),
    [
        ("  Two\n\twords ", "Two words"),
        ("Salt &amp; pepper", "Salt & pepper"),
        ("CO<sub>2</sub> and <I>E. coli</I>", "CO2 and E. coli"),
        ("<jats:p>Text</jats:p> <mml:mi mathvariant='bold'>x</mml:mi>", "Text x"),
        ("&lt;i&gt;escaped&lt;/i&gt;", "escaped"),
        ("a < b > c and <y|x>", "a < b > c and <y|x>"),
        ("nul\0byte\x07bell", "nul byte bell"),
        ("half \ud800 pair", "half pair"),
        ("whole \U0001f600 pair", "whole \U0001f600 pair"),
        ("no\u00a0break\u2028line", "no break line"),
        ("&#0;", "\ufffd"),
        ("", ""),
    ],
)
def test_text_is_cleaned(raw: str, expected: str) -> None:
    assert cleaned(raw) == expected


@given(st.text())
def test_cleaned_text_is_one_encodable_line_without_control_characters(raw: str) -> None:
    text = cleaned(raw)
    text.encode()
    assert text == " ".join(text.split())
    assert not any(c < " " or "\x7f" <= c <= "\x9f" for c in text)


@given(st.text(st.characters(exclude_characters="&<")))
def test_cleaning_twice_is_cleaning_once(raw: str) -> None:
    assert cleaned(cleaned(raw)) == cleaned(raw)


@each_row(
    ("value", "year"),
    [
        (2019, 2019),
        ("2019", 2019),
        (" 2019 ", 2019),
        ("2019.0", 2019),
        ("2019-05-01", 2019),
        (2019.0, 2019),
        ("-5", -5),
        ("n.d.", None),
        ("", None),
        (None, None),
        (True, None),
        ([2019], None),
        ({"value": 2019}, None),
        (math.nan, 0),
        (math.inf, 0),
        (10**400, 0),
    ],
)
def test_years_are_read_from_numbers_and_text(value: object, year: int | None) -> None:
    assert year_of(value) == year


def test_a_missing_title_differs_from_an_empty_one() -> None:
    assert required_title({"title": None, "display_name": "Named"}, "title", "display_name")
    assert required_title({"title": " ", "display_name": "Named"}, "title", "display_name")
    for record in ({}, {"title": None}, {"title": 7}, {"title": ["x"]}):
        with pytest.raises(FieldError, match="missing title"):
            required_title(record, "title")
    for title in ("", " \n", "\0", "<i></i>"):
        with pytest.raises(FieldError, match="empty title"):
            required_title({"title": title}, "title")


def test_names_come_from_strings_objects_or_one_string() -> None:
    assert names_of(["Ann Lee", {"name": " Bo  Li "}, {"name": 3}, None, ""], "name") == (
        "Ann Lee",
        "Bo Li",
    )
    assert names_of("Lee, Ann; Li, Bo;") == ("Lee, Ann", "Li, Bo")
    assert names_of({"name": "Ann"}, "name") == ()
    assert names_of(5) == ()


@each_row("raw", ["10.1/x", "https://doi.org/10.1/x", "DOI: 10.1/x", " 10.1/x "])
def test_dois_lose_their_resolver(raw: str) -> None:
    assert doi_of(raw) == "10.1/x"


def test_only_web_addresses_are_kept() -> None:
    assert address_in("https://a.org/x") == "https://a.org/x"
    assert not any(map(address_in, (None, 4, "javascript:alert(1)")))


@given(st.lists(st.text("abcé", min_size=1), min_size=1, max_size=30))
def test_inverting_an_abstract_loses_nothing(words: list[str]) -> None:
    index: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        index.setdefault(word, []).append(place)
    assert inverted_text(index) == " ".join(words)


def test_labels_keep_json_values_and_drop_what_is_nested_too_deeply() -> None:
    deep: object = "bottom"
    for _ in range(300):
        deep = {"in": [deep]}
    labels = labels_of({"a": ["x\0", 1, None, True], "b": {"c": math.nan}, "deep": deep})
    assert labels["a"] == ["x", 1, None, True]
    assert labels["b"] == {"c": None}
    assert "bottom" not in str(labels["deep"])
    assert labels_of(["x"]) == {}
