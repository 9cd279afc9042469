"""The pages: well-formed, labelled, small, and whole without their script."""

import re
from dataclasses import replace
from html import escape
from itertools import pairwise
from pathlib import Path

from recsys.app.web import page_writing
from recsys.app.web.page_writing import render
from recsys.records import Paper
from tests.recsys.app.web.page_reader import read
from tests.recsys.app.web.page_samples import DRAFT, FOUND, SEVERAL, all_pages, filled
from tests.rows import each_row

STATIC = Path(page_writing.__file__).parent / "static"
STYLE, SCRIPT = STATIC / "style.css", STATIC / "script.js"
LARGEST_PAGE = 60_000
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
