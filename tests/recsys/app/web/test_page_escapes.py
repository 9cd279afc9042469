"""Whatever a text holds, it stays text on the pages."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web.pages import page_writing
from recsys.app.web.pages.page_contents import (
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
from tests.recsys.app.web.page_reader import read
from tests.recsys.app.web.page_samples import SITE

Skeleton: TypeAlias = list[tuple[str, tuple[str, ...]]]


@given(text=st.text(min_size=1, max_size=40))
def test_no_text_makes_an_element_or_an_attribute(text: str) -> None:
    dangerous = f"x{text}</textarea><script>\"'&lt;{text}x"
    for name, render in RENDERED.items():
        assert _skeleton(render(dangerous)) == _harmless()[name]


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
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


@cache
def _harmless() -> dict[str, Skeleton]:
    return {name: _skeleton(render("x")) for name, render in RENDERED.items()}


def _skeleton(page: str) -> Skeleton:
    return [(each.name, tuple(each.attributes)) for each in read(page).all()]
