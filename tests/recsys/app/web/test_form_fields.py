"""What a form says is what is asked, and asked again it says the same."""

from dataclasses import fields, replace
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web.form_fields import FormFields, lines_of, references_in
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.page_writing import form_of
from recsys.app.web.questions import WebQuestion, posed
from recsys.app.wiring import open_index
from recsys.errors import InputError
from recsys.query.question_schema import options
from recsys.query.resolve_draft import Question
from recsys.records import Manuscript, Reference
from tests.built_index import Built
from tests.rows import each_row

LINES = st.lists(
    st.sampled_from(
        ["rivers-00", "On glaciers in survey 3", "A. Nobody (1999). On nothing. doi:10.1234/abc",
         "10.1234/none", "arXiv:1234.56789", "unknown-id", "A. Nobody (19999). Odd", "() ()", "é"]
    ),
    max_size=4,
).map("\n".join)  # fmt: skip
ANY = st.text(max_size=20)
NAMES = [each.name for each in fields(FormFields)] + [each.field for each in options()]


@pytest.fixture(scope="module", params=[False, True], ids=["", "keyphrases"])
def opened(built: Built, request: pytest.FixtureRequest) -> OpenIndex:
    recommender = open_index(built.index)
    led = replace(recommender.collection, keyphrases=request.param)
    return OpenIndex("small", replace(recommender, collection=led), b"seen")


def understood(opened: OpenIndex, form: FormFields) -> tuple[Question, FormFields]:
    asked = WebQuestion(draft=form.manuscript(), lists=form.lists(), options=form.asked())
    question = posed(opened, asked)
    return question, form.understood_as(question)


@given(
    title=ANY,
    abstract=ANY,
    keyphrases=st.text(alphabet="ab ,;.\n", max_size=9),
    references=LINES,
    more_like=LINES,
    less_like=LINES,
    authors=ANY,
)
def test_what_was_understood_is_understood_so_again(
    opened: OpenIndex,
    title: str,
    abstract: str,
    keyphrases: str,
    references: str,
    more_like: str,
    less_like: str,
    authors: str,
) -> None:
    sent = [("title", title), ("abstract", abstract), ("keyphrases", keyphrases),
            ("references", references), ("more_like", more_like), ("less_like", less_like),
            ("authors", authors)]  # fmt: skip
    question, once = understood(opened, FormFields.read(sent))
    again, twice = understood(opened, FormFields.read(parse_qsl(urlsplit(once.address()).query)))
    assert twice == once
    assert again.draft == question.draft


@given(st.lists(st.tuples(st.sampled_from(NAMES), ANY), max_size=9))
def test_any_fields_are_read_and_an_address_says_them_again(pairs: list[tuple[str, str]]) -> None:
    once = replace(FormFields.read(pairs), page="", text="", pasted="")
    assert FormFields.read(parse_qsl(urlsplit(once.address()).query)) == once


def test_keywords_of_a_file_are_the_forms_and_the_abstract_stays_its_own(opened: OpenIndex) -> None:
    draft = Manuscript("On bells", "We ring.", keyphrases=("Index Terms\u2014bells", "ropes."))
    question = posed(opened, WebQuestion(draft=draft))
    form = FormFields().understood_as(question)
    reads = opened.recommender.collection.keyphrases
    assert (question.draft.abstract, form.abstract) == (
        "bells, ropes. We ring." if reads else "We ring.",
        "We ring.",
    )
    assert understood(opened, form)[0].draft.abstract == question.draft.abstract
    shown = form_of(form, opened)
    assert (shown.reads_keyphrases, shown.fields.keyphrases) == (reads, "bells, ropes" * reads)


def test_found_references_become_ids_and_the_others_stay_lines(opened: OpenIndex) -> None:
    lines = "rivers-00\nOn glaciers in survey 3\nB. Nobody (1999). On nothing at all"
    question, form = understood(opened, FormFields(references=lines))
    assert set(form.cites) == {"rivers-00", "glaciers-03"}
    assert form.references == "B. Nobody (1999). On nothing at all."
    assert [each.year for each in question.unfound] == [1999]


def test_no_word_is_looked_for_on_the_disk(opened: OpenIndex) -> None:
    for word in ("/etc/passwd", "pyproject.toml", "README.md", ".", "~", "-"):
        form = FormFields(title="x", references=word, more_like=word, less_like=word)
        question, _ = understood(opened, form)
        assert question.draft.references == ()
        assert len(question.missing) == 3


@each_row(
    ("options", "said"),
    [
        ({"min_year": "19"}, "four digits"),
        ({"max_year": "٢٠٢٠"}, "four digits"),
        ({"exclude_authors": "?"}, "not an author's name"),
        ({"mmr": "much"}, "The field mmr is 'much'"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        FormFields(options=options).asked()


def test_years_are_a_range_whichever_is_written_first() -> None:
    asked = FormFields(options={"min_year": "2020", "max_year": "2010"}).asked()
    assert (asked.min_year, asked.max_year) == (2010, 2020)


def test_what_is_chosen_stands_in_the_address_and_the_draft_does_not() -> None:
    pairs = [("title", "Rivers"), ("as_of", "2020"), ("venues", "a"), ("venues", "b"),
             ("more", "x"), ("less", "y"), ("min_year", "2010"), ("page", "3")]  # fmt: skip
    base, choice = FormFields.read(pairs).split()
    assert (base.title, base.options, base.more) == ("Rivers", {"as_of": "2020"}, ())
    read = FormFields.read(parse_qsl(choice.query()))
    assert read == choice
    assert base.choosing(read) == replace(FormFields.read(pairs))
    assert choice.asked().venues == ("a", "b")
    long = FormFields.read([("title", "Rivers"), *(("more", f"paper-{n}") for n in range(900))])
    assert long.split() == (long, FormFields())


@each_row("library", ["{", "3", '{"a": 1}', "[1]", "[" * 10_000])
def test_a_library_that_is_no_list_is_refused(library: str) -> None:
    with pytest.raises(InputError, match="library"):
        FormFields(library=library).library_ids()


def test_no_text_of_a_draft_stands_in_an_address() -> None:
    assert FormFields(title="Rivers", text="abc").address() == "/answer?title=Rivers"
    passage = FormFields(passage="Rivers | run", title="R")
    assert passage.address("/cite") == "/cite?title=R&passage=Rivers+%7C+run"


@each_row(
    "reference",
    [
        Reference(title="On rivers", authors=("Ada Ash", "Bo Elm"), year=2001, doi="10.1234/x"),
        Reference(title="On rivers", authors=(), year=2001),
        Reference(title="On long rivers"),
        Reference(id="10.5432/abc", doi="10.5432/abc"),
    ],
)
def test_a_reference_is_a_line_and_the_line_is_the_reference(reference: Reference) -> None:
    (read,) = references_in(lines_of([reference]))
    assert (read.title, read.authors, read.year, read.doi) == (
        reference.title, reference.authors, reference.year, reference.doi
    )  # fmt: skip


@each_row(("name", "most"), [("title", 200_000), ("references", 4 * 2**20), ("pasted", 4 * 2**20)])
def test_a_field_that_is_too_long_is_refused(name: str, most: int) -> None:
    assert getattr(FormFields.read([(name, "x" * most)]), name) == "x" * most
    with pytest.raises(InputError, match=f"The field {name} has [0-9,]+ letters"):
        FormFields.read([(name, "x" * (most + 1))])
