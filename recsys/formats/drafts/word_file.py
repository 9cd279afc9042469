"""Take documents of word processors apart: styles, paragraphs, and what is anchored in them.

Word's are read by python-docx, those of LibreOffice and its like (.odt) by `markup.xml_stream`,
which bounds their depth and size and refuses entities.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from recsys.errors import DraftError, need
from recsys.formats.drafts.draft_files import Archive
from recsys.formats.markup.xml_stream import Layout, records
from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import people_in
from recsys.records import Reference

if TYPE_CHECKING:
    from docx.opc.part import Part
    from docx.oxml.xmlchemy import BaseOxmlElement

DEEPEST_STYLE = 20
"""Styles that are based on one another."""
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
VAL = f"{W}val"

MOST_PARAGRAPHS, LONGEST_PARAGRAPH = 100_000, 100_000
"""Paragraphs that are read, and characters of each."""
MOST_FIELDS = 20_000

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
_ID = f"{W}id"
_OFF = ("0", "false", "off", "none")
_BESIDE = (f"{W}tbl", f"{W}txbxContent")
_GALLERY = f"{W}docPartObj/{W}docPartGallery"
_REFERENCES = {f"{W}{kind}Reference": kind for kind in ("comment", "footnote", "endnote")}
_BUILT_IN_HEADING = re.compile(r"heading\s*([1-9])\s*")
_LISTS = re.compile(
    r"ZOTERO_BIBL|CSL_BIBLIOGRAPHY|MENDELEY_BIBLIOGRAPHY|EN\.REFLIST|CitaviBibliography|"
    r"Bibliographies\Z|Table of Contents\Z|\s*(?:ADDIN )?(?:BIBLIOGRAPHY|TOC|INDEX|RD|TOA)\b"
)
"""Fields and controls that show a list of what the text names, not text."""
_CITES = "MENDELEY_CITATION"
_LONGEST_SIGN = 200
"""Characters of a field among which the sign of a list stands."""

CONTENT_TYPES = "[Content_Types].xml"
_HINT = "Save it again as .docx, or as PDF, Markdown or plain text."

CONTENT, META, KIND = "content.xml", "meta.xml", "mimetype"
_TEXT_KIND = b"application/vnd.oasis.opendocument.text"
_OPEN_HINT = "Save it again as .odt, or as PDF, Markdown or plain text."
_BODY = Layout(
    frozenset({"text", "style"}),
    passed_over=frozenset(
        "tracked-changes annotation forms sequence-decls variable-decls user-field-decls "
        "table-of-content illustration-index alphabetical-index note-citation image object "
        "master-styles font-face-decls ruby-text".split()
    ),
)
_FACTS = Layout(frozenset({"meta"}))
_OPEN_SHOWN = {"tab": " ", "line-break": "\n", "s": " "}
_CODED = re.compile(r"_([0-9a-f]{2,4})_")
_PIECE = re.compile(r"(ZOTERO_BREF_\w+?|Mendeley Citation\w*?)_(\d{1,4})\Z")


@dataclass(frozen=True, slots=True)
class Style:
    """A style. name: in lower case. level: of a heading. base: the id of what it rests on."""

    name: str
    level: int | None
    base: str | None


def styles_of(root: "BaseOxmlElement") -> dict[str, Style]:
    """Read the styles by id: ids are in the author's language, names of built-in ones are not."""
    styles = {}
    for style in root.iterchildren(f"{W}style"):
        name = value_of(style, "name").strip().lower()
        level = value_of(style, "pPr", "outlineLvl")
        styles[style.get(f"{W}styleId", "")] = Style(
            name, int(level) + 1 if level.isdecimal() else None, value_of(style, "basedOn") or None
        )
    return styles


def value_of(element: "BaseOxmlElement", *way: str) -> str:
    """Return the value of the element that such names lead to; empty where there is none."""
    child = element.find("/".join(f"{W}{name}" for name in way))
    return "" if child is None else str(child.get(VAL, ""))


def style_of(styles: Mapping[str, Style], name: str) -> tuple[str, int | None]:
    """Return a style's name, and the level of the heading that it or one that it rests on is.

    A style that nothing describes is known by its id: "Heading2" is "heading 2".
    """
    style = styles.get(name) or Style(name.lower(), None, None)
    shown, level = style.name, None
    for _ in range(DEEPEST_STYLE):
        heading = _BUILT_IN_HEADING.fullmatch(style.name)
        level = int(heading[1]) if heading and style.level is None else style.level
        base = styles.get(style.base or "")
        if level is not None or base is None:
            break
        style = base
    return shown, level


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

    place: the paragraph and the character in it where it began. data: what is kept beside it.
    """

    place: tuple[_Open | None, int]
    data: str
    instruction: str = ""
    shows: bool = False


class Walk:
    """A walk through a part of a document: its paragraphs, and what its fields say."""

    def __init__(self, root: "BaseOxmlElement", styles: Mapping[str, Style]) -> None:
        """Walk through all that is in an element."""
        self.paragraphs: list[Paragraph] = []
        self.fields: list[str] = []
        self._fields: list[_Field] = []
        self._listing = 0  # Of these, how many show a list.
        self._styles = styles
        kinds = Counter(str(field.get(_KIND)) for field in root.iter(_FIELD))
        # Instructions of fields are left out; a field that never ends would hide all the rest.
        self._hide = kinds["begin"] <= kinds["end"]
        self._hiding = 0
        self._open: list[_Open] = []
        self._boxes = 0
        self._lists = 0
        self.children(root)

    def children(self, element: "BaseOxmlElement") -> None:
        """Go through the children of an element: parsing has bounded how deep they go."""
        for child in element:
            tag = child.tag
            if tag == _PARAGRAPH:
                self._paragraph(child)
            elif tag in _TEXTS or tag in _SHOWN:
                if self._open and not (self._hide and self._hiding):
                    text = _SHOWN.get(tag, child.text or "")
                    self._open[-1].parts.append(text)
                    self._open[-1].length += len(text)
            elif tag in (_INSTRUCTION, _FIELD):
                self._field(child)
            elif tag in _REFERENCES:
                self._anchor(self._place(), f"{_REFERENCES[tag]} {child.get(_ID)}")
            elif tag == _CONTROLLED:
                self._controlled(child)
            elif isinstance(tag, str) and tag not in _PASSED_OVER:
                self._inside(child)

    def _inside(self, element: "BaseOxmlElement") -> None:
        """Go into an element that is there for what is in it."""
        hidden = element.find(_VANISHED) if element.tag == _RUN else None
        if hidden is not None and hidden.get(VAL) not in _OFF:
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
        self._open.append(_Open(listed=self._lists + self._listing > 0))
        self.children(element)
        read = self._open.pop()
        whole = "".join(read.parts)[:LONGEST_PARAGRAPH]
        text = whole.strip()
        lead = len(whole) - len(whole.lstrip())
        style, level = style_of(self._styles, value_of(element, "pPr", "pStyle"))
        own = value_of(element, "pPr", "outlineLvl")
        level = int(own) + 1 if own.isdecimal() else level
        level = level if level is not None and 1 <= level <= 9 else None

        def moved(at: int) -> int:
            return min(max(at - lead, 0), len(text))  # From where the text begins.

        anchors = tuple(Anchor(moved(at.begin), moved(at.end), at.said) for at in read.anchors)
        self.paragraphs[place] = Paragraph(
            text, style, level, lead, self._boxes > 0, read.listed, anchors
        )

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
            data = element.findtext(f"{W}fldData") or ""  # What EndNote encodes.
            self._keep(data)
            self._fields.append(_Field(self._place(), data))
            self._hiding += 1
        if kind == "begin" or not self._fields:
            return
        field = self._fields[-1]
        if element.tag == _INSTRUCTION:
            self._listing -= _is_list(field.instruction)
            field.instruction += element.text or ""
            self._listing += _is_list(field.instruction)
        elif kind in ("separate", "end"):
            self._hiding -= not field.shows
            field.shows = True
            if self._open and _is_list(field.instruction):
                self._open[-1].listed = True
        if kind == "end":
            self._fields.pop()
            self._listing -= _is_list(field.instruction)
            self._keep(field.instruction)
            self._anchor(field.place, field.instruction, field.data)

    def _keep(self, said: str) -> None:
        if said and len(self.fields) < MOST_FIELDS:
            self.fields.append(said)


def _is_list(said: str) -> bool:
    return bool(_LISTS.search(said[:_LONGEST_SIGN]))


@dataclass(frozen=True, slots=True)
class WordText:
    """What a document says.

    noted: foot- and endnotes. fields: what reference managers keep in it about what is cited.
    title, author: of the file's own information, empty where unknown. remarks: the words of
    comments, and note_fields the fields in notes, by what anchors them (`word_walk.Anchor`).
    sources: files that programs keep in it; one may be Word's own list of works. works: those that
    it describes in its text.
    """

    paragraphs: tuple[Paragraph, ...]
    noted: tuple[str, ...]
    fields: tuple[str, ...]
    title: str
    author: str
    remarks: Mapping[str, str] = field(default_factory=dict)
    note_fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: tuple[bytes, ...] = ()
    works: tuple[Reference, ...] = ()


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
        raise DraftError(f"{archive.name} is not a Word document.", _HINT)
    need("docx", f"Reading {archive.name}")
    archive.check_whole()
    try:
        return _word_text(raw)
    except (MemoryError, ImportError):
        raise
    except Exception as error:  # python-docx and lxml raise a dozen kinds on what is damaged.
        raise DraftError(
            f"{archive.name} is damaged: it cannot be read as a document of Word.", _HINT
        ) from error


def _word_text(raw: bytes) -> WordText:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.package import Package

    package: Package = Package.open(io.BytesIO(raw))
    main = package.part_related_by(RELATIONSHIP_TYPE.OFFICE_DOCUMENT)
    styles = dict[str, Style]()
    for part in _related(main, RELATIONSHIP_TYPE.STYLES):
        styles = styles_of(_root(part))

    def walks(kind: str) -> dict[str, Walk]:
        """Walk through notes or comments, each by what anchors it in the text."""
        return {
            f"{piece.tag.rpartition('}')[2]} {piece.get(_ID, number)}": Walk(piece, styles)
            for part in _related(main, kind)
            for number, piece in enumerate(_root(part).iterchildren(tag="{*}*"))
        }

    body = Walk(_root(main), styles)
    notes = walks(RELATIONSHIP_TYPE.FOOTNOTES) | walks(RELATIONSHIP_TYPE.ENDNOTES)
    remarks = walks(RELATIONSHIP_TYPE.COMMENTS)
    # Without these, python-docx makes title and author up.
    kinds = {relation.reltype for relation in package.rels.values()}
    facts = package.core_properties if RELATIONSHIP_TYPE.CORE_PROPERTIES in kinds else None
    return WordText(
        paragraphs=tuple(body.paragraphs),
        noted=tuple(part.text for walk in notes.values() for part in walk.paragraphs),
        fields=tuple(said for walk in (body, *notes.values()) for said in walk.fields),
        title=facts.title or "" if facts else "",
        author=facts.author or "" if facts else "",
        remarks={
            at: " ".join(part.text for part in walk.paragraphs) for at, walk in remarks.items()
        },
        note_fields={at: tuple(walk.fields) for at, walk in notes.items()},
        sources=tuple(part.blob for part in _related(main, RELATIONSHIP_TYPE.CUSTOM_XML)),
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


def is_open_document(archive: Archive) -> bool:
    """Whether an archive of such files is a text document."""
    named = {CONTENT, KIND} <= archive.names
    return named and archive.read(KIND).startswith(_TEXT_KIND)


def open_document_text(archive: Archive) -> WordText:
    """Read a document of LibreOffice and its like.

    Raises:
        DraftError: it is damaged, encrypted, too large, or no text document.
    """
    if not is_open_document(archive):
        raise DraftError(f"{archive.name} is not an OpenDocument text.", _OPEN_HINT)
    elements = list(_elements(archive, CONTENT, _BODY))
    styles = [element for element in elements if element.tag == "style"]
    names = ((style.get("style:name") or "", style) for style in styles)
    walk = _OpenWalk({name: style.get("style:parent-style-name") or name for name, style in names})
    for element in elements:
        if element.tag == "text":
            walk.children(element)
    title = author = ""
    kept: dict[str, list[tuple[int, str]]] = {}  # In pieces, by reference managers.
    for meta in _elements(archive, META, _FACTS) if META in archive.names else ():
        title = (meta.findtext("title") or title).strip()
        author = (meta.findtext("initial-creator") or author).strip()
        for fact in meta.iter("user-defined"):
            if piece := _PIECE.match(fact.get("meta:name") or ""):
                kept.setdefault(piece[1], []).append((int(piece[2]), fact.text or ""))
    fields = ["".join(text for _, text in sorted(pieces)) for pieces in kept.values()]
    return WordText(
        paragraphs=tuple(walk.paragraphs),
        noted=tuple(walk.noted),
        fields=(*walk.fields, *fields[:MOST_FIELDS]),
        title=title,
        author=author,
        works=tuple(walk.works),
    )


def _elements(archive: Archive, name: str, layout: Layout) -> Iterator[Element]:
    for record in records(io.BytesIO(archive.read(name)), layout):
        if isinstance(record, Problem):
            raise DraftError(f"{name} in {archive.name} is damaged: {record.text}", _OPEN_HINT)
        yield record.element


class _OpenWalk:
    """A walk through a document, and what has been found so far."""

    def __init__(self, styles: Mapping[str, str]) -> None:
        """Begin; styles: name -> its parent."""
        self.styles = styles
        self.paragraphs: list[Paragraph] = []
        self.noted: list[str] = []
        self.fields: list[str] = []
        self.works: list[Reference] = []

    def children(self, element: Element) -> None:
        """Go through the children of an element: reading has bounded how deep they go."""
        for child in element:
            if child.tag not in ("p", "h"):
                self.children(child)
            elif len(self.paragraphs) < MOST_PARAGRAPHS:
                place = len(self.paragraphs)
                self.paragraphs.append(Paragraph(""))  # Those of a frame within it come after it.
                text = "".join(self._pieces(child))[:LONGEST_PARAGRAPH].strip()
                name = child.get("text:style-name") or ""
                name = self.styles.get(name, name)
                style = _CODED.sub(lambda match: chr(int(match[1], 16)), name).lower()
                level = child.get("text:outline-level") or ("1" if child.tag == "h" else "")
                self.paragraphs[place] = Paragraph(
                    text, style, int(level) if level.isdecimal() else None
                )

    def _pieces(self, element: Element) -> Iterator[str]:
        """Yield the text; keep what reference managers hide in it, and works that it describes."""
        yield element.text or ""
        for child in element:
            if child.tag in _OPEN_SHOWN:
                yield _OPEN_SHOWN[child.tag]
            elif child.tag == "note":
                self.noted.append("".join(child.itertext()).strip())
            elif child.tag == "text-box":
                self.children(child)
            else:
                if child.tag in ("reference-mark-start", "reference-mark"):
                    if len(self.fields) < MOST_FIELDS:
                        self.fields.append(child.get("text:name") or "")
                elif child.tag == "bibliography-mark":
                    said = {name.rpartition(":")[2]: value for name, value in child.items()}
                    work = Reference(
                        key=said.get("identifier", ""),
                        title=text_in(said.get("title")),
                        authors=names_in(people_in(said.get("author", "")).spoken),
                        year=year_in(said.get("year")),
                        venue=text_in(said.get("journal") or said.get("booktitle")),
                        url=address_in(said.get("url")),
                    )
                    self.works.append(identified(work, said.get("identifier"), said.get("note")))
                yield from self._pieces(child)
            yield child.tail or ""
