"""Whatever a text holds, it stays text on the pages."""

import re
from dataclasses import replace
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web.api_description import Operation, Parameter
from recsys.app.web.api_routes import health
from recsys.app.web.form_fields import FormFields
from recsys.app.web.page_writing import Form, Item, Site, render
from recsys.app.web.replies import Problem
from recsys.query.question_schema import options
from recsys.query.resolve_draft import IN_LIBRARY
from recsys.records import Paper, Reason, Recommendation
from tests.recsys.app.web.page_reader import read
from tests.recsys.app.web.page_samples import SITE, Values, form

Skeleton: TypeAlias = list[tuple[str, tuple[str, ...]]]


@given(text=st.text(min_size=1, max_size=40))
def test_no_text_makes_an_element_or_an_attribute(text: str) -> None:
    dangerous = f"x{text}</textarea><script>\"'&lt;{text}x"
    assert _skeletons(dangerous) == _skeletons("x")


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_what_was_typed_comes_back(text: str) -> None:
    typed = dict.fromkeys(("title", "abstract", "authors", "references", "min_year"), text)
    page = render("ask", SITE, form=form("starter", **typed), problem=None)
    expected = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text)
    (values,) = [read(page)]
    areas = {each.attributes["name"]: each.text for each in values.all("textarea")}
    for name in ("title", "abstract", "authors", "references"):
        assert areas[name] == f"\n{expected}"
    (year,) = [each for each in values.all("input") if each.attributes.get("name") == "min_year"]
    assert year.attributes["value"] == expected


def test_what_cannot_be_sent_is_marked() -> None:
    page = render("failure", SITE, problem=Problem(400, "a\ud800b", "c\x00d\x1b[2J"))
    assert "a\N{REPLACEMENT CHARACTER}b" in page
    page.encode()
    assert "\x00" not in page
    assert "\x1b" not in page


def _skeletons(text: str) -> dict[str, Skeleton]:
    """List the elements and attributes of each page with one text in all of its fields."""
    site = Site({text: text, "y": text}, text, text, starter=True)
    paper = Paper(text, text, text, 1, (text,) * 20, text, keyphrases=(text,), doi=f"10.1/{text}")
    papers = (paper, replace(paper, doi=None, url=f"https://{text}"))
    names = {*FormFields.__slots__} - {"cites", "more", "less", "options"}
    names |= {each.field for each in options() if each.spec.label}
    full = form(text, **dict.fromkeys(names - {"index"}, text)).fields
    shown = Form(full, papers, papers, papers, (text,), True)
    found = Recommendation(1, paper, 1, 0.5, (), (Reason(text, text), IN_LIBRARY), (), papers)
    item, some = Item(found, text, (text, text)), (text, text)
    shared = {"form": shown, "understood": text, "notes": some, "missing": some, "share": text}
    words = dict.fromkeys(("name", "before", "after", "kind", "section"), text)
    place, here = words | {"papers": (item,)}, shared | {"counted": text, "draft": ""}
    lists = {"similar": papers, "cites": papers, "cited_by": papers}
    operation = Operation(
        method=text,
        path=text,
        handler=health,
        summary=text,
        description=text,
        example=text,
        body=text,
        parameters=(Parameter(text, text, {}, True, text),),
    )
    pages: tuple[tuple[str, Values], ...] = (
        ("ask", {"form": shown, "problem": Problem(400, text, text)}),
        (
            "answer",
            shared
            | {"items": (item,), "removed": text, "next": text, "previous": text, "first_rank": 1},
        ),
        ("here", here | {"places": (place,)}),
        ("here", here | {"places": (place, place), "draft": text}),
        ("paper", {"paper": paper, "cites_more": 1, "cited_by_more": 1} | lists),
        ("search", {"query": text, "papers": papers, "next": text}),
        ("map", {"form": shown, "svg": "", "table": "", "gaps": some}),
        ("failure", {"problem": Problem(400, text, text)}),
        ("api", {"operations": (operation,), "base": text, "paper": text}),
    )
    return {
        f"{name} {at}": [
            (each.name, tuple(each.attributes)) for each in read(render(name, site, **values)).all()
        ]
        for at, (name, values) in enumerate(pages)
    }
