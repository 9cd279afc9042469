"""Read a page strictly: elements closed in order, and what its form would send."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta", "rect", "circle", "path", "line", "polygon"}
"""Elements without an end; those of SVG stand among them as they are written here."""


@dataclass
class Element:
    """An element: its attributes, and the texts and elements that it holds, in order."""

    name: str
    attributes: dict[str, str]
    content: "list[Element | str]" = field(default_factory=list)

    @property
    def children(self) -> "list[Element]":
        """The elements directly inside."""
        return [each for each in self.content if isinstance(each, Element)]

    @property
    def text(self) -> str:
        """The text directly inside."""
        return "".join(each for each in self.content if isinstance(each, str))

    def all(self, *names: str) -> "Iterator[Element]":
        """Walk through it and what it holds; of these names only, where some are given."""
        if not names or self.name in names:
            yield self
        for child in self.children:
            yield from child.all(*names)

    def one(self, name: str) -> "Element":
        """Find the only element of a name."""
        (found,) = self.all(name)
        return found

    def words(self) -> str:
        """Join all text inside, white space collapsed."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> "Iterator[str]":
        for each in self.content:
            if isinstance(each, str):
                yield each
            else:
                yield from each._texts()


class Reader(HTMLParser):
    """Builds the tree; refuses what is not closed, or closed twice."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        assert len(attributes) == len(attrs), f"an attribute twice in {self.get_starttag_text()}"
        element = Element(tag, attributes)
        self.open[-1].content.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def read(page: str) -> Element:
    """Read a whole page."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root


def sent(form: Element) -> list[tuple[str, str]]:
    """List what a form sends without a press on any of its buttons, in order."""
    return [pair for each in form.all() for pair in _values(each)]


def _values(element: Element) -> Iterator[tuple[str, str]]:
    given = element.attributes
    name = given.get("name", "")
    if element.name == "textarea":
        # The first line end inside belongs to the mark-up.
        yield name, element.text.removeprefix("\n")
    elif element.name == "select":
        chosen = [each for each in element.all("option") if "selected" in each.attributes]
        yield name, (chosen or list(element.all("option")))[0].attributes["value"]
    elif element.name == "input" and given.get("type") != "file":
        if given.get("type") != "checkbox" or "checked" in given:
            yield name, given.get("value", "")


def forms(page: str, action: str) -> list[Element]:
    """Return the forms of a page that send to an address."""
    return [each for each in read(page).all("form") if each.attributes["action"] == action]
