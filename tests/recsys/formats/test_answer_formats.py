"""The table of formats, and the words for what programs read as names."""

import re
from dataclasses import replace

import pytest

from recsys.errors import InputError
from recsys.formats.answers import FORMATS, render, table
from recsys.formats.references.reference_writers import WRITERS
from recsys.records import Answer
from recsys.retrieval.propose import IN_WORDS, NAMES
from recsys.store.artifacts import CREATED_BY


def test_every_writer_of_references_is_a_format() -> None:
    assert set(WRITERS) <= set(FORMATS)


def test_an_unknown_format_is_refused_with_what_may_be_meant(answer: Answer) -> None:
    with pytest.raises(InputError, match=r"no format 'cvs'\. Did you mean 'csv'\?") as caught:
        render(answer, "cvs")
    assert "table, json, jsonl" in caught.value.hint


def test_people_read_every_source_in_words() -> None:
    assert set(IN_WORDS) == set(NAMES)


@pytest.mark.parametrize("name", ["table", "markdown"])
def test_people_read_no_names_of_sources_and_programs_no_words(name: str, answer: Answer) -> None:
    words = tuple(IN_WORDS[name] for name in NAMES)
    item = replace(answer.recommendations[0], sources=NAMES, found_by=words)
    everywhere = replace(answer, recommendations=(item,))
    written = table(everywhere, verbose=True) if name == "table" else render(everywhere, name)
    assert f"found by {', '.join(words)}" in written
    for program in ("json", "jsonl"):
        printed = render(everywhere, program)
        assert all(f'"{source}"' in printed for source in NAMES)
        assert "similar text" not in printed


def test_a_page_says_when_and_of_what_it_was_made_and_has_keys(answer: Answer) -> None:
    made = replace(answer, corpus="rivers, 50 papers", keys="[auth:lower]-x")
    page = render(made, "html")
    [said] = re.findall(r'<p class="count">(.*)</p>', page)
    counted, date, corpus, program = said.split(" \u00b7 ")
    assert counted.endswith("papers") or counted == "1 paper"
    assert re.fullmatch(r"[1-9]\d? [A-Z][a-z]+ 20\d\d", date)
    assert (corpus, program) == ("rivers, 50 papers", CREATED_BY)
    keys = re.findall(r"<code>(.*?)</code>", page)
    assert len(keys) == len(answer.recommendations) and all("-x" in key for key in keys)
    assert re.findall(r"^@\w+\{(.*),$", render(made, "bibtex"), re.MULTILINE) == keys
