"""Walk through a part of a document of Word: its paragraphs, and what is anchored in them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recsys.formats.word.word_styles import VAL, Style, W, style_of, value_of

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement

MOST_PARAGRAPHS, LONGEST_PARAGRAPH = 100_000, 100_000
"""Paragraphs that are read, and characters of each."""
MOST_FIELDS = 20_000
ID = f"{W}id"

_TEXTS = (f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t")
_PARAGRAPH, _RUN = f"{W}p", f"{W}r"
_CONTROLLED, _CONTROL = f"{W}sdt", f"{W}sdtPr"
_FIELD, _INSTRUCTION = f"{W}fldChar", f"{W}instrText"
_KIND, _SIMPLE = f"{W}fldCharType", f"{W}instr"
_VANISHED = f"{W}rPr/{W}vanish"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# What is deleted or moved away, what is said twice, and what is no text.
_PASSED_OVER = frozenset(
    {_FALLBACK, *(f"{W}{name}" for name in ("del", "moveFrom", "rPr", "pPr", "sectPr", "tblPr"))}
)
_SHOWN = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_OFF = ("0", "false", "off", "none")
_BESIDE = (f"{W}tbl", f"{W}txbxContent")
_GALLERY = f"{W}docPartObj/{W}docPartGallery"
_REFERENCES = {f"{W}{kind}Reference": kind for kind in ("comment", "footnote", "endnote")}
_LISTS = re.compile(
    r"ZOTERO_BIBL|CSL_BIBLIOGRAPHY|MENDELEY_BIBLIOGRAPHY|EN\.REFLIST|CitaviBibliography|"
    r"Bibliographies\Z|Table of Contents\Z|\s*(?:ADDIN )?(?:BIBLIOGRAPHY|TOC|INDEX|RD|TOA)\b"
)
"""Fields and controls that show a list of what the text names, not text."""
_CITES = "MENDELEY_CITATION"
_LONGEST_SIGN = 200
"""Characters of a field among which the sign of a list stands."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a field shows something in a paragraph, or a comment or note is anchored.

    begin, end: characters of the paragraph. said: the field's instruction and data; or "comment",
    "footnote" or "endnote" and its id, as in "comment 3".
    """

    begin: int
    end: int
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph. style: its name in lower case. level: of a heading, from 1; None for text.

    lead: how many characters of white space stood before its text. boxed: whether it stands in a
    table or a text box. listed: whether a program made it as a part of a list of works or contents.
    """

    text: str
    style: str = ""
    level: int | None = None
    lead: int = 0
    boxed: bool = False
    listed: bool = False
    anchors: tuple[Anchor, ...] = ()


@dataclass(slots=True)
class _Open:
    """A paragraph that is being read."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    anchors: list[Anchor] = field(default_factory=list)
    listed: bool = False


@dataclass(slots=True)
class _Field:
    """A field that has begun: its instruction comes first, then what it shows.

    within, begin: the paragraph and the place in it where it began. data: what is kept beside it.
    """

    within: _Open | None
    begin: int
    data: str
    instruction: list[str] = field(default_factory=list)
    shows: bool = False


def walked(root: "BaseOxmlElement", styles: Mapping[str, Style]) -> "Walk":
    """Walk through a part of a document."""
    kinds = Counter(str(each.get(_KIND)) for each in root.iter(_FIELD))
    # One that never ends would hide all the rest.
    walk = Walk(styles, hide=kinds["begin"] <= kinds["end"])
    walk.children(root)
    return walk


class Walk:
    """A walk through a part of a document, and what has been found so far."""

    def __init__(self, styles: Mapping[str, Style], *, hide: bool) -> None:
        """Begin; hide: whether to leave out the instructions of fields."""
        self.paragraphs: list[Paragraph] = []
        self.fields: list[str] = []
        self._fields: list[_Field] = []
        self._styles = styles
        self._hide = hide
        self._hiding = 0
        self._open: list[_Open] = []
        self._boxes = 0
        self._lists = 0

    def children(self, element: "BaseOxmlElement") -> None:
        """Go through the children of an element: parsing has bounded how deep they go."""
        for child in element:
            tag = child.tag
            if tag == _PARAGRAPH:
                self._paragraph(child)
            elif tag in _TEXTS or tag in _SHOWN:
                self._add(_SHOWN.get(tag, child.text or ""))
            elif tag in (_INSTRUCTION, _FIELD):
                self._field(child)
            elif tag in _REFERENCES:
                self._anchor(self._place(), f"{_REFERENCES[tag]} {child.get(ID)}")
            elif tag == _CONTROLLED:
                self._controlled(child)
            elif isinstance(tag, str) and tag not in _PASSED_OVER:
                self._inside(child)

    def _inside(self, element: "BaseOxmlElement") -> None:
        """Go into an element that is there for what is in it."""
        if element.tag == _RUN and _is_hidden(element):
            return
        instruction = element.get(_SIMPLE) or ""
        self._keep(instruction)
        place = self._place()
        self._within(element, boxed=element.tag in _BESIDE, listed=_is_list(instruction))
        if instruction:
            self._anchor(place, instruction)

    def _controlled(self, element: "BaseOxmlElement") -> None:
        """Go into a control, whose properties say what it shows."""
        properties = element.find(_CONTROL)
        tag = "" if properties is None else value_of(properties, "tag")
        gallery = None if properties is None else properties.find(_GALLERY)
        self._keep(tag)
        place = self._place()
        listed = _is_list(tag) or (gallery is not None and _is_list(str(gallery.get(VAL))))
        self._within(element, boxed=False, listed=listed)
        if tag.startswith(_CITES):
            self._anchor(place, tag)

    def _within(self, element: "BaseOxmlElement", *, boxed: bool, listed: bool) -> None:
        self._boxes += boxed
        self._lists += listed
        self.children(element)
        self._boxes -= boxed
        self._lists -= listed

    def _paragraph(self, element: "BaseOxmlElement") -> None:
        if len(self.paragraphs) >= MOST_PARAGRAPHS:
            return
        place = len(self.paragraphs)
        self.paragraphs.append(Paragraph(""))  # Those of a text box within it come after it.
        self._open.append(_Open(listed=self._is_listed()))
        self.children(element)
        read = self._open.pop()
        whole = "".join(read.parts)[:LONGEST_PARAGRAPH]
        text = whole.strip()
        lead = len(whole) - len(whole.lstrip())
        style, level = style_of(self._styles, value_of(element, "pPr", "pStyle"))
        own = value_of(element, "pPr", "outlineLvl")
        level = int(own) + 1 if own.isdecimal() else level
        level = level if level is not None and 1 <= level <= 9 else None
        anchors = _moved(read.anchors, lead, len(text))
        self.paragraphs[place] = Paragraph(
            text, style, level, lead, self._boxes > 0, read.listed, anchors
        )

    def _is_listed(self) -> bool:
        return self._lists > 0 or any(_is_list("".join(each.instruction)) for each in self._fields)

    def _add(self, text: str) -> None:
        if self._open and not (self._hide and self._hiding):
            self._open[-1].parts.append(text)
            self._open[-1].length += len(text)

    def _place(self) -> tuple[_Open | None, int]:
        """Return the paragraph that is being read, and how far it is."""
        return (self._open[-1], self._open[-1].length) if self._open else (None, 0)

    def _anchor(self, place: tuple[_Open | None, int], *said: str) -> None:
        """Note what has begun at a place and ends here, where that is one paragraph."""
        within, begin = place
        if within is not None and self._open and within is self._open[-1]:
            within.anchors.append(Anchor(begin, within.length, tuple(filter(None, said))))

    def _field(self, element: "BaseOxmlElement") -> None:
        kind = element.get(_KIND)
        if kind == "begin":
            self._fields.append(_Field(*self._place(), data=self._data(element)))
            self._hiding += 1
        elif not self._fields:
            return
        elif element.tag == _INSTRUCTION:
            self._fields[-1].instruction.append(element.text or "")
        elif kind in ("separate", "end"):
            self._hiding -= not self._fields[-1].shows
            self._fields[-1].shows = True
            if self._open and _is_list("".join(self._fields[-1].instruction)):
                self._open[-1].listed = True
        if kind == "end":
            ended = self._fields.pop()
            instruction = "".join(ended.instruction)
            self._keep(instruction)
            self._anchor((ended.within, ended.begin), instruction, ended.data)

    def _data(self, element: "BaseOxmlElement") -> str:
        """Keep what EndNote encodes beside the instruction."""
        data = element.find(f"{W}fldData")
        text = (data.text or "") if data is not None else ""
        self._keep(text)
        return text

    def _keep(self, said: str) -> None:
        if said and len(self.fields) < MOST_FIELDS:
            self.fields.append(said)


def _is_list(said: str) -> bool:
    return bool(_LISTS.search(said[:_LONGEST_SIGN]))


def _moved(anchors: Sequence[Anchor], lead: int, length: int) -> tuple[Anchor, ...]:
    """Count the places of anchors from where the text begins."""
    return tuple(
        Anchor(min(max(at.begin - lead, 0), length), min(max(at.end - lead, 0), length), at.said)
        for at in anchors
    )


def _is_hidden(run: "BaseOxmlElement") -> bool:
    hidden = run.find(_VANISHED)
    return hidden is not None and hidden.get(VAL) not in _OFF
