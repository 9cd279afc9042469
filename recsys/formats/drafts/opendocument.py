"""Read a draft written in LibreOffice and its like (.odt): by its styles and headings, as Word's.

The XML is read by `markup.xml_stream`, which bounds its depth and size and refuses entities.
"""

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree.ElementTree import Element

from recsys.errors import DraftError
from recsys.formats.drafts.draft_files import Archive
from recsys.formats.drafts.word_draft import manuscript_of
from recsys.formats.drafts.word_file import (
    LONGEST_PARAGRAPH,
    MOST_FIELDS,
    MOST_PARAGRAPHS,
    Paragraph,
    WordText,
)
from recsys.formats.files import display_name
from recsys.formats.markup.xml_stream import Layout, records
from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.records import Manuscript, Reference

CONTENT, META, KIND = "content.xml", "meta.xml", "mimetype"

_TEXT_KIND = b"application/vnd.oasis.opendocument.text"
_HINT = "Save it again as .odt, or as PDF, Markdown or plain text."
_BODY = Layout(
    frozenset({"text", "style"}),
    passed_over=frozenset(
        "tracked-changes annotation forms sequence-decls variable-decls user-field-decls "
        "table-of-content illustration-index alphabetical-index note-citation image object "
        "master-styles font-face-decls ruby-text".split()
    ),
)
_FACTS = Layout(frozenset({"meta"}))
_SHOWN = {"tab": " ", "line-break": "\n", "s": " "}
_CODED = re.compile(r"_([0-9a-f]{2,4})_")
_PIECE = re.compile(r"(ZOTERO_BREF_\w+?|Mendeley Citation\w*?)_(\d{1,4})\Z")


def read(raw: bytes, path: Path) -> Manuscript:
    """Read a file of OpenDocument.

    Raises:
        DraftError: it is damaged, encrypted, too large, or no text document.
    """
    return read_open_document(Archive(raw, display_name(path)))


def is_open_document(archive: Archive) -> bool:
    """Whether an archive of such files is a text document."""
    if not {CONTENT, KIND} <= archive.names:
        return False
    return archive.read(KIND).startswith(_TEXT_KIND)


def read_open_document(archive: Archive) -> Manuscript:
    """Read a document that is open as an archive; see `read` for what it raises."""
    if not is_open_document(archive):
        raise DraftError(f"{archive.name} is no OpenDocument text.", _HINT)
    elements = list(_elements(archive, CONTENT, _BODY))
    styles = [element for element in elements if element.tag == "style"]
    names = ((style.get("style:name") or "", style) for style in styles)
    walk = _Walk({name: style.get("style:parent-style-name") or name for name, style in names})
    for each in elements:
        if each.tag == "text":
            walk.children(each)
    title, author, kept = _facts(archive)
    document = WordText(
        paragraphs=tuple(walk.paragraphs),
        noted=tuple(walk.noted),
        fields=(*walk.fields, *kept),
        title=title,
        author=author,
    )
    found = manuscript_of(document)
    return replace(found, references=tuple(dict.fromkeys((*found.references, *walk.works))))


def _elements(archive: Archive, name: str, layout: Layout) -> Iterator[Element]:
    for found in records(io.BytesIO(archive.read(name)), layout):
        if isinstance(found, Problem):
            raise DraftError(f"{name} in {archive.name} is damaged: {found.text}", _HINT)
        yield found.element


def _facts(archive: Archive) -> tuple[str, str, tuple[str, ...]]:
    """Return the title, the author, and what reference managers keep in the file's information."""
    if META not in archive.names:
        return "", "", ()
    pieces: dict[str, list[tuple[int, str]]] = {}
    title = author = ""
    for meta in _elements(archive, META, _FACTS):
        title = (meta.findtext("title") or title).strip()
        author = (meta.findtext("initial-creator") or author).strip()
        for kept in meta.iter("user-defined"):
            if piece := _PIECE.match(kept.get("meta:name") or ""):
                pieces.setdefault(piece[1], []).append((int(piece[2]), kept.text or ""))
    fields = tuple("".join(text for _, text in sorted(found)) for found in pieces.values())
    return title, author, fields[:MOST_FIELDS]


@dataclass(slots=True)
class _Walk:
    """A walk through a document, and what has been found so far. styles: name -> its parent."""

    styles: Mapping[str, str]
    paragraphs: list[Paragraph] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    works: list[Reference] = field(default_factory=list)

    def children(self, element: Element) -> None:
        """Go through the children of an element: reading has bounded how deep they go."""
        for child in element:
            if child.tag in ("p", "h") and len(self.paragraphs) < MOST_PARAGRAPHS:
                place = len(self.paragraphs)
                self.paragraphs.append(Paragraph(""))  # Those of a frame within it come after it.
                self.paragraphs[place] = self._paragraph(child)
            elif child.tag not in ("p", "h"):
                self.children(child)

    def _paragraph(self, element: Element) -> Paragraph:
        text = "".join(self._pieces(element))[:LONGEST_PARAGRAPH].strip()
        name = element.get("text:style-name") or ""
        name = self.styles.get(name, name)
        style = _CODED.sub(lambda match: chr(int(match[1], 16)), name).lower()
        level = element.get("text:outline-level") or ("1" if element.tag == "h" else "")
        return Paragraph(text, style, int(level) if level.isdecimal() else None)

    def _pieces(self, element: Element) -> Iterator[str]:
        yield element.text or ""
        for child in element:
            if child.tag in _SHOWN:
                yield _SHOWN[child.tag]
            elif child.tag == "note":
                self.noted.append("".join(child.itertext()).strip())
            elif child.tag == "text-box":
                self.children(child)
            else:
                self._kept(child)
                yield from self._pieces(child)
            yield child.tail or ""

    def _kept(self, element: Element) -> None:
        """Keep what reference managers hide in the text, and the works of its own list."""
        if element.tag in ("reference-mark-start", "reference-mark"):
            if len(self.fields) < MOST_FIELDS:
                self.fields.append(element.get("text:name") or "")
        elif element.tag == "bibliography-mark":
            self.works.append(_work(element))


def _work(mark: Element) -> Reference:
    """Read a work as a bibliography mark describes it."""
    said = {name.rpartition(":")[2]: value for name, value in mark.items()}
    authors = re.split(r"\s*;\s*|\s+and\s+", said.get("author", ""))
    work = Reference(
        key=said.get("identifier", ""),
        title=text_in(said.get("title")),
        authors=names_in(authors),
        year=year_in(said.get("year")),
        venue=text_in(said.get("journal") or said.get("booktitle")),
        url=address_in(said.get("url")),
    )
    return identified(work, said.get("identifier"), said.get("note"))
