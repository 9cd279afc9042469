"""Any text gives a bibliography or an InputError, soon."""

import contextlib
import logging
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.formats import files
from recsys.formats.references.reference_formats import parse_bibliography
from tests.recsys.formats.references.invented_papers import FRAGMENTS
from tests.rows import each_row

NAMES = [
    *("refs", "refs.bib", "refs.ris", "refs.json", "refs.csv", "refs.html", "refs.ids"),
    "refs.yml",
]
PIECES = [
    *FRAGMENTS,
    *("@article{k,", "title={", 'title="', "}", "},\n", "author = {", " # ", "@string{a=", "url="),
    *("\nTY  - JOUR\n", "\nER  - \n", "\nAU  - ", "\nUR  - ", "\nZZ  - ", "\nDO  - 10.1/"),
    *('[{"title":', '"x"', "}]", '"author":[', '{"itemType":', "null", "1e999", "[[[", '":{"'),
    *(
        "references:\n",
        "- id: a\n",
        "  title: &a [",
        "*a",
        "a:\n  type: book\n",
        "cff-version: 1\n",
    ),
    *("title,year\n", '","', "\n", "10.1234/x", "arXiv:2004.07180", "https://a.org/", "&#0;"),
    *(
        '<span class="Z3988" title="',
        "rft.title=",
        "&amp;",
        "%ff",
        "\\begin{",
        "\\verb|",
        "crossref={k},",
    ),
]
TEXT = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=30).map("".join)
FUZZ = settings(suppress_health_check=[HealthCheck.too_slow])


@each_row("name", NAMES)
@FUZZ
@given(text=TEXT)
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    with contextlib.suppress(InputError):
        found = parse_bibliography(text, name)
        assert all(reference.title != "" for reference in found.references)
        assert found.references or found.problems


@each_row("name", NAMES)
@FUZZ
@given(raw=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(name: str, raw: bytes) -> None:
    with contextlib.suppress(InputError):
        parse_bibliography(files.decode(raw, name), name)


@each_row(
    "unit",
    ["{", "@", '"', "[", "\\", "\n@a{k,b={", "AB  - x\n", "<span ", ","],
    usually=2,
)
def test_long_texts_of_one_thing_are_read_or_refused_in_seconds(unit: str) -> None:
    text = unit * (120_000 // len(unit))
    for name in ("refs", "refs.bib", "refs.ris", "refs.json", "refs.csv", "refs.yml"):
        begun = time.process_time()
        with contextlib.suppress(InputError):
            parse_bibliography(text, name)
        assert time.process_time() - begun < 4


@each_row("field", ["author", "doi", "title", "url", "abstract"], usually=2)
@each_row("unit", ["$", "10.1000/", "\\'", " and ", "\\aleph ", "{}", "a, "], usually=2)
def test_a_field_of_any_length_is_read_in_seconds(field: str, unit: str) -> None:
    begun = time.process_time()
    text = f"@misc{{k, note={{x}}, {field} = {{{unit * (300_000 // len(unit))}}}}}"
    parse_bibliography(text, "refs.bib")
    assert time.process_time() - begun < 4


def test_a_fact_of_many_lines_is_read_in_seconds() -> None:
    begun = time.process_time()
    text = "TY  - JOUR\nTI  - T\nAB  - x\n" + "y\n" * 300_000 + "ER  - \n"
    (reference,) = parse_bibliography(text, "refs.ris").references
    assert reference.title == "T"
    assert time.process_time() - begun < 4


def test_strings_that_double_each_other_stay_small() -> None:
    doubling = "".join(f"@string{{a{i + 1} = a{i} # a{i} # {{x}}}}\n" for i in range(1000))
    found = parse_bibliography(f"{doubling}@misc{{k, title = a1000}}", "refs.bib")
    assert len(found.references[0].title or "") <= 20_000


def test_a_volume_of_many_fields_burdens_no_chapter() -> None:
    begun = time.process_time()
    fields = "".join(f"f{i} = {{x}},\n" for i in range(20_000))
    chapters = "".join(f"@misc{{c{i}, crossref = {{v}}, title = {{T}}}}\n" for i in range(5_000))
    found = parse_bibliography(f"{chapters}@book{{v, {fields} year = 2020}}", "refs.bib")
    assert {reference.year for reference in found.references} == {2020}
    assert time.process_time() - begun < 8


def test_one_entry_does_not_inherit_without_end() -> None:
    begun = time.process_time()
    parents = "a," * 300_000
    found = parse_bibliography(
        f"@misc{{a, title={{A}}}} @misc{{b, xdata={{{parents}}}}}", "refs.bib"
    )
    assert [reference.title for reference in found.references] == ["A", "A"]
    assert time.process_time() - begun < 4


def test_broken_entries_are_not_logged_beside(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        parse_bibliography("@misc{a, title={\n@misc{b, title={B}}", "refs.bib")
    assert caplog.records == []
