"""The pages: well-formed, labelled, small, and whole without their script."""

import json
import re
from dataclasses import fields, is_dataclass, replace
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web import page_writing
from recsys.app.web.form_fields import FormFields
from recsys.app.web.page_writing import TABS, Form, Site, anchor, plainly, render
from recsys.app.web.replies import Problem
from recsys.formats.answers import percent
from recsys.formats.references.web_page import span
from recsys.query.resolve_draft import IN_LIBRARY
from recsys.records import SUMMARY, Paper
from tests.recsys.app.web.page_reader import Element, forms, read, sent
from tests.recsys.app.web.page_samples import (
    AT,
    BARE,
    CITES,
    DRAFT,
    FOUND,
    HERE,
    ITEMS,
    PICK,
    PLACES,
    PROBLEM,
    SEVERAL,
    SHOWN,
    SITE,
    WHERE,
    all_pages,
    all_states,
    changed,
    filled,
    form,
)
from tests.rows import each_row, few

STATIC = Path(page_writing.__file__).parent / "static"
STYLE, SCRIPT = STATIC / "style.css", STATIC / "script.js"
LARGEST_PAGE = 90_000
"""Twenty papers with two lines of abstract and a BibTeX entry each; a fifth of it once packed."""
LARGEST_SCRIPT = 8_000
PAGES = all_pages()

every_page = each_row("page", PAGES.values())


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
    assert [each.text for each in tree.all("script")] in ([""], ["", ""])  # A map has its own.
    loaded = [each.attributes["src"] for each in tree.all("script", "img")]
    # A feed is named, and not loaded.
    links = (each.attributes for each in tree.all("link"))
    loaded += [each["href"] for each in links if each["rel"] != "alternate"]
    assert all(address.startswith("/static/") for address in loaded)
    actions = {each.attributes["action"] for each in tree.all("form")}
    assert not any("formaction" in each.attributes for each in tree.all("button"))
    ways = {"/answer", "/cite", "/map", "/search", f"/pick/{PICK['key']}"}
    assert all(each in ways or each.startswith(AT.path) for each in actions)


@every_page
def test_a_page_with_its_style_and_script_is_small(page: str) -> None:
    assert len(page.encode()) + STYLE.stat().st_size + SCRIPT.stat().st_size <= LARGEST_PAGE


def test_an_answer_of_usual_size_is_small() -> None:
    abstract = " ".join(["Storms and ice are told of in many books of many boats."] * 24)
    title = "The reading of tides in shallow bays, continued"
    cites = [Paper(f"10.1234/tides.{i}", title, year=2001, authors=("Ng",)) for i in range(25)]
    form = replace(filled(DRAFT, abstract=abstract), cites=cites)
    size = len(render("answer", SEVERAL, **FOUND | {"form": form}).encode())
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


def test_the_samples_hold_what_could_break_a_page() -> None:
    assert escape("<script>alert(1)</script>") in PAGES["answer-odd"]
    assert "<script>alert" not in PAGES["answer-odd"]


# Whatever a text holds, it stays text on the pages.

Skeleton: TypeAlias = list[tuple[str, tuple[str, ...]]]


@given(text=st.text(min_size=1, max_size=40))
@few(8)
def test_no_text_makes_an_element_or_an_attribute(text: str) -> None:
    dangerous = f"x{text}</textarea><script>\"'&lt;{text}x"
    assert _skeletons(dangerous) == _skeletons("x")


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_what_was_typed_comes_back(text: str) -> None:
    names = ("title", "abstract", "pasted", "references")
    typed = dict.fromkeys((*names, "min_year"), text)
    page = render("ask", SITE, form=form("starter", **typed), problem=None, tab="/")
    expected = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text)
    (values,) = [read(page)]
    areas = {each.attributes["name"]: each.text for each in values.all("textarea")}
    for name in names:
        assert areas[name] == f"\n{expected}"
    (year,) = [each for each in values.all("input") if each.attributes.get("name") == "min_year"]
    assert year.attributes["value"] == expected


def test_what_cannot_be_sent_is_marked() -> None:
    page = render("failure", SITE, problem=Problem(400, "a\ud800b", "c\x00d\x1b[2J"))
    assert "a\N{REPLACEMENT CHARACTER}b" in page
    page.encode()
    assert "\x00" not in page
    assert "\x1b" not in page


@cache
def _skeletons(text: str) -> dict[str, Skeleton]:
    """List the elements and attributes of each page with one text in all of its fields."""
    site = Site({text: text, "y": text}, text, text, starter=True)
    shown = {
        name: (
            page,
            {
                key: value if key == "tab" else _holding(value, text)
                for key, value in values.items()
            },
        )
        for name, (page, _, values) in all_states().items()
        if name not in ("answer-many", "answer-nothing", "answer-second-page", "ask")
    }
    return {
        name: [
            (each.name, tuple(each.attributes)) for each in read(render(page, site, **values)).all()
        ]
        for name, (page, values) in shown.items()
    }


def _holding(value: Any, text: str) -> Any:  # noqa: ANN401  # Whatever a template takes.
    """Put a text in the place of every other, but of those left empty."""
    if isinstance(value, str):
        begin = next((each for each in ("https://", "10.", "<") if value.startswith(each)), "")
        return value if begin == "<" else value and begin + text
    if isinstance(value, tuple | list):
        return tuple(_holding(each, text) for each in value)
    if isinstance(value, dict):
        return {name: _holding(each, text) for name, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type) and value != IN_LIBRARY:
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **_holding(parts, text))
    return value


# What the pages say.


def test_each_place_is_shown_with_its_sentence_and_its_papers() -> None:
    tree = read(PAGES["here-draft"])
    places = [each for each in tree.all("section") if each.attributes.get("class") == "place"]
    assert len(places) == len(PLACES["places"])
    for shown, place in zip(places, PLACES["places"], strict=True):
        assert shown.one("h2").words() == place["name"]
        assert shown.one("mark").words() == "[?]"
        words = shown.words()
        assert f"{place['before']}[?]{place['after']}" in words
        assert place["kind"] in words
        for each in place["papers"]:
            assert each.recommendation.paper.title in words and each.key in words
    assert "No paper of the corpus fits here." in places[-1].words()
    links = [each.words() for each in tree.one("main").all("a")]
    assert links[:3] == ["Papers", "Fill my [CITE] marks", "Map"]
    assert not {"More like this", "Not this"} & set(links)


def test_a_draft_without_places_says_how_to_mark_them_and_offers_no_view_of_them() -> None:
    main = read(PAGES["here-draft-none"]).one("main")
    assert [each.words() for each in main.all("a")][:2] == ["Papers", "Map"]
    words = main.words()
    assert PLACES["counted"] not in words
    assert "No missing citation" in words
    assert "[CITE]" in words and "BibTeX" not in words


def test_a_passage_that_is_refused_has_the_problem_above_it() -> None:
    words = read(PAGES["ask-passage-error"]).one("main").words()
    places = [words.index(each) for each in (PROBLEM.what, "Your sentence", "Find papers for this")]
    assert places == sorted(places)
    assert "Drop your draft" not in words


def test_the_first_screen_has_one_zone_one_button_and_an_example() -> None:
    main = read(PAGES["ask"]).one("main")
    assert [each.words() for each in main.all("button")] == ["Find what to cite"]
    (options,) = [each for each in main.all("details") if each.attributes.get("class") == "options"]
    seen = [each.attributes["id"] for each in main.all("input", "textarea", "select")
            if "id" in each.attributes and each not in list(options.all())]  # fmt: skip
    assert seen == ["file", "folder", "pasted"]
    assert "open" not in options.attributes
    assert [each.words() for each in main.all("a")] == [
        *(words for _, words in TABS),
        "Try an example",
    ]


def test_where_a_paper_fits_stands_below_it() -> None:
    words = read(PAGES["answer-where"]).words()
    assert ITEMS[0].where is None
    for item in WHERE["items"]:
        if item.where:
            assert f"Fits at {item.where[0]}: {item.where[1]}" in words
    assert 'class="where"' not in PAGES["answer"]


def test_other_versions_of_a_paper_are_linked_below_it() -> None:
    other = Paper("tides:9001", "Drift <ice>", year=1999, authors=("Quill",))
    found = replace(ITEMS[0].recommendation, versions=(other,))
    first = replace(ITEMS[0], recommendation=found)
    page = render("answer", SEVERAL, **FOUND | {"items": (first, *ITEMS[1:])})
    assert "Another version: Drift <ice> Quill, 1999" in read(page).words()
    assert 'href="/paper?index=tides&amp;id=tides%3A9001"' in page
    assert "Another version" not in PAGES["answer"]


def test_an_item_says_everything_without_the_script() -> None:
    item, found = ITEMS[1], ITEMS[1].recommendation
    paper = found.paper
    shown = card(PAGES["answer"], paper.id)
    words = shown.words()
    facts = (paper.title, *paper.authors, str(paper.year), paper.venue, item.key, item.excerpt)
    for text in (*facts, percent(found.probability), *(each.text for each in found.reasons[:2])):
        assert str(text) in words
    assert found.reasons[2].text not in words  # Two are enough.
    assert words.count("in your library") == 1
    assert "2 citations here" in words
    assert shown.one("h3").attributes["dir"] == "auto"
    assert shown.one("rect").attributes["width"] == f"{round(found.probability * 100)}%"
    assert f"@article{{{item.key}," in shown.one("pre").words()
    assert span(paper) in PAGES["answer"]
    title, more, less = (each.attributes["href"] for each in shown.all("a"))
    assert title == "/paper?index=tides&id=tides%3A0002"
    assert (more, less) == (f"{AT.path}?more=tides%3A0002", f"{AT.path}?less=tides%3A0002")
    (pin,) = shown.all("button")
    assert (pin.attributes["name"], pin.attributes["form"]) == ("pin", "pins")


def test_what_was_chosen_is_seen_and_can_be_taken_back() -> None:
    page = PAGES["answer-liked"]
    liked = CITES[0]
    shown = card(page, liked.id)
    (more,) = [each for each in shown.all("a") if each.attributes.get("class") == "like"]
    assert more.attributes["aria-current"] == "true"
    assert f"more={liked.id}".replace(":", "%3A") not in more.attributes["href"]
    (chips,) = [each for each in read(page).all("p") if each.attributes.get("class") == "chips"]
    assert [each.words().split()[0] for each in chips.all("a")] == ["More", "More", "Not"]
    (pin,) = card(page, ITEMS[0].recommendation.paper.id).all("button")
    assert (pin.attributes["name"], pin.attributes["aria-pressed"]) == ("unpin", "true")
    (collection,) = [e for e in read(page).all("section") if e.attributes.get("id") == "collection"]
    assert "Pinned 2" in collection.words() and "Export 2 pinned" in collection.words()
    assert [each.words() for each in collection.one("details").all("a")] == [
        "BibTeX", "RIS", "CSL-JSON", "CSV", "Markdown", "Zotero"
    ]  # fmt: skip


def test_filters_are_boxes_with_counts_and_no_list_of_lines() -> None:
    (filters,) = [each for each in forms(PAGES["answer"], AT.path)]
    assert not list(filters.all("textarea"))
    words = filters.words()
    assert "Shore Letters, part 0 90" in words and "Article 301" in words and "34 more" in words
    (chosen,) = forms(PAGES["answer-liked"], AT.path)
    pairs = sent(chosen)
    assert {("venues", "Shore*"), ("min_year", "1990"), ("exclude_own", "1")} <= set(pairs)
    assert [value for name, value in pairs if name == "more"] == [each.id for each in CITES[:2]]


def test_no_message_speaks_of_commands() -> None:
    words = read(PAGES["answer-nothing"]).one("main").words()
    assert "Loosen \u201cFrom year\u201d 2998." in words
    assert "the filters let none of them through" in words
    for said, plain in (
        ("No title was found: give it by --title.", "No title was found: type it in."),
        (
            "The title is a guess: give --title if it is wrong.",
            "The title is a guess: type it in if it is wrong.",
        ),
        (
            "Give a later --as-of, a longer draft, or another --index.",
            "Give a later \u201cAs of year\u201d, a longer draft, or another corpus.",
        ),
        (
            "All that is left is front matter: --keep-front-matter lets it through.",
            "All that is left is front matter: \u201cShow prefaces, indexes and errata, too\u201d "
            "lets it through.",
        ),
    ):
        assert plainly(said) == plain


def card(page: str, paper_id: str) -> Element:
    """Find the card of a paper."""
    (found,) = [
        each for each in read(page).all("li") if each.attributes.get("id") == anchor(paper_id)
    ]
    return found


def test_what_was_understood_stands_before_the_papers() -> None:
    words = read(PAGES["answer"]).one("main").words()
    parts = [FOUND["understood"], FOUND["notes"][0], FOUND["missing"][1]]
    places = [words.index(part) for part in [*parts, "Edit the draft", "459 papers"]]
    assert places == sorted(places)
    assert "Cited, and in the corpus: 7" in words and "Cited, but not found: 2" in words


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
    assert folded.one("summary").words() == "and 294 more authors"
    assert "open" not in folded.attributes
    assert folded.text.strip().startswith("Observer Number-7, ")
    assert folded.text.strip().endswith(", Observer Number-300")


@each_row("address", ["javascript:alert(1)", "data:text/html,x", "//evil", "x", ""])
def test_a_link_leads_to_the_web_or_nowhere(address: str) -> None:
    item = changed(ITEMS[0], url=address, doi=None)
    answer = render("answer", SEVERAL, **FOUND | {"items": (item,)})
    shown = render("paper", SITE, **BARE | {"paper": item.recommendation.paper})
    for page in (answer, shown):
        assert not any(each.attributes["href"] == address for each in read(page).all("a"))
    assert item.recommendation.paper.title in read(answer).one("h3").words()


def test_the_starter_corpus_says_what_it_is_and_offers_an_example() -> None:
    tree = read(PAGES["ask"])
    (example,) = [each for each in tree.all("a") if each.words() == "Try an example"]
    assert example.attributes["href"] == "/example?index=starter"
    assert "recsys serve my.index" in tree.words()
    assert "starter" not in read(PAGES["ask-several"]).one("main").words()


def test_a_summary_is_not_shown_as_the_abstract_of_the_authors() -> None:
    by_others = changed(ITEMS[0], labels={SUMMARY: "Bo Larsen"})
    note = by_others.recommendation.paper.abstract_note
    for item, titles in ((ITEMS[0], []), (by_others, [note])):
        shown = card(render("answer", SITE, **FOUND | {"items": (item,)}), "tides:0001")
        labels = [e for e in shown.all("span") if e.attributes.get("class") == "label"]
        assert [each.attributes["title"] for each in labels] == titles
    paper = replace(SHOWN["paper"], labels={SUMMARY: "Bo Larsen"})
    assert note not in read(render("paper", SITE, **SHOWN)).words()
    shown = read(render("paper", SITE, **SHOWN | {"paper": paper}))
    assert f"{paper.abstract} {note}" in shown.words()


def test_the_menu_of_exports_says_which_pattern_the_keys_follow() -> None:
    pattern = "[auth:lower][year]"
    for keys, there in ((None, False), (pattern, True)):
        page = read(render("answer", SITE, **FOUND | {"keys": keys}))
        (menu,) = [e for e in page.all("details") if e.attributes.get("class") == "menu"]
        assert (pattern in menu.words()) is there


# What the forms of the pages send.


def test_the_question_is_sent_as_it_stands() -> None:
    full = _full_form()
    kept = {"keep_library", "library", "text", "from", "index"}
    expected = _read(_fields(full), kept)
    pages = {
        "ask": render("ask", SEVERAL, form=full, problem=None, tab="/"),
        "answer": render("answer", SEVERAL, **FOUND | {"form": full}),
    }
    for name, page in pages.items():
        pairs = _question(page, "/answer")
        assert pairs["keep_library"] == ["1"]
        read_again = _read(pairs, kept)
        assert read_again.manuscript() == expected.manuscript()
        assert read_again.options == expected.options
        assert (read_again.more, read_again.less) == (expected.more, expected.less)
        if name == "ask":  # An answer has found them.
            assert read_again.lists() == expected.lists()


def _read(pairs: dict[str, list[str]], kept: set[str]) -> FormFields:
    return FormFields.read(
        [(name, value) for name, values in pairs.items() for value in values if name not in kept]
    )


def test_a_passage_is_sent_as_it_stands() -> None:
    passage = form("reefs", title="Tides & <b>", passage="Two\nlines | here.")
    asked = {"index": ["reefs"], "title": ["Tides & <b>"], "passage": ["Two\nlines | here."]}
    page = render("ask", SEVERAL, form=passage, problem=None, tab="/sentence")
    assert _question(page, "/cite").items() >= asked.items()
    again = filled(passage, abstract="a\nb", references="x", as_of="2001")
    again = replace(again, cites=CITES[:2])
    sent_again = _question(render("here", SEVERAL, **HERE | {"form": again}), "/cite")
    more = {"abstract": ["a\nb"], "references": ["x"], "as_of": ["2001"], "from": [AT.key]}
    assert sent_again.items() >= (asked | more).items()
    assert sent_again["cites"] == [each.id for each in again.cites]


def test_a_draft_is_sent_with_its_files() -> None:
    (form,) = forms(PAGES["ask"], "/answer")
    assert form.attributes["method"] == "post"
    assert form.attributes["enctype"] == "multipart/form-data"
    files = {
        each.attributes["id"]: set(each.attributes.get("accept", "").split(","))
        for each in form.all("input")
        if each.attributes.get("type") == "file"
    }
    assert files["file"] >= {".tex", ".bib", ".zip", ".pdf", ".md", ".docx", ".ris", ".json"}
    assert files["library_file"] >= {".bib", ".ris", ".json", ".csv"}
    assert "folder" in files


def test_pages_are_turned_by_links() -> None:
    for page, found in (
        ("answer", {"next": "?page=2"}),
        ("answer-second-page", {"prev": "tides%3A2"[-7:]}),
    ):
        links = {each.attributes.get("rel"): each for each in read(PAGES[page]).all("a")}
        turned = {way: link.attributes["href"][-7:] for way, link in links.items() if way}
        assert turned == found


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
