"""Get the paragraphs of a document of Word, and what reference managers hide between them."""

import io
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recsys.errors import DraftError
from recsys.extras import need
from recsys.formats.drafts.archive import Archive
from recsys.formats.word.word_styles import Style, styles_of
from recsys.formats.word.word_walk import ID, Paragraph, Walk, walked

if TYPE_CHECKING:
    from docx.opc.part import Part
    from docx.oxml.xmlchemy import BaseOxmlElement
    from docx.package import Package

CONTENT_TYPES = "[Content_Types].xml"
_HINT = "Save it again as .docx, or as PDF, Markdown or plain text."


@dataclass(frozen=True, slots=True)
class WordText:
    """What a document says.

    noted: foot- and endnotes. fields: what reference managers keep in it about what is cited.
    title, author: of the file's own information, empty where unknown. remarks: the words of
    comments, and note_fields the fields in notes, by what anchors them (`word_walk.Anchor`).
    sources: files that programs keep in it; one may be Word's own list of works.
    """

    paragraphs: tuple[Paragraph, ...]
    noted: tuple[str, ...]
    fields: tuple[str, ...]
    title: str
    author: str
    remarks: Mapping[str, str] = field(default_factory=dict)
    note_fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: tuple[bytes, ...] = ()


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
    styles = dict[str, Style]()
    for part in _related(main, RELATIONSHIP_TYPE.STYLES):
        styles = styles_of(_root(part))
    body = walked(_root(main), styles)
    notes = {
        **_pieces(main, RELATIONSHIP_TYPE.FOOTNOTES, styles),
        **_pieces(main, RELATIONSHIP_TYPE.ENDNOTES, styles),
    }
    remarks = _pieces(main, RELATIONSHIP_TYPE.COMMENTS, styles)
    title, author = _facts(package, RELATIONSHIP_TYPE.CORE_PROPERTIES)
    said = {at: " ".join(each.text for each in walk.paragraphs) for at, walk in remarks.items()}
    return WordText(
        paragraphs=tuple(body.paragraphs),
        noted=tuple(each.text for walk in notes.values() for each in walk.paragraphs),
        fields=tuple(said for walk in (body, *notes.values()) for said in walk.fields),
        title=title,
        author=author,
        remarks=said,
        note_fields={at: tuple(walk.fields) for at, walk in notes.items()},
        sources=tuple(part.blob for part in _related(main, RELATIONSHIP_TYPE.CUSTOM_XML)),
    )


def _pieces(main: "Part", kind: str, styles: Mapping[str, Style]) -> dict[str, Walk]:
    """Walk through notes or comments, each by what anchors it in the text."""
    return {
        f"{piece.tag.rpartition('}')[2]} {piece.get(ID, number)}": walked(piece, styles)
        for part in _related(main, kind)
        for number, piece in enumerate(_root(part).iterchildren(tag="{*}*"))
    }


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
