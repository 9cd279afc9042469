"""Know the styles of a document of Word: their names, and which of them are headings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement

DEEPEST_STYLE = 20
"""Styles that are based on one another."""
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
VAL = f"{W}val"


@dataclass(frozen=True, slots=True)
class Style:
    """A style. name: in lower case. level: of a heading. base: the id of what it rests on."""

    name: str
    level: int | None
    base: str | None


def styles_of(root: "BaseOxmlElement") -> dict[str, Style]:
    """Read the styles by id: ids are in the author's language, names of built-in ones are not."""
    found = {}
    for style in root.iterchildren(f"{W}style"):
        name = value_of(style, "name").strip().lower()
        level = value_of(style, "pPr", "outlineLvl")
        found[style.get(f"{W}styleId", "")] = Style(
            name, int(level) + 1 if level.isdecimal() else None, value_of(style, "basedOn") or None
        )
    return found


def value_of(element: "BaseOxmlElement", *way: str) -> str:
    """Return the value of the element that such names lead to; empty where there is none."""
    found = element.find("/".join(f"{W}{name}" for name in way))
    return "" if found is None else str(found.get(VAL, ""))


def style_of(styles: Mapping[str, Style], name: str) -> tuple[str, int | None]:
    """Return a style's name, and the level of the heading that it or one that it rests on is.

    A style that nothing describes is known by its id.
    """
    style = styles.get(name)
    shown = style.name if style else name.lower()
    at = style
    for _ in range(DEEPEST_STYLE):
        if at is None:
            break
        if at.level is not None:
            return shown, at.level
        if (level := _level(at.name)) is not None:
            return shown, level
        at = styles.get(at.base or "")
    return shown, _level(shown)


def _level(style: str) -> int | None:
    """Return the level of a built-in style: "heading 2", or its id "Heading2"."""
    number = style.removeprefix("heading").strip()
    return int(number) if style.startswith("heading") and number in tuple("123456789") else None
