import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.formats.drafts.objects import KEYS, REFERENCE_KEYS, manuscript_of, read
from recsys.records import Manuscript, Reference
from tests.rows import each_row

FULL = {
    "id": "me",
    "title": "Ranking citations",
    "abstract": "We rank.",
    "authors": ["Ada Lovelace", "Alan Turing"],
    "venue": "SIGIR",
    "year": 2021,
    "references": ["p1", "p2"],
}


def parse(text: str) -> Manuscript:
    return read(text.encode(), Path("draft.json"))


def test_a_full_draft_is_read() -> None:
    assert parse(json.dumps(FULL)) == Manuscript(
        title="Ranking citations",
        abstract="We rank.",
        authors=("Ada Lovelace", "Alan Turing"),
        venue="SIGIR",
        references=(Reference(key="p1", id="p1"), Reference(key="p2", id="p2")),
        as_of=2021,
        paper_id="me",
    )


@each_row(
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
    assert parse(text) == Manuscript(title=title, abstract=abstract)


@each_row(
    ("text", "said"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ('{"title": "x",\n "abstract" "y"}', "line 2, column 13"),
        ("title: x", "not JSON"),
        ('{"title": "x"', "not JSON"),
        ('{"title": "x"}\n{"title": "y"}', "Extra data at line 2"),
        ('[{"title": "x"}]', "holds a list of 1 instead of a JSON object"),
        ('{"items": [{"type": "book"}, 5]}', "unknown key 'items'"),
        ('"just text"', "holds the string 'just text'"),
        ("17", "holds the number 17"),
        ("null", "holds null"),
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
        ('{"title": "x", "references": "p1"}', "references is the string 'p1'"),
        ('{"title": "x", "references": [{"titel": "y"}]}', "Did you mean 'title'?"),
        ('{"title": "x", "references": [{"year": 2020}]}', "references, item 1 names no work"),
        ('{"references": [{}]}', "names no work"),
        ('{"references": ["p", {"title": "y", "year": "20"}]}', "item 2: year is the string '20'"),
    ],
)
def test_an_unusable_draft_is_a_one_line_error(text: str, said: str) -> None:
    with pytest.raises(DraftError) as caught:
        parse(text)
    found = str(caught.value)
    assert said in found
    assert "\n" not in found
    assert len(found) < 300
    assert caught.value.hint.endswith((".", "?"))


def test_references_are_names_or_descriptions() -> None:
    found = parse(
        json.dumps(
            {
                "references": [
                    "https://doi.org/10.1145/3292500.3330701",
                    "arXiv:2004.07180v2",
                    "P18-1001",
                    {
                        "title": "A  work",
                        "authors": ["Ada Lovelace"],
                        "year": 2020,
                        "doi": "DOI:10.1000/XYZ",
                        "url": "https://arxiv.org/abs/1706.03762",
                    },
                ]
            }
        )
    ).references
    assert found[0].doi == "10.1145/3292500.3330701"
    assert found[0].id == found[0].key == "https://doi.org/10.1145/3292500.3330701"
    assert found[1].arxiv == "2004.07180"
    assert found[2].acl == "P18-1001"
    assert found[3] == Reference(
        title="A work",
        authors=("Ada Lovelace",),
        year=2020,
        doi="10.1000/xyz",
        arxiv="1706.03762",
        url="https://arxiv.org/abs/1706.03762",
    )


@each_row("wrap", [lambda items: items, lambda items: {"items": items}])
def test_a_list_of_csl_or_zotero_items_is_a_reading_list(wrap: Callable[[object], object]) -> None:
    items = [
        {"id": "a", "type": "article-journal", "title": "First work", "DOI": "10.1000/A"},
        {"id": "b", "type": "book", "title": "Second work"},
    ]
    found = parse(json.dumps(wrap(items)))
    assert (found.title, found.abstract) == ("", None)
    assert [work.title for work in found.references] == ["First work", "Second work"]
    assert found.references[0].doi == "10.1000/a"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


WORKS = st.lists(st.dictionaries(st.sampled_from(REFERENCE_KEYS), JSON, max_size=4), max_size=3)


@given(st.dictionaries(st.sampled_from(KEYS), JSON | WORKS) | JSON)
def test_any_json_value_is_a_manuscript_or_a_draft_error(value: object) -> None:
    try:
        found = manuscript_of(value, "x")
    except DraftError as error:
        assert "\n" not in str(error)
        assert error.hint
    else:
        assert all(work.title or work.id or work.doi for work in found.references)


@given(st.text(min_size=1), st.lists(st.text()), st.integers(1000, 2999))
def test_cleaning_a_draft_twice_changes_nothing(title: str, ids: list[str], year: int) -> None:
    value = {"title": title, "abstract": "a", "references": ids, "year": year}
    once = manuscript_of(value, "x")
    named = [work.id for work in once.references]
    again = {"title": once.title, "abstract": "a", "references": named, "year": year}
    assert manuscript_of(again, "x") == once
