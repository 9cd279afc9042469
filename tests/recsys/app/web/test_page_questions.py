"""What the forms of the pages send."""

import json
from dataclasses import replace

from recsys.app.web.page_writing import Form, render
from tests.recsys.app.web.page_reader import forms, sent
from tests.recsys.app.web.page_samples import (
    CITES,
    DRAFT,
    FOUND,
    HERE,
    ITEMS,
    MAP,
    PLACES,
    SEVERAL,
    all_pages,
    filled,
    form,
)

PAGES = all_pages()


def test_the_question_is_sent_as_it_stands() -> None:
    full = _full_form()
    ask = render("ask", SEVERAL, form=full, problem=None)
    answer = render("answer", SEVERAL, **FOUND | {"form": full})
    assert _question(answer, "/answer") == _fields(full)
    # Its file is given again.
    assert _question(ask, "/answer") == _fields(filled(full, text=""))


def test_other_views_send_the_question_that_they_do_not_show() -> None:
    full = _full_form()
    for page, values in (("map", MAP), ("here", PLACES)):
        html = render(page, SEVERAL, **values | {"form": full})
        assert _question(html, "/answer") == _fields(full)


def test_a_passage_is_sent_as_it_stands() -> None:
    passage = form("reefs", title="Tides & <b>", passage="Two\nlines | here.")
    asked = {"index": ["reefs"], "title": ["Tides & <b>"], "passage": ["Two\nlines | here."]}
    page = render("ask", SEVERAL, form=passage, problem=None)
    assert _question(page, "/cite") == asked
    again = filled(passage, abstract="a\nb", references="x", as_of="2001")
    again = replace(again, cites=CITES[:2])
    sent_again = _question(render("here", SEVERAL, **HERE | {"form": again}), "/cite")
    assert sent_again == asked | {
        "abstract": ["a\nb"],
        "cites": [each.id for each in again.cites],
        "references": ["x"],
        "as_of": ["2001"],
    }


def test_an_empty_question_sends_only_defaults() -> None:
    pairs = _question(all_pages()["ask"], "/answer")
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
    ids = [item.recommendation.paper.id for item in ITEMS]
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
    page = render("answer", SEVERAL, **FOUND | {"form": replace(DRAFT, library=ids)})
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
    fields = filled(
        DRAFT,
        title="Two\nlines & <b>",
        keyphrases="tides, ice",
        venue="Shore Letters",
        min_year="1990",
        max_year="x",
        venues="Shore*\nReef*",
        types="article",
        exclude_authors="Ferro",
        as_of="2020",
        exclude_own="1",
        exclude_library="1",
        keep_front_matter="1",
        mmr="0.6",
        more_like="10.1/x",
        less_like="10.1/y",
        text="cGFja2Vk",
    )
    library = ("tides:0001", "tides:0002")
    return replace(fields, more=CITES[:2], less=CITES[2:3], library=library, reads_keyphrases=True)


def _fields(of: Form) -> dict[str, list[str]]:
    """Return a question as it is sent: texts as they are, papers by their ids."""
    values = {name: [getattr(of.fields, name)] for name in of.fields.__slots__}
    del values["options"]
    values |= {name: [text] for name, text in of.fields.options.items()}
    values |= {"cites": [each.id for each in of.cites], "more": [each.id for each in of.more]}
    values |= {"less": [each.id for each in of.less], "library": [json.dumps(of.library)]}
    # A passage is asked by a form of its own, and a page by its button.
    unsent = {"passage", "page"} | (set() if of.fields.text else {"text"})
    return {name: value for name, value in values.items() if name not in unsent}
