"""Picture, table and page: everything is escaped, linked, and there in both."""

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from recsys.mapping import MAP_CSS, map_file, map_gaps, map_page, map_svg, map_table
from recsys.records import Paper
from tests.recsys.mapping.drawn_worlds import draw_world, hand_made, topical

EVIL = '<script>alert("1")</script> & \' \x00 \u202e'
SVG = "{http://www.w3.org/2000/svg}"


@given(st.text(max_size=60), st.text(min_size=1, max_size=60))
def test_any_title_and_label_gives_sound_xml(title: str, label: str) -> None:
    drawn = hand_made([title, EVIL], label=label)
    root = ElementTree.fromstring(map_file(drawn))
    assert len(root.findall(f"{SVG}a")) == 3  # The draft is a link, too.
    ElementTree.fromstring(map_table(drawn))
    ElementTree.fromstring(map_gaps(drawn))


def test_markup_in_titles_stays_text() -> None:
    page = map_page(hand_made([EVIL], label=EVIL))
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "\x00" not in page and "\u202e" not in page


def test_no_style_stands_on_an_element_and_nothing_is_loaded_or_run() -> None:
    drawn = draw_world(topical(60))
    for text in (map_svg(drawn), map_table(drawn), map_gaps(drawn)):
        assert not re.search(r"\s(?:style|on\w+)=|<style|<script|<image|url\(", text)
    assert not re.search(r"url\(|@import|<script|<link|<img", map_page(drawn))


def test_every_paper_is_a_named_link_in_the_picture_and_a_row_of_the_table() -> None:
    drawn = draw_world(topical(60))
    root = ElementTree.fromstring(map_svg(drawn))
    links = root.findall(f"{SVG}a")[1:]
    assert len(links) == len(drawn.nodes)
    for place, (link, node) in enumerate(zip(links, drawn.nodes, strict=True)):
        assert link.get("href") == f"#map-paper-{place + 1}"
        title = link.find(f"{SVG}title")
        assert title is not None and (title.text or "").startswith(node.paper.title)
    rows = re.findall(r'<tr id="map-paper-(\d+)">', map_table(drawn))
    assert rows == [str(place + 1) for place in range(len(drawn.nodes))]


def test_links_lead_where_the_caller_says_or_to_the_web_only() -> None:
    drawn = hand_made(["One"])
    own = map_svg(drawn, paper_address=lambda paper: f"/papers/{paper.id}?a=1&b=2")
    assert 'href="/papers/p0?a=1&amp;b=2"' in own
    unsafe = hand_made(["One"])
    for url, shown in (("javascript:alert(1)", "#map-paper-1"), ("https://a.org/x", "https://a")):
        object.__setattr__(unsafe.nodes[0], "paper", Paper("p0", "One", url=url))
        assert f'href="{shown}' in map_svg(unsafe)
        assert ("javascript" in map_table(unsafe)) is False


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


def test_groups_say_what_is_near_and_what_is_cited() -> None:
    drawn = hand_made(["One", "Two"])
    for text in (map_svg(drawn), map_table(drawn), map_gaps(drawn)):
        assert "2 near papers, you cite 0" in text
    assert "1 near paper, you cite 0" in map_svg(hand_made(["One"]))
