"""The pages: well-formed, labelled, escaped, small, and whole without their script."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.app.web.pages import page_writing
from recsys.app.web.pages.page_values import (
    Form,
    Found,
    FoundHere,
    IndexChoice,
    Item,
    Listed,
    Operation,
    PaperShown,
    PlaceShown,
    Site,
    Where,
)
from recsys.app.web.problem_details import Problem
from tests.recsys.app.web.page_reader import Element, read, sent
from tests.recsys.app.web.page_samples import (
    DRAFT,
    FOUND,
    HERE,
    ITEMS,
    PLACES,
    PROBLEM,
    SEVERAL,
    SHOWN,
    SITE,
    WHERE,
    all_pages,
)

STATIC = Path(page_writing.__file__).parent / "static"
STYLE, SCRIPT = STATIC / "style.css", STATIC / "script.js"
LARGEST_PAGE = 60_000
LARGEST_SCRIPT = 8_000
PAGES = all_pages()

Skeleton: TypeAlias = list[tuple[str, tuple[str, ...]]]

every_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)


@every_page
def test_a_page_is_well_formed_and_says_what_it_is(page: str) -> None:
    tree = read(page)
    assert page.startswith("<!doctype html>")
    assert tree.one("html").attributes["lang"] == "en"
    assert tree.one("head").one("title").text.endswith(" - recsys")
    assert tree.one("h1").words()
    assert [each.name for each in tree.one("body").children[:3]] == ["a", "header", "main"]
    assert tree.one("main").attributes["id"] == "main"
    assert next(tree.all("a")).attributes == {"class": "skip", "href": "#main"}


@every_page
def test_headings_descend_by_one(page: str) -> None:
    levels = [int(each.name[1]) for each in read(page).all("h1", "h2", "h3")]
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))


@every_page
def test_ids_are_unique_and_what_refers_to_one_finds_it(page: str) -> None:
    elements = list(read(page).all())
    ids = [each.attributes["id"] for each in elements if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    for name in ("for", "aria-labelledby", "aria-describedby"):
        named = " ".join(each.attributes.get(name, "") for each in elements)
        assert set(named.split()) <= set(ids)


@every_page
def test_every_field_is_labelled(page: str) -> None:
    tree = read(page)
    labels = list(tree.all("label"))
    labelled = {each.attributes.get("for") for each in labels if each.words()}
    wrapped = [id(each) for label in labels if label.words() for each in label.all("input")]
    for each in tree.all("input", "select", "textarea"):
        if each.attributes.get("type") == "hidden" or "hidden" in each.attributes:
            continue
        assert each.attributes.get("id") in labelled or id(each) in wrapped
    assert all(each.words() for each in tree.all("button", "summary", "legend", "option"))


@every_page
def test_a_page_asks_for_nothing_that_its_policy_forbids(page: str) -> None:
    tree = read(page)
    assert not list(tree.all("style", "iframe", "object", "embed", "base"))
    for each in tree.all():
        assert not any(re.match(r"on|style$", name) for name in each.attributes)
    (script,) = tree.all("script")
    assert script.text == ""
    loaded = [each.attributes["src"] for each in tree.all("script", "img")]
    loaded += [each.attributes["href"] for each in tree.all("link")]
    assert all(address.startswith("/static/") for address in loaded)
    actions = {each.attributes["action"] for each in tree.all("form")}
    actions |= {each.attributes.get("formaction", "/map") for each in tree.all("button")}
    assert actions <= {"/answer", "/cite", "/export", "/map", "/search"}


@every_page
def test_a_page_with_its_style_and_script_is_small(page: str) -> None:
    assert len(page.encode()) + STYLE.stat().st_size + SCRIPT.stat().st_size <= LARGEST_PAGE


def test_an_answer_of_usual_size_is_small() -> None:
    abstract = " ".join(["Storms and ice are told of in many books of many boats."] * 24)
    cites = tuple(
        Listed(f"10.1234/tides.{i}", "The reading of tides in shallow bays, continued", "Ng 2001")
        for i in range(25)
    )
    found = replace(FOUND, form=replace(DRAFT, abstract=abstract, cites=cites))
    size = len(page_writing.answer(SEVERAL, found).encode())
    assert size + STYLE.stat().st_size + SCRIPT.stat().st_size <= LARGEST_PAGE


def test_style_and_script_load_nothing_and_remember_nothing() -> None:
    script, style = SCRIPT.read_text(encoding="utf-8"), STYLE.read_text(encoding="utf-8")
    assert len(script.encode()) <= LARGEST_SCRIPT
    assert script.startswith('"use strict";')
    assert not re.search(r"localStorage|sessionStorage|cookie|indexedDB|history\.", script)
    assert not re.search(r"(inner|outer|Adjacent)HTML|eval|Function\(|\.style\b", script)
    assert not re.search(r"https?:|//[a-z]", re.sub(r"(?m)^\s*//.*$", "", script))
    assert not re.search(r"url\(|@import|@font-face", style)
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


@pytest.mark.parametrize("render", [page_writing.ask, None], ids=["asking", "answered"])
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


def test_each_place_is_shown_with_its_sentence_and_its_papers() -> None:
    tree = read(PAGES["here-draft"])
    places = [each for each in tree.all("section") if each.attributes.get("class") == "place"]
    assert len(places) == len(PLACES.places)
    for shown, place in zip(places, PLACES.places, strict=True):
        assert shown.one("h2").words() == place.name
        assert shown.one("mark").words() == "[?]"
        words = shown.words()
        assert f"{place.before}[?]{place.after}" in words
        assert place.kind in words
        assert all(each.title in words and each.key in words for each in place.items)
    assert "No paper of the corpus fits here." in places[-1].words()
    buttons = [each.words() for each in _forms(PAGES["here-draft"], "/answer")[0].all("button")]
    assert buttons[0] == "Papers for the whole draft"
    assert not {"More like this", "Not this"} & set(buttons)


def test_a_draft_without_places_says_how_to_mark_them() -> None:
    words = read(PAGES["here-draft-none"]).one("main").words()
    assert PLACES.counted not in words
    assert "No place that lacks a citation" in words
    assert "[CITE]" in words and "BibTeX" not in words


def test_a_passage_without_papers_says_so_before_its_fields() -> None:
    words = read(PAGES["here-nothing"]).one("main").words()
    assert words.index("No papers found") < words.index("Your passage")
    assert "Give a later year" in words


def test_a_passage_that_is_refused_stands_first_with_the_problem_above() -> None:
    words = read(PAGES["ask-passage-error"]).one("main").words()
    places = [words.index(each) for each in (PROBLEM.what, "Passage", "Drop your draft")]
    assert places == sorted(places)
    usual = read(PAGES["ask"]).one("main").words()
    assert usual.index("Drop your draft") < usual.index("What do I cite here?")


def test_sentences_are_offered_where_there_are_some() -> None:
    assert 'formaction="/cite"' not in PAGES["answer"]
    assert 'formaction="/cite"' in PAGES["answer-where"]


def test_where_a_paper_fits_stands_below_it() -> None:
    words = read(PAGES["answer-where"]).words()
    assert ITEMS[0].where is None
    for item in WHERE.items:
        if item.where:
            assert f"Fits at {item.where.place}: {item.where.sentence}" in words
    assert 'class="where"' not in PAGES["answer"]


def test_other_versions_of_a_paper_are_linked_below_it() -> None:
    other = Listed("tides:9001", "Drift <ice>", "Quill, 1999", "/paper?index=tides&id=tides%3A9001")
    first = replace(ITEMS[0], versions=(other,))
    page = page_writing.answer(SITE, replace(FOUND, items=(first, *ITEMS[1:])))
    assert "Another version: Drift <ice> Quill, 1999" in read(page).words()
    assert 'href="/paper?index=tides&amp;id=tides%3A9001"' in page
    assert "Another version" not in PAGES["answer"]


def test_an_empty_question_sends_only_defaults() -> None:
    pairs = _question(page_writing.ask(SITE, Form("starter")), "/answer")
    assert {name: values for name, values in pairs.items() if values != [""]} == {
        "index": ["starter"],
        "mmr": ["0"],
    }


def test_a_draft_is_sent_with_its_files() -> None:
    (form,) = _forms(PAGES["ask"], "/answer")
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
    (form,) = _forms(PAGES["answer"], "/answer")
    buttons = list(form.all("button"))
    assert buttons[0].words() == "Ask again"
    assert "formaction" not in buttons[0].attributes
    assert [each.attributes["value"] for each in buttons if each.attributes.get("name") == "page"]
    assert len(list(form.all("li"))) > len(ITEMS)


def test_papers_are_selected_downloaded_and_asked_about_by_their_ids() -> None:
    (form,) = _forms(PAGES["answer"], "/answer")
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


def test_an_item_says_everything_without_the_script() -> None:
    item = ITEMS[1]
    (shown,) = [
        each
        for each in read(PAGES["answer"]).all("li")
        if any(one.attributes.get("value") == item.id for one in each.all("button"))
    ]
    words = shown.words()
    for text in (item.title, *item.authors, str(item.year), item.venue, item.percent, item.key):
        assert str(text) in words
    assert all(reason in words for reason in item.reasons)
    assert words.count("in your library") == 1
    links = [each.attributes["href"] for each in shown.all("a")]
    assert links == [item.link, item.address]
    assert shown.one("h3").attributes["dir"] == "auto"
    assert shown.one("rect").attributes["width"] == f"{round(item.probability * 100)}%"
    assert item.coins in PAGES["answer"]


def test_what_was_understood_stands_before_the_question_and_the_papers() -> None:
    words = read(PAGES["answer"]).one("main").words()
    parts = [FOUND.understood, FOUND.notes[0], FOUND.missing[1], FOUND.removed, "Your question"]
    places = [words.index(part) for part in [*parts, "Papers 1 to 20"]]
    assert places == sorted(places)
    assert "What it cites: 7 found, 2 not found" in words


def test_unknown_facts_are_said() -> None:
    assert "Unknown authors · unknown year · unknown venue" in read(PAGES["answer-odd"]).words()
    bare = read(PAGES["paper-bare"])
    assert bare.one("h1").words() == "Untitled"
    assert "Unknown authors · unknown year · unknown venue" in bare.words()
    assert "The corpus holds no abstract of this paper." in bare.words()
    assert "It cites no paper of the corpus, as far as is known." in bare.words()


def test_three_hundred_authors_are_folded_away_but_there() -> None:
    (folded,) = [
        each
        for each in read(PAGES["answer-odd"]).all("details")
        if each.attributes.get("class") == "more"
    ]
    assert folded.one("summary").words() == "and 292 more authors"
    assert "open" not in folded.attributes
    assert folded.text.strip().startswith("Observer Number-9, ")
    assert folded.text.strip().endswith(", Observer Number-300")


def test_a_few_authors_over_the_limit_are_not_worth_a_fold() -> None:
    names = tuple(f"N. {letter}" for letter in "ABCDEFGHIJ")
    page = page_writing.paper(SITE, replace(SHOWN, authors=names))
    assert ", ".join(names) in read(page).words()
    assert "more authors" not in page


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "//evil", "x", ""])
def test_a_link_leads_to_the_web_or_nowhere(address: str) -> None:
    found = replace(FOUND, items=(replace(ITEMS[0], link=address),))
    answer = page_writing.answer(SEVERAL, found)
    shown = page_writing.paper(SITE, replace(SHOWN, link=address, url=address))
    for page in (answer, shown):
        assert not any(each.attributes["href"] == address for each in read(page).all("a"))
    assert ITEMS[0].title in read(answer).one("h3").words()


def test_further_pages_are_offered_where_there_are_some() -> None:
    first, last = PAGES["answer"], PAGES["answer-second-page"]
    assert "Next 20" in first
    assert "Previous 20" not in first
    assert "Previous 20" in last
    assert "Next 20" not in last
    assert "Papers 21 to 21" in last
    (more,) = [each for each in read(PAGES["search"]).all("a") if each.words() == "More"]
    assert more.attributes["href"] == "/search?index=tides&q=drift+ice&page=bmV4dA"


def test_the_map_is_offered_where_maps_can_be_drawn() -> None:
    assert 'formaction="/map"' in PAGES["answer"]
    assert "/map" not in page_writing.answer(replace(SEVERAL, map=False), FOUND)


def test_the_starter_corpus_says_what_it_is_and_offers_an_example() -> None:
    tree = read(PAGES["ask"])
    (example,) = [each for each in tree.all("a") if each.words() == "Try an example question"]
    assert example.attributes["href"].startswith("/answer?index=starter&title=")
    assert "recsys serve my.index" in tree.words()
    assert "starter" not in read(PAGES["ask-several"]).one("main").words()


def test_an_index_is_chosen_where_there_are_several() -> None:
    select = next(read(PAGES["ask-several"]).all("select"))
    assert [each.words() for each in select.all("option") if "selected" in each.attributes] == [
        "reefs (27,464 papers, 1931 to 2025)"
    ]
    assert 'id="index"' not in PAGES["ask"]


def test_a_problem_is_told_at_once_and_what_was_typed_is_kept() -> None:
    tree = read(PAGES["ask-error"])
    (alert,) = [each for each in tree.all() if each.attributes.get("role") == "alert"]
    assert alert.words() == (
        "This cannot be answered harbour.pdf holds no text: it may be scanned pictures. "
        "Paste its title and abstract instead."
    )
    assert DRAFT.title in tree.words()


@given(text=st.text(min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_an_element_or_an_attribute(text: str) -> None:
    dangerous = f"x{text}</textarea><script>\"'&lt;{text}x"
    for render in RENDERED.values():
        assert _skeleton(render(dangerous)) == _skeleton(render("x"))


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=60, deadline=None)
def test_what_was_typed_comes_back(text: str) -> None:
    form = Form("x", title=text, abstract=text, authors=text, references=text, min_year=text)
    page = page_writing.ask(SITE, form)
    expected = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text)
    (values,) = [read(page)]
    areas = {each.attributes["name"]: each.text for each in values.all("textarea")}
    for name in ("title", "abstract", "authors", "references"):
        assert areas[name] == f"\n{expected}"
    (year,) = [each for each in values.all("input") if each.attributes.get("name") == "min_year"]
    assert year.attributes["value"] == expected


def test_what_cannot_be_sent_is_marked() -> None:
    page = page_writing.failure(SITE, Problem(400, "a\ud800b", "c\x00d\x1b[2J"))
    assert "a\N{REPLACEMENT CHARACTER}b" in page
    page.encode()
    assert "\x00" not in page
    assert "\x1b" not in page


def test_ids_of_the_library_may_hold_any_character() -> None:
    ids = ('a "quoted" id', "two\nlines", "<b>", "ñ")
    page = page_writing.answer(SEVERAL, replace(FOUND, form=replace(DRAFT, library=ids)))
    (value,) = [value for name, value in sent(_forms(page, "/answer")[0]) if name == "library"]
    assert tuple(json.loads(value)) == ids


def _site(text: str) -> Site:
    return Site((IndexChoice(text, 1, text), IndexChoice("y", 1, text)), text, text, starter=True)


def _form(text: str) -> Form:
    one = (Listed(text, text, text, text),)
    first = Form(text, text, text, text, text, one, text, one, one, (text,))
    filters = replace(first, min_year=text, max_year=text, venues=text, types=text, mmr=text)
    return replace(
        filters,
        exclude_authors=text,
        as_of=text,
        exclude_own=True,
        exclude_library=True,
        keep_front_matter=True,
        more_like=text,
        less_like=text,
        passage=text,
        text=text,
    )


def _item(text: str) -> Item:
    link, names = f"https://{text}", (text,) * 20
    return Item(
        *(1, text, text, link, names, 1, text, 0.5, text, names, True, text, "", text, text),
        where=Where(text, text),
    )


def _found(text: str) -> str:
    some = (text, text)
    found = Found(_form(text), text, some, some, (_item(text),), text, text, text, 1, text)
    return page_writing.answer(_site(text), found)


def _here(text: str, draft: str = "") -> str:
    some = (text, text)
    place = PlaceShown(text, text, text, text, text, (_item(text),))
    found = FoundHere(_form(text), draft, text, text, some, some, (place, place), text)
    if not draft:
        found = replace(found, places=(place,))
    return page_writing.here(_site(text), found)


def _paper(text: str) -> str:
    some, link = (Listed(text, text, text, text),), f"https://{text}"
    shown = PaperShown(
        *(text, text, link, (text,) * 20, 1, text, text, text, f"{link}/2", some, some, 1, 1, some),
        *(text, "", (text, text)),
    )
    return page_writing.paper(_site(text), shown)


def _api(text: str) -> str:
    operation = Operation(text, text, text, "x", text, ((text, text, True, text),))
    return page_writing.api(_site(text), (operation,))


RENDERED: dict[str, Callable[[str], str]] = {
    "ask": lambda text: page_writing.ask(_site(text), _form(text), Problem(400, text, text)),
    "answer": _found,
    "here": _here,
    "here-draft": lambda text: _here(text, text),
    "paper": _paper,
    "search": lambda text: page_writing.search(
        _site(text), text, (Listed(text, text, text, text),), text
    ),
    "map": lambda text: page_writing.map(_site(text), _form(text), "", "", (text,)),
    "failure": lambda text: page_writing.failure(_site(text), Problem(400, text, text)),
    "api": _api,
}
"""Each page with one text in all of its fields."""


def _skeleton(page: str) -> Skeleton:
    return [(each.name, tuple(each.attributes)) for each in read(page).all()]


def _forms(page: str, action: str) -> list[Element]:
    return [each for each in read(page).all("form") if each.attributes["action"] == action]


def _question(page: str, action: str) -> dict[str, list[str]]:
    """Return what the form sends of the question, by the names of its fields."""
    (form,) = _forms(page, action)
    pairs: dict[str, list[str]] = {}
    for name, value in sent(form):
        if name not in ("paper", "shown"):
            pairs.setdefault(name, []).append(value)
    return pairs


def _full_form() -> Form:
    return replace(
        DRAFT,
        title="Two\nlines & <b>",
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


def test_the_samples_hold_what_could_break_a_page() -> None:
    assert escape("<script>alert(1)</script>") in PAGES["answer-odd"]
    assert "<script>alert" not in PAGES["answer-odd"]


def test_an_empty_answer_says_so_before_the_fields_of_the_question() -> None:
    words = read(PAGES["answer-nothing"]).one("main").words()
    assert words.index("No papers found") < words.index("Your question")
    assert "The filters may be too narrow." in words
    without = replace(FOUND, items=(), removed="")
    assert "too narrow" not in page_writing.answer(SITE, without)
