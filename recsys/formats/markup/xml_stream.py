"""Read the records of an XML file one at a time, in bounded memory.

Only what is inside a record is ever built. Nothing is fetched: entities that a file defines are
refused, and an external DTD is not read; the named characters of HTML, which DBLP's DTD defines,
are text. Names are local ones, without the prefix of a namespace.
"""

import html.entities
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from recsys.formats.references.bibliography import Problem, text_in
from recsys.records import Reference

if TYPE_CHECKING:
    from pyexpat import XMLParserType


LARGEST_RECORD = 64 * 2**20
"""Bytes of one record; the largest known articles with their references have a few MB."""
LONGEST_TAG = 2**20
"""Bytes of a tag or a comment: expat reads it from its beginning with each chunk."""
DEEPEST = 250
"""Elements within one another; formulas in abstracts have some dozens."""

_CHUNK = 2**16
_MOST_DOCUMENTS = 10_000
_MOST_TAGS = 1_000
"""Tags and comments in which the first elements are looked for."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
# Control characters, which XML forbids and programs copy from PDFs all the same.
_SPACED = bytes(32 if byte < 32 and byte not in b"\t\n\r" else byte for byte in range(256))
# What is no element, and how it ends.
_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"), ("</", ">"))
_CUT_SHORT = (
    expat.errors.XML_ERROR_NO_ELEMENTS,
    expat.errors.XML_ERROR_UNCLOSED_TOKEN,
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
)
_START = re.compile(r"<(?:[\w.-]{1,100}:)?([A-Za-z_][\w.-]{0,100})(?=[\s/>])")


@dataclass(frozen=True, slots=True)
class Layout:
    """What to read of a file.

    records: names of the elements that are a work each. passed_over: names of elements inside
    them that are not read.
    """

    records: frozenset[str]
    passed_over: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Record:
    """A work's element, and the line on which it begins."""

    element: Element
    line: int


class _RefusedError(Exception):
    """The file cannot be read further; the arguments are the sentence and the reason."""


@dataclass(frozen=True, slots=True)
class XmlFormat:
    """One format of works in XML.

    begins: words: the first element of a file, or the first two with a slash between. needs: what
    its beginning must have, too. reference_of: reads a record; what is None is no work, and passed
    over.
    """

    begins: str
    layout: Layout
    reference_of: Callable[[Element], Reference | None]
    needs: tuple[re.Pattern[str], ...] = ()

    def looks_so(self, head: str) -> bool:
        """Whether the beginning of a text is that of such a file."""
        names = first_names(head, 2)
        known = {"/".join(names[:1]), "/".join(names)} & set(self.begins.split())
        return bool(known) and all(pattern.search(head) for pattern in self.needs)

    def read(self, stream: BinaryIO) -> Iterator[Reference | Problem]:
        """Read each record."""
        for record in records(stream, self.layout):
            work = record if isinstance(record, Problem) else self.reference_of(record.element)
            if work is not None:
                yield work


def records(stream: BinaryIO, layout: Layout) -> Iterator[Record | Problem]:
    """Yield the records of a file; where it is broken, a problem that says so is the last.

    Several documents one after the other, as of an answer fetched in parts, are read as one file.
    """
    reading = _Reading(layout)
    try:
        while chunk := stream.read(_CHUNK):
            yield from reading.feed(chunk)
        yield from reading.close()
    except _RefusedError as error:
        yield from reading.taken()
        yield reading.problem(*error.args)
    except (EOFError, zlib.error, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        yield reading.problem(f"the file cannot be read further ({reason})", "unreadable file")


def first_names(head: str, most: int = 3) -> list[str]:
    """Return the local names of the first elements of an XML text, none if it is another text.

    >>> first_names('<?xml version="1.0"?><!-- <b> --><x:xml><records><record/>')
    ['xml', 'records', 'record']
    """
    text = head[:100_000].lstrip("\ufeff \t\r\n")
    names: list[str] = []
    place = 0 if text.startswith("<") else -1
    for _ in range(_MOST_TAGS):
        if place < 0 or len(names) == most:
            break
        end = next((end for begin, end in _ENDS if text.startswith(begin, place)), "")
        if match := None if end else _START.match(text, place):
            names.append(match[1])
        after = text.find(end, place + 1)
        place = text.find("<", max(after, place + 1)) if after >= 0 else -1
    return names


class _Reading:
    """The state of one file: a parser, and the record that it is in."""

    def __init__(self, layout: Layout) -> None:
        self._records, self._passed_over = layout.records, layout.passed_over
        self._completed: list[Record] = []
        self._count = self._lines_before = self._documents = 0
        self._before = b""
        self._spaced: bool | None = None
        self._begin()

    def _begin(self) -> None:
        """Start on a document."""
        self._parser: XMLParserType = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        # As if there were a DTD: what it would define is then reported as skipped.
        self._parser.UseForeignDTD(True)
        self._parser.EntityDeclHandler = self._refuse
        self._parser.SkippedEntityHandler = self._character
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._builder = TreeBuilder()
        self._fed = self._depth = self._start = self._line = 0
        self._inner = self._passing = 0  # The depths of the record, and of what is passed over.
        self._documents += 1

    def feed(self, chunk: bytes) -> Iterator[Record]:
        """Read some bytes; yield the records that end in them."""
        if self._spaced is None:
            self._spaced = not chunk.startswith(_UTF16)
        if self._spaced:
            chunk = chunk.translate(_SPACED)
        while chunk:
            chunk = self._parse(chunk)
            yield from self.taken()

    def close(self) -> Iterator[Record]:
        """Say that there is no more."""
        if self._fed:
            self._parse(b"", final=True)
        yield from self.taken()

    def taken(self) -> list[Record]:
        """Hand over the records that were completed."""
        completed, self._completed = self._completed, []
        self._count += len(completed)
        return completed

    def problem(self, text: str, reason: str) -> Problem:
        """Say what is wrong where the parser stands, and what was read until there."""
        line = self._lines_before + self._parser.CurrentLineNumber
        read = f"{self._count:,} {'record' if self._count == 1 else 'records'}"
        return Problem(f"line {line}: {text}; {read} before it can be used.", reason, line)

    def _parse(self, chunk: bytes, final: bool = False) -> bytes:
        """Parse some bytes; return those that belong to a further document."""
        try:
            self._parser.Parse(chunk, final)
        except expat.ExpatError as error:
            rest = self._further_document(chunk, error)
            if rest:
                return rest
            what = expat.ErrorString(error.code)
            if what in _CUT_SHORT:
                says = "the XML ends in the middle; download or export it again", "XML cut short"
            else:
                how = "export it again, as UTF-8"
                says = f"the XML is broken here ({what}); {how}", "broken XML"
            raise _RefusedError(*says) from error
        except (ValueError, LookupError) as error:
            raise _RefusedError(f"{error}; save it as UTF-8", "unknown encoding") from error
        self._fed += len(chunk)
        self._before = chunk or self._before
        if self._fed - self._parser.CurrentByteIndex > LONGEST_TAG:
            raise _RefusedError("a tag or comment is longer than 1 MB", "endless tag")
        if self._inner and self._fed - self._start > LARGEST_RECORD:
            raise _RefusedError("the record is larger than 64 MB", "endless record")
        return b""

    def _further_document(self, chunk: bytes, error: expat.ExpatError) -> bytes:
        """Return what follows a complete document and begin anew; nothing where none follows."""
        junk = error.code == expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
        place = self._parser.ErrorByteIndex - (self._fed - len(self._before))
        rest = (self._before + chunk)[max(place, 0) :]
        if not junk or place < 0 or self._documents > _MOST_DOCUMENTS or not rest.startswith(b"<"):
            return b""
        self._lines_before += error.lineno - 1
        self._before = b""
        self._begin()
        return rest

    # This and the next are called for each element: they call as little as they can.
    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            what = f"elements stand within one another more than {DEEPEST} deep"
            raise _RefusedError(what, "nested too deeply")
        if self._passing:
            return
        if ":" in name:
            name = name.rpartition(":")[2]
        if not self._inner:
            if name not in self._records:
                return
            self._inner, self._builder = self._depth, TreeBuilder()
            self._start = self._parser.CurrentByteIndex
            self._line = self._lines_before + self._parser.CurrentLineNumber
            self._parser.CharacterDataHandler = self._builder.data
        elif name in self._passed_over:
            self._passing, self._parser.CharacterDataHandler = self._depth, None
            return
        self._builder.start(name, attributes)

    def _close(self, name: str) -> None:
        if self._passing:
            if self._depth == self._passing:
                self._passing, self._parser.CharacterDataHandler = 0, self._builder.data
        elif self._inner:
            self._builder.end(name.rpartition(":")[2] if ":" in name else name)
            if self._depth == self._inner:
                self._completed.append(Record(self._builder.close(), self._line))
                self._inner, self._parser.CharacterDataHandler = 0, None
        self._depth -= 1

    def _refuse(self, name: str, *_definition: object) -> None:
        raise _RefusedError(
            f"the file defines an entity ({name[:50]}), which is not read for safety; export it "
            "without a DOCTYPE",
            "defines entities",
        )

    def _character(self, name: str, _is_parameter: bool) -> None:
        """Put in a character that is named as in HTML; another name stays as it is written."""
        if self._parser.CharacterDataHandler is not None:
            text = html.entities.html5.get(f"{name};", f"&{name};")
            self._parser.CharacterDataHandler(text)


# Get text and identifiers out of XML elements.

NOTHING: frozenset[str] = frozenset()
_BLOCKS = frozenset("p sec title subtitle list list-item label break disp-formula td tr".split())
_NOTES = frozenset({"fn", "xref", "tex-math", "graphic", "inline-graphic", "object-id"})


def text_of(element: Element | None, dropped: frozenset[str] = NOTHING) -> str | None:
    """Return an element's text on one line with that of inner mark-up, None without any."""
    return None if element is None else text_in(raw_text(element, dropped))


def raw_text(element: Element, dropped: frozenset[str] = NOTHING) -> str:
    """Return an element's text as it stands there, with that of inner mark-up.

    What is a paragraph of its own is set apart.
    """
    return _spaced(element, dropped) if len(element) else element.text or ""


def _spaced(element: Element, dropped: frozenset[str]) -> str:
    pieces = [element.text or ""]
    for child in element:  # Reading has bounded how deep they go.
        pieces += ("" if child.tag in dropped else _spaced(child, dropped), child.tail or "")
    return f" {''.join(pieces)} " if element.tag in _BLOCKS else "".join(pieces)


def title_of(element: Element | None) -> str | None:
    """Return a title or an abstract without its footnotes and second spellings of formulas."""
    return text_of(element, _NOTES)


def texts_of(elements: Iterable[Element]) -> tuple[str, ...]:
    """Return the texts of elements, each once, in order."""
    return tuple(dict.fromkeys(filter(None, map(text_of, elements))))


def text_at(element: Element, *paths: str) -> str | None:
    """Return the text at the first path that has one."""
    return next((text for path in paths if (text := text_of(element.find(path)))), None)


def unstopped(title: str | None) -> str | None:
    """Drop the full stop that some catalogues set after each title.

    >>> unstopped("On trees."), unstopped("Forests of the U.S."), unstopped("And then...")
    ('On trees', 'Forests of the U.S.', 'And then...')
    """
    if title is None or not title.endswith("."):
        return title
    last = title.rpartition(" ")[2]
    return title if "." in last[:-1] else title[:-1] or None


def address_at(element: Element) -> str | None:
    """Return the target of a link, whatever the prefix of the attribute."""
    return next((value for name, value in element.items() if name.endswith("href")), None)
