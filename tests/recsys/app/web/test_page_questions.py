"""What the forms of the pages send."""

import json
from collections.abc import Callable
from dataclasses import replace

from recsys.app.web.pages import page_writing
from recsys.app.web.pages.page_contents import Form, Site
from tests.recsys.app.web.page_reader import forms, sent
from tests.recsys.app.web.page_samples import (
    DRAFT,
    FOUND,
    HERE,
    ITEMS,
    PLACES,
    SEVERAL,
    SITE,
    all_pages,
)
from tests.rows import each_row

PAGES = all_pages()


@each_row("render", [page_writing.ask, None])
def test_the_question_is_sent_as_it_stands(
    render: Callable[[Site, Form], str] | None,
) -> None:
    form = _full_form()
    if render is None:
        page = page_writing.answer(SEVERAL, replace(FOUND, form=form))
    else:
        page, form = render(SEVERAL, form), replace(form, text="")  # Its file is given again.
    assert _question(page, "/answer") == _fields(form)


def test_other_views_send_the_question_that_they_do_not_show() -> None:
    form = _full_form()
    for page in (
        page_writing.map(SEVERAL, form, "<svg></svg>", "", ()),
        page_writing.here(SEVERAL, replace(PLACES, form=form)),
    ):
        assert _question(page, "/answer") == _fields(form)


def test_a_passage_is_sent_as_it_stands() -> None:
    form = Form("reefs", title="Tides & <b>", passage="Two\nlines | here.")
    asked = _question(page_writing.ask(SEVERAL, form), "/cite")
    assert asked == {"index": ["reefs"], "title": [form.title], "passage": [form.passage]}
    again = replace(form, abstract="a\nb", cites=DRAFT.cites[:2], references="x", as_of="2001")
    sent_again = _question(page_writing.here(SEVERAL, replace(HERE, form=again)), "/cite")
    assert sent_again == {
        "index": ["reefs"],
        "title": [form.title],
        "passage": [form.passage],
        "abstract": ["a\nb"],
        "cites": [each.id for each in again.cites],
        "references": ["x"],
        "as_of": ["2001"],
    }


def test_an_empty_question_sends_only_defaults() -> None:
    pairs = _question(page_writing.ask(SITE, Form("starter")), "/answer")
    assert {name: values for name, values in pairs.items() if values != [""]} == {
        "index": ["starter"],
        "mmr": ["0"],
    }


def test_a_draft_is_sent_with_its_files() -> None:
    (form,) = forms(PAGES["ask"], "/answer")
    assert form.attributes["method"] == "post"
    assert form.attributes["enctype"] == "multipart/form-data"
    files = {
        each.attributes["name"]: set(each.attributes["accept"].split(","))
        for each in form.all("input")
        if each.attributes.get("type") == "file"
    }
    assert files["file"] >= {".tex", ".bib", ".zip", ".pdf", ".md", ".docx", ".ris", ".json"}
    assert files["library_file"] >= {".bib", ".ris", ".json", ".csv"}


def test_the_answer_is_one_form_and_the_return_key_asks_again() -> None:
    (form,) = forms(PAGES["answer"], "/answer")
    buttons = list(form.all("button"))
    assert buttons[0].words() == "Ask again"
    assert "formaction" not in buttons[0].attributes
    assert [each.attributes["value"] for each in buttons if each.attributes.get("name") == "page"]
    assert len(list(form.all("li"))) > len(ITEMS)


def test_papers_are_selected_downloaded_and_asked_about_by_their_ids() -> None:
    (form,) = forms(PAGES["answer"], "/answer")
    ids = [item.id for item in ITEMS]
    inputs = [each.attributes for each in form.all("input")]
    buttons = [each.attributes for each in form.all("button")]
    assert [each["value"] for each in inputs if each["name"] == "paper"] == ids
    assert [each["value"] for each in inputs if each["name"] == "shown"] == ids
    assert [each["value"] for each in buttons if each.get("name") == "more"] == ids
    assert [each["value"] for each in buttons if each.get("name") == "less"] == ids
    formats = [each for each in buttons if each.get("formaction") == "/export"]
    assert [each["value"] for each in formats] == ["bibtex", "ris", "csl-json", "csv", "markdown"]
    assert all(each["name"] == "format" for each in formats)


def test_ids_of_the_library_may_hold_any_character() -> None:
    ids = ('a "quoted" id', "two\nlines", "<b>", "ñ")
    page = page_writing.answer(SEVERAL, replace(FOUND, form=replace(DRAFT, library=ids)))
    (value,) = [value for name, value in sent(forms(page, "/answer")[0]) if name == "library"]
    assert tuple(json.loads(value)) == ids


def _question(page: str, action: str) -> dict[str, list[str]]:
    """Return what the form sends of the question, by the names of its fields."""
    (form,) = forms(page, action)
    pairs: dict[str, list[str]] = {}
    for name, value in sent(form):
        if name not in ("paper", "shown"):
            pairs.setdefault(name, []).append(value)
    return pairs


def _full_form() -> Form:
    return replace(
        DRAFT,
        title="Two\nlines & <b>",
        keyphrases="tides, ice",
        venue="Shore Letters",
        more=DRAFT.cites[:2],
        less=DRAFT.cites[2:3],
        library=("tides:0001", "tides:0002"),
        min_year="1990",
        max_year="x",
        venues="Shore*\nReef*",
        types="article",
        exclude_authors="Ferro",
        as_of="2020",
        exclude_own=True,
        exclude_library=True,
        keep_front_matter=True,
        mmr="0.6",
        more_like="10.1/x",
        less_like="10.1/y",
        text="cGFja2Vk",
    )


def _fields(form: Form) -> dict[str, list[str]]:
    """Return a question as it is sent: texts as they are, papers by their ids."""
    values = {name: getattr(form, name) for name in Form.__slots__}
    del values["passage"]  # It is asked by a form of its own.
    if not values["text"]:
        del values["text"]
    sent_as = {name: [value] for name, value in values.items() if isinstance(value, str)}
    sent_as |= {name: [each.id for each in values[name]] for name in ("cites", "more", "less")}
    ticks = ("exclude_own", "exclude_library", "keep_front_matter")
    sent_as |= {name: ["1"] for name in ticks if values[name]}
    return sent_as | {"library": [json.dumps(form.library)]}
