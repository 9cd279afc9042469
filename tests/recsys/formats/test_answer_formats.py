"""The table of formats, and the words for what programs read as names."""

from dataclasses import replace

import pytest

from recsys.errors import InputError
from recsys.formats.answers import FORMATS, render
from recsys.formats.references.reference_writers import WRITERS
from recsys.records import Answer
from recsys.retrieval.sources import IN_WORDS, names


def test_every_writer_of_references_is_a_format() -> None:
    assert set(WRITERS) <= set(FORMATS)


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.joins])
def test_formats_that_join_may_stand_below_one_another(name: str, answer: Answer) -> None:
    assert render(answer, name).endswith("\n")


def test_an_unknown_format_is_refused_with_what_may_be_meant(answer: Answer) -> None:
    with pytest.raises(InputError, match=r"no format 'cvs'\. Did you mean 'csv'\?") as caught:
        render(answer, "cvs")
    assert "table, json, jsonl" in caught.value.hint


def test_people_read_every_source_in_words() -> None:
    assert set(IN_WORDS) == set(names())


@pytest.mark.parametrize("name", ["table", "markdown"])
def test_people_read_no_names_of_sources_and_programs_no_words(name: str, answer: Answer) -> None:
    words = tuple(IN_WORDS[name] for name in names())
    item = replace(answer.recommendations[0], sources=names(), found_by=words)
    everywhere = replace(answer, recommendations=(item,))
    assert f"found by {', '.join(words)}" in render(everywhere, name)
    for program in ("json", "jsonl"):
        printed = render(everywhere, program)
        assert all(f'"{source}"' in printed for source in names())
        assert "similar text" not in printed


def test_a_source_without_words_is_still_named(answer: Answer) -> None:
    item = replace(answer.recommendations[0], sources=("crystal-ball",), found_by=())
    text = render(replace(answer, recommendations=(item,)), "table")
    assert "found by crystal-ball" in text
