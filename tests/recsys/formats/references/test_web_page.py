from html.parser import HTMLParser

from recsys.formats.references.web_page import web_page
from recsys.records import Paper

EMPTY = {"meta", "link", "br"}


class Outline(HTMLParser):
    """Check that elements are closed in order; collect the text and the attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    assert found.open == []
    return found


def test_a_page_is_whole_and_needs_nothing_else(specter: Paper, bare: Paper) -> None:
    page = web_page([specter, bare])
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    tags = outline(page).seen
    assert {tag for tag, _ in tags}.isdisjoint({"script", "link", "img", "iframe"})
    assert not any("src" in attributes for _, attributes in tags)
    assert "url(" not in page


def test_notes_stand_below_their_paper(specter: Paper, bare: Paper) -> None:
    text = outline(web_page([specter, bare], notes=[["93 %", "cited by 4"], []])).text
    assert text.index("SPECTER") < text.index("cited by 4") < text.index("On nothing")


def test_mark_up_in_papers_and_notes_is_text() -> None:
    nasty = '<script>alert("1")</script>&amp;\u202e\x1b'
    paper = Paper("x", nasty, authors=(nasty,), venue=nasty, url=f"https://a.org/{nasty}")
    page = web_page([paper], notes=[[nasty]], heading=nasty)
    found = outline(page)
    assert "script" not in {tag for tag, _ in found.seen}
    assert found.text.count('<script>alert("1")</script>&amp;') == 6  # The heading twice.
    assert "\u202e" not in page
    assert "\x1b" not in page
