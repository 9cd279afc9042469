"""Picture, table and page: everything is escaped, linked, and there in both."""

import re
from base64 import b64encode
from hashlib import sha256
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from recsys.mapping import MAP_CSS, gaps_in_words, map_file, map_page, map_svg, map_view
from recsys.mapping.map_pages import backbone, short_name
from recsys.mapping.placing import SMALL, WIDE
from recsys.records import Paper
from tests.recsys.mapping.drawn_worlds import draw_world, hand_made, topical
from tests.rows import each_row

EVIL = '<script>alert("1")</script> & \' \x00 \u202e'
SVG = "{http://www.w3.org/2000/svg}"


@given(st.text(max_size=60), st.text(min_size=1, max_size=60))
def test_any_title_and_label_gives_sound_xml(title: str, label: str) -> None:
    drawn = hand_made([title, EVIL], label=label)
    root = ElementTree.fromstring(map_file(drawn))
    assert len(root.findall(f"{SVG}a")) == 3  # The draft is a link, too.
    ElementTree.fromstring(f"<main>{map_view(drawn)}</main>")


def test_markup_in_titles_stays_text() -> None:
    page = map_page(hand_made([EVIL], label=EVIL))
    assert "<script>alert" not in page and "&lt;script&gt;" in page
    assert "\x00" not in page and "\u202e" not in page


def test_no_style_stands_on_an_element_and_nothing_is_loaded() -> None:
    drawn = draw_world(topical(60))
    for text in (map_svg(drawn), map_view(drawn)):
        assert not re.search(r"\s(?:style|on\w+)=|<style|<script|<image|url\(", text)
    assert not re.search(r"url\(|@import|<link|<img|src=", map_page(drawn))


def test_a_page_runs_its_own_script_and_no_other() -> None:
    page = map_page(hand_made([EVIL]))
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{allowed}'" in page and "default-src 'none'" in page


def test_every_paper_is_a_named_link_in_the_picture_and_a_row_of_the_table() -> None:
    drawn = draw_world(topical(60))
    root = ElementTree.fromstring(map_svg(drawn))
    links = root.findall(f"{SVG}a")[1:]
    assert len(links) == len(drawn.nodes)
    for place, (link, node) in enumerate(zip(links, drawn.nodes, strict=True)):
        assert link.get("href") == f"#map-paper-{place + 1}"
        title = link.find(f"{SVG}title")
        assert title is not None and (title.text or "").startswith(node.paper.title)
    rows = re.findall(r'<tr id="map-paper-(\d+)">', map_view(drawn))
    assert rows == [str(place + 1) for place in range(len(drawn.nodes))]


def test_links_lead_where_the_caller_says_or_to_the_web_only() -> None:
    drawn = hand_made(["One"])
    own = map_svg(drawn, paper_address=lambda paper: f"/papers/{paper.id}?a=1&b=2")
    assert 'href="/papers/p0?a=1&amp;b=2"' in own
    unsafe = hand_made(["One"])
    for url, shown in (("javascript:alert(1)", "#map-paper-1"), ("https://a.org/x", "https://a")):
        object.__setattr__(unsafe.nodes[0], "paper", Paper("p0", "One", url=url))
        assert f'href="{shown}' in map_svg(unsafe)
        assert ("javascript" in map_view(unsafe)) is False


def test_cited_suggested_and_near_papers_look_different() -> None:
    drawn = draw_world(topical(60))
    svg = map_svg(drawn)
    for kind in ("cited", "suggested", "near"):
        dots = svg.count(f'<circle class="map-{kind}"')
        assert dots == 1 + sum(node.kind == kind for node in drawn.nodes)  # One in the legend.
        assert f".map-{kind} {{" in MAP_CSS


def test_a_paper_has_lines_to_what_it_cites_and_from_what_cites_it() -> None:
    root = ElementTree.fromstring(map_svg(hand_made(["One", "Two", "Three"])))
    lines = [
        [(path.get("class"), path.get("d")) for path in link.findall(f"{SVG}path")]
        for link in root.findall(f"{SVG}a")[1:]
    ]
    assert lines == [
        [("map-lines map-citing", "M100 80L110 80")],
        [("map-lines map-citing", "M110 80L120 80"), ("map-lines", "M110 80L100 80")],
        [("map-lines", "M120 80L110 80")],
    ]


def test_groups_and_gaps_say_how_much_is_cited() -> None:
    drawn = hand_made(["One", "Two"])
    assert "you cite none of 2" in map_svg(drawn)
    assert "You cite none of 2 papers on rivers" in map_view(drawn)
    assert gaps_in_words(drawn) == [
        "You cite none of 2 papers on rivers. Most relevant: One 2000 and Two 2001."
    ]
    assert gaps_in_words(hand_made(["One"]))[0].startswith("You cite none of 1 paper on rivers.")


@each_row(
    ("paper", "name"),
    [
        (Paper("p", "T", year=1999, authors=("Stuart K. Card", "Jock Mackinlay")), "Card 1999"),
        (Paper("p", "T", year=2001, authors=("van der Maaten, Laurens",)), "van der Maaten 2001"),
        (
            Paper("p", "A title that is rather too long for a name"),
            "A title that is rathe\u2026 n.d.",
        ),
        (Paper("p", ""), "Untitled n.d."),
    ],
)
def test_papers_are_named_by_first_author_and_year(paper: Paper, name: str) -> None:
    assert short_name(paper) == name


def test_a_map_is_drawn_once_more_for_a_phone() -> None:
    drawn = draw_world(topical(60))
    small = drawn.framed(SMALL)
    assert [node.paper for node in small.nodes] == [node.paper for node in drawn.nodes]
    assert all(0 < node.x < SMALL.width for node in small.nodes)
    assert drawn.framed(SMALL).framed(WIDE) == drawn
    view = map_view(drawn)
    assert [view.count(f'class="map map-{size}"') for size in ("wide", "small")] == [1, 1]


def test_calm_lines_tie_each_paper_to_the_most_cited_of_its_group() -> None:
    drawn = draw_world(topical(60))
    for one, other in backbone(drawn):
        cited = [drawn.nodes[at] for at in one.links if drawn.nodes[at].group == one.group]
        assert other in cited and other.citations == max(node.citations for node in cited)
