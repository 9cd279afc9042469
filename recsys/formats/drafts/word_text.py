"""Get the paragraphs of a document of Word, and what reference managers hide between them."""

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recsys.errors import DraftError
from recsys.extras import need
from recsys.formats.drafts.archive import Archive

if TYPE_CHECKING:
    from docx.opc.part import Part
    from docx.oxml.xmlchemy import BaseOxmlElement
    from docx.package import Package

CONTENT_TYPES = "[Content_Types].xml"
MOST_PARAGRAPHS, LONGEST_PARAGRAPH = 100_000, 100_000
"""Paragraphs that are read, and characters of each."""
MOST_FIELDS = 20_000
DEEPEST_STYLE = 20
"""Styles that are based on one another."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXTS = (f"{_W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t")
_PARAGRAPH, _RUN, _CONTROL = f"{_W}p", f"{_W}r", f"{_W}sdtPr"
_FIELD, _INSTRUCTION = f"{_W}fldChar", f"{_W}instrText"
_KIND, _SIMPLE = f"{_W}fldCharType", f"{_W}instr"
_VANISHED = f"{_W}rPr/{_W}vanish"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_VAL = f"{_W}val"
# What is deleted or moved away, what is said twice, and what is no text.
_PASSED_OVER = frozenset(
    {_FALLBACK, *(f"{_W}{name}" for name in ("del", "moveFrom", "rPr", "pPr", "sectPr", "tblPr"))}
)
_SHOWN = {f"{_W}tab": " ", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_OFF = ("0", "false", "off", "none")
_HINT = "Save it again as .docx, or as PDF, Markdown or plain text."


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph. style: its name in lower case. level: of a heading, from 1; None for text."""

    text: str
    style: str = ""
    level: int | None = None


@dataclass(frozen=True, slots=True)
class WordText:
    """What a document says.

    noted: foot- and endnotes. fields: what reference managers keep in it about what is cited.
    title, author: of the file's own information, empty where unknown.
    """

    paragraphs: tuple[Paragraph, ...]
    noted: tuple[str, ...]
    fields: tuple[str, ...]
    title: str
    author: str


def is_word(names: Set[str]) -> bool:
    """Whether an archive of such files is a document of Word."""
    return CONTENT_TYPES in names and any(name.startswith("word/") for name in names)


def word_text(raw: bytes, archive: Archive) -> WordText:
    """Read a document.

    Raises:
        DraftError: it is damaged, encrypted, too large, or no document of Word.
        MissingExtraError: python-docx is not installed.
    """
    if not is_word(archive.names):
        raise DraftError(f"{archive.name} is no document of Word.", _HINT)
    need("docx", f"Reading {archive.name}")
    archive.check_whole()
    try:
        return _read(raw)
    except (MemoryError, ImportError):
        raise
    except Exception as error:  # python-docx and lxml raise a dozen kinds on what is damaged.
        raise DraftError(
            f"{archive.name} is damaged: it cannot be read as a document of Word.", _HINT
        ) from error


def _read(raw: bytes) -> WordText:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.package import Package

    package: Package = Package.open(io.BytesIO(raw))
    main = package.part_related_by(RELATIONSHIP_TYPE.OFFICE_DOCUMENT)
    styles = {}
    for part in _related(main, RELATIONSHIP_TYPE.STYLES):
        styles = _styles(_root(part))
    body = _walked(_root(main), styles)
    notes = [
        _walked(_root(part), styles)
        for kind in (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES)
        for part in _related(main, kind)
    ]
    title, author = _facts(package, RELATIONSHIP_TYPE.CORE_PROPERTIES)
    return WordText(
        paragraphs=tuple(body.paragraphs),
        noted=tuple(each.text for walk in notes for each in walk.paragraphs),
        fields=tuple(field for walk in (body, *notes) for field in walk.fields),
        title=title,
        author=author,
    )


def _related(part: "Part", kind: str) -> Iterator["Part"]:
    for relation in part.rels.values():
        if relation.reltype == kind and not relation.is_external:
            yield relation.target_part


def _root(part: "Part") -> "BaseOxmlElement":
    """Return the parsed content of a part; python-docx parses those that it knows itself."""
    from docx.oxml.parser import parse_xml

    element: BaseOxmlElement | None = getattr(part, "element", None)
    return parse_xml(part.blob) if element is None else element


def _facts(package: "Package", kind: str) -> tuple[str, str]:
    """Return title and author of the file's own information, which python-docx else makes up."""
    if not any(relation.reltype == kind for relation in package.rels.values()):
        return "", ""
    facts = package.core_properties
    return facts.title or "", facts.author or ""


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    level: int | None
    base: str | None


def _styles(root: "BaseOxmlElement") -> dict[str, _Style]:
    """Read the styles by id: ids are in the author's language, names of built-in ones are not."""
    found = {}
    for style in root.iterchildren(f"{_W}style"):
        name = _value(style, "name").strip().lower()
        level = _value(style, "pPr", "outlineLvl")
        found[style.get(f"{_W}styleId", "")] = _Style(
            name, int(level) + 1 if level.isdecimal() else None, _value(style, "basedOn") or None
        )
    return found


def _value(element: "BaseOxmlElement", *way: str) -> str:
    """Return the value of the element that such names lead to; empty where there is none."""
    found = element.find("/".join(f"{_W}{name}" for name in way))
    return "" if found is None else str(found.get(_VAL, ""))


class _Field:
    """A field that has begun: its instruction comes first, then what it shows."""

    def __init__(self) -> None:
        self.instruction: list[str] = []
        self.shows = False


def _walked(root: "BaseOxmlElement", styles: Mapping[str, _Style]) -> "_Walk":
    """Walk through a part of a document."""
    kinds = Counter(str(each.get(_KIND)) for each in root.iter(_FIELD))
    # One that never ends would hide all the rest.
    walk = _Walk(styles, hide=kinds["begin"] <= kinds["end"])
    walk.children(root)
    return walk


class _Walk:
    """A walk through a part of a document, and what has been found so far."""

    def __init__(self, styles: Mapping[str, _Style], *, hide: bool) -> None:
        self.paragraphs: list[Paragraph] = []
        self.fields: list[str] = []
        self.open_fields: list[_Field] = []
        self._styles = styles
        self._hide = hide
        self._hiding = 0
        self._texts: list[list[str]] = []

    def children(self, element: "BaseOxmlElement") -> None:
        """Go through the children of an element: parsing has bounded how deep they go."""
        for child in element:
            tag = child.tag
            if tag == _PARAGRAPH:
                self._paragraph(child)
            elif tag in _TEXTS:
                self._add(child.text or "")
            elif tag in _SHOWN:
                self._add(_SHOWN[tag])
            elif tag in (_INSTRUCTION, _FIELD):
                self._field(child)
            elif isinstance(tag, str) and tag not in _PASSED_OVER:
                self._inside(child)

    def _inside(self, element: "BaseOxmlElement") -> None:
        """Go into an element that is there for what is in it."""
        if element.tag == _RUN and _is_hidden(element):
            return
        if element.tag == _CONTROL:
            self._keep(_value(element, "tag"))
        self._keep(element.get(_SIMPLE) or "")
        self.children(element)

    def _paragraph(self, element: "BaseOxmlElement") -> None:
        if len(self.paragraphs) >= MOST_PARAGRAPHS:
            return
        place = len(self.paragraphs)
        self.paragraphs.append(Paragraph(""))  # Those of a text box within it come after it.
        self._texts.append([])
        self.children(element)
        text = "".join(self._texts.pop())[:LONGEST_PARAGRAPH].strip()
        style, level = self._style(_value(element, "pPr", "pStyle"))
        own = _value(element, "pPr", "outlineLvl")
        level = int(own) + 1 if own.isdecimal() else level
        level = level if level is not None and 1 <= level <= 9 else None
        self.paragraphs[place] = Paragraph(text, style, level)

    def _style(self, name: str) -> tuple[str, int | None]:
        """Return a style's name, and the level of the heading that it or one that it rests on is.

        A style that nothing describes is known by its id.
        """
        style = self._styles.get(name)
        shown = style.name if style else name.lower()
        at = style
        for _ in range(DEEPEST_STYLE):
            if at is None:
                break
            if at.level is not None:
                return shown, at.level
            if (level := _level(at.name)) is not None:
                return shown, level
            at = self._styles.get(at.base or "")
        return shown, _level(shown)

    def _add(self, text: str) -> None:
        if self._texts and not (self._hide and self._hiding):
            self._texts[-1].append(text)

    def _field(self, element: "BaseOxmlElement") -> None:
        kind = element.get(_KIND)
        if kind == "begin":
            self.open_fields.append(_Field())
            self._hiding += 1
            self._keep_data(element)
        elif not self.open_fields:
            return
        elif element.tag == _INSTRUCTION:
            self.open_fields[-1].instruction.append(element.text or "")
        elif kind in ("separate", "end"):
            self._hiding -= not self.open_fields[-1].shows
            self.open_fields[-1].shows = True
        if kind == "end":
            self._keep("".join(self.open_fields.pop().instruction))

    def _keep_data(self, element: "BaseOxmlElement") -> None:
        """Keep what EndNote encodes beside the instruction."""
        data = element.find(f"{_W}fldData")
        self._keep((data.text or "") if data is not None else "")

    def _keep(self, field: str) -> None:
        if field and len(self.fields) < MOST_FIELDS:
            self.fields.append(field)


def _is_hidden(run: "BaseOxmlElement") -> bool:
    hidden = run.find(_VANISHED)
    return hidden is not None and hidden.get(_VAL) not in _OFF


def _level(style: str) -> int | None:
    """Return the level of a built-in style: "heading 2", or its id "Heading2"."""
    number = style.removeprefix("heading").strip()
    return int(number) if style.startswith("heading") and number in tuple("123456789") else None
