"""Read the citing sentences of whole papers: as data sets parsed them, in JATS, or as they are.

- S2ORC up to 2020, CORD-19, doc2json, unarXive 2022: an object with paragraphs, in which spans
  point at entries of its bibliography.
- S2ORC as the API gives it: one text, and spans of it by kind.
- JATS, the XML of PubMed Central and of journals.
- A paper as it was written or printed: LaTeX, PDF, Word."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element

from recsys.errors import CorpusError
from recsys.formats.bodies.printed_works import cited_work
from recsys.formats.contexts.citing_text import (
    ELSEWHERE,
    NO_NAME,
    NO_WORDS,
    cited_contexts,
    contexts_of,
    has_words,
    is_known,
    without_marks,
    without_signs,
)
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.formats.files import MAX_BYTES
from recsys.formats.markup.jats_xml import JATS, work_of_article
from recsys.formats.markup.xml_stream import Layout, records, title_of
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import Record, id_of, nested, text_of, year_of
from recsys.formats.papers.semantic_scholar import (
    NAMES,
    PARTS,
    annotations_of,
    pairs_in,
    placed,
    work_of_entry,
)
from recsys.formats.references.bibliography import Problem
from recsys.formats.source_streams import open_bytes
from recsys.records import Context, Reference

NO_TEXT = Problem("a paper comes without its text.", "article without text")
_PARSES = ("pdf_parse", "latex_parse", "grobid_parse")
_UNARXIVE = frozenset({"_source_hash", "_source_name"})
_THINGS = re.compile(r"\{\{\w{1,20}:[0-9a-fA-F-]{1,80}\}\}")
_MOST = 20_000
"""Paragraphs of a paper, and spans of a paragraph, that are read."""
_MARKS, _HEADERS = ("bibref", "bib_ref"), ("sectionheader", "section_header")
_ENTRIES = ("bibentry", "bib_entry")
_LATEX = re.compile(r"^[^%\n]{0,200}\\(?:documentclass|documentstyle|begin\s*\{document\})", re.M)
_BEGINNINGS = ("%PDF-", "PK\x03\x04")
_LAYOUT = Layout(
    frozenset({"article"}),
    frozenset(
        "floats-group sub-article response supplementary-material permissions fig fig-group "
        "table-wrap table-wrap-group table disp-formula inline-formula tex-math graphic media "
        "array code preformat".split()
    ),
)
_PARAGRAPHS = frozenset({"p", "term", "def"})
_NO_TEXT = frozenset({"title", "label", "caption", "fn", "xref", "ref-list", "abstract", "math"})
_RANGE = re.compile(r"\s*[\u2010-\u2015-]\s*")
_WIDEST_RANGE = 200
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
is_jats = JATS.looks_so
"""Whether a file holds articles in JATS; reading shows whether with their text."""


def parsed_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read a paper whose paragraphs have spans."""
    parse = next((record[name] for name in _PARSES if isinstance(record.get(name), dict)), record)
    entries = parse.get("bib_entries")
    body, sections = parse.get("body_text"), parse.get("sections")
    items: list[tuple[object, Any]] = []
    if isinstance(body, list):
        items = [(None, paragraph) for paragraph in body[:_MOST]]
    elif isinstance(sections, dict):  # So has unarXive since 2024.
        items = list(sections.items())[:_MOST]
    paragraphs = [
        (title, paragraph)
        for title, paragraph in items
        if isinstance(paragraph, dict) and isinstance(paragraph.get("text"), str)
    ]
    if not paragraphs or not isinstance(entries, dict):
        yield NO_TEXT
        return
    title, of_unarxive = nested(record, "metadata", "title"), not _UNARXIVE.isdisjoint(record)
    if of_unarxive:
        numbers = [("arxiv", record.get("paper_id")), ("doi", nested(record, "metadata", "doi"))]
        citing = named(Reference(title=text_of(title)), numbers)
    else:
        title = text_of(record.get("title")) or text_of(title)
        citing = Reference(id=id_of(record.get("paper_id")), title=title)
        citing = named(citing, [(name, record.get(name)) for name in NAMES])
    if not is_known(citing):
        yield NO_NAME
        return
    read = _unarxive_entry if of_unarxive else work_of_entry
    works = {key: [read(entry)] for key, entry in entries.items() if isinstance(entry, dict)}
    for section, paragraph in paragraphs:
        section = paragraph.get("section") if section is None else section
        while isinstance(section, list) and section:  # [number, title] one after the other.
            section = section[-1]
        spans = paragraph.get("cite_spans")
        places = [
            (start, end, key if isinstance(key := span.get("ref_id"), str) else "")
            for start, end, span in placed(spans[:_MOST] if isinstance(spans, list) else ())
        ]
        yield from cited_contexts(citing, works, *_marked(paragraph["text"], places), section)


def _marked(
    text: str, spans: Sequence[tuple[int, int, str]]
) -> tuple[str, Sequence[tuple[str, ...]]]:
    """Put ELSEWHERE in the place of spans (start, end, key); of overlapping ones the first.

    Of a bracket around several marks, the first span may have the beginning, and the last the end:
    both stay outside.
    """
    pieces, keys, place = [], [], 0
    for start, end, key in sorted(spans):
        if place <= start <= end <= len(text):
            span = text[start:end]
            if span.startswith(("(", "[")) and not span.endswith((")", "]")):
                start += 1
            elif span.endswith((")", "]")) and span.count("(") + span.count("[") == 0:
                end -= 1
            pieces += [without_signs(text[place:start]), ELSEWHERE]
            keys.append((key,))
            place = end
    pieces.append(without_signs(text[place:]))
    return _THINGS.sub(" ", "".join(pieces)), keys


def _unarxive_entry(entry: Mapping[str, Any]) -> Reference:
    links = entry.get("contained_arXiv_ids")
    linked = links if isinstance(links, list) else []
    first = next((link for link in linked if isinstance(link, dict)), {})
    numbers = {
        name: nested(entry, "ids", key)
        for name, key in (
            *(("openalex", "open_alex_id"), ("arxiv", "arxiv_id"), ("doi", "doi")),
            *(("pubmed_id", "pubmed_id"), ("pmc_id", "pmc_id")),
        )
    }
    numbers["arxiv"] = numbers["arxiv"] or first.get("id")
    return named(cited_work(text_of(entry.get("bib_entry_raw"))), numbers.items())


def annotated_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read a paper of the API's S2ORC; what it cites is known where it was matched with a paper."""
    part = next((part for part in PARTS if isinstance(record.get(part), dict)), PARTS[0])
    text = nested(record, part, "text")
    if not isinstance(text, str):
        yield NO_TEXT
        return
    external = record.get("externalids") or record.get("externalIds")
    external = external or nested(record, "openaccessinfo", "externalids")
    citing = Reference(title=text_of(record.get("title")), year=year_of(record.get("year")))
    citing = named(citing, (("corpusid", record.get("corpusid")), *pairs_in(external)))
    if not is_known(citing):
        yield NO_NAME
        return
    works = {}
    for _, _, name, entry in (
        *_spans(record, part, _ENTRIES, "id"),
        *_spans(record, "bibliography", _ENTRIES, "id"),
    ):
        works[name] = [named(Reference(), (("corpusid", entry.get("matched_paper_id")),))]
    marks = sorted(span[:3] for span in _spans(record, part, _MARKS, "ref_id"))
    begins = [begin for begin, *_ in marks]
    headers = sorted((begin, text[begin:end]) for begin, end, *_ in _spans(record, part, _HEADERS))
    paragraphs = [(begin, end) for begin, end, *_ in _spans(record, part, ("paragraph",))]
    # Without spans of paragraphs, they are what stands between line ends.
    for start, end in paragraphs or [match.span() for match in _LINE.finditer(text)]:
        inside = marks[bisect_right(begins, start - 1) : bisect_right(begins, end - 1)]
        if inside:
            before = bisect_right(headers, start, key=lambda header: header[0])
            places = [(begin - start, until - start, key) for begin, until, key in inside]
            section = headers[before - 1][1] if before else None
            yield from cited_contexts(citing, works, *_marked(text[start:end], places), section)


def _spans(
    record: Record, part: str, kinds: Sequence[str], name: str = ""
) -> Iterator[tuple[int, int, str, dict[str, Any]]]:
    """Yield start and end of spans, the attribute of a name, and all their attributes."""
    every = (span for kind in kinds for span in annotations_of(record, part, kind))
    for start, end, span in placed(every):
        said = span.get("attributes")
        attributes = said if isinstance(said, dict) else {}
        value = attributes.get(name)
        if start <= end:
            yield start, end, value if isinstance(value, str) else "", attributes


def is_paper(head: str) -> bool:
    """Whether a file is a paper in LaTeX, PDF or Word."""
    return head.startswith(_BEGINNINGS) or _LATEX.search(head) is not None


def read_paper(path: Path) -> Iterator[Context | Problem]:
    """Read a paper as it was written or printed; it is known by what it says of itself.

    Raises:
        InputError: it cannot be read, or has no running text.
        MissingExtraError: its format needs a package that is not installed.
    """
    with open_bytes(path) as stream:
        raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise CorpusError(f"{path} is larger than any paper.", "Give the paper itself.")
    name = path.with_suffix("") if path.suffix == ".gz" else path
    draft = parse_draft(raw, name)
    manuscript, body = draft.manuscript, draft.body
    yield from (Problem(note, "remark on a paper") for note in body.notes)
    citing = Reference(
        id=manuscript.paper_id, title=manuscript.title or None, authors=manuscript.authors
    )
    if not is_known(citing):
        yield NO_NAME
        return
    works = {work.key: [work] for work in reversed(body.references) if work.key}
    for sentence in body.sentences:
        if sentence.cited:
            if has_words(text := without_marks(sentence.text)):
                yield from contexts_of(citing, works, sentence.cited, text, sentence.section)
            else:
                yield NO_WORDS


def read_jats(stream: BinaryIO) -> Iterator[Context | Problem]:
    """Read the articles of a file, one after the other."""
    for record in records(stream, _LAYOUT):
        if isinstance(record, Problem):
            yield record
            continue
        body = record.element.find("body")
        work = work_of_article(record.element)
        if body is None or work is None:
            text = f"line {record.line}: the article comes without its text."
            yield Problem(text, "article without text", record.line)
            continue
        if not is_known(work):
            yield NO_NAME
            continue
        entries = list(record.element.iter("ref"))
        works = _works_by_name(entries, work)
        order = [entry.get("id", "") for entry in entries]
        citing = Reference(
            id=work.id,
            title=work.title,
            authors=work.authors[:1],
            year=work.year,
            doi=work.doi,
            arxiv=work.arxiv,
            pmid=work.pmid,
            ids=work.ids,
        )
        stack = [(body, "")]  # Elements with the title of their section; the next one is the last.
        while stack:
            element, section = stack.pop()
            if element.tag in ("sec", "app"):
                section = title_of(element.find("title")) or section
            if element.tag in _PARAGRAPHS:  # Also those of lists and boxes.
                text, keys = _marked_paragraph(element, works, order)
                yield from cited_contexts(citing, works, text, keys, section)
            inside = [child for child in element if child.tag not in _NO_TEXT]
            stack += ((child, section) for child in reversed(inside))


def _works_by_name(entries: Sequence[Element], work: Reference) -> dict[str, list[Reference]]:
    """Return the works of each entry of a list of references; an entry may have several names."""
    works: dict[str, list[Reference]] = {}
    for cited in work.cites:
        works.setdefault(cited.key, []).append(cited)
    # A citation within an entry may be pointed at, too.
    for entry in entries:
        own = works.setdefault(entry.get("id", ""), [])
        for inner in entry:
            if name := inner.get("id"):
                works.setdefault(name, own)
    return works


def _marked_paragraph(
    paragraph: Element, works: Mapping[str, object], order: Sequence[str]
) -> tuple[str, list[list[str]]]:
    """Put ELSEWHERE at each mark of a paragraph; also return the entries cited at each.

    works: by the names of entries. order: the entries as they are listed, for ranges of them.
    """
    places = {name: place for place, name in enumerate(order)}
    pieces: list[str] = []
    keys: list[list[str]] = []
    since: list[str] = []
    stack: list[Element | str] = [paragraph]  # The next one is the last.
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(without_signs(item))
            since.append(item)
        elif item.tag == "xref":
            cited = [name for name in item.get("rid", "").split() if name in works]
            if cited:
                if keys and _RANGE.fullmatch("".join(since)):
                    begin, end = places.get(keys[-1][-1], -1), places.get(cited[0], -1)
                    if begin >= 0 and 0 < end - begin <= _WIDEST_RANGE:
                        cited = [*order[begin + 1 : end], *cited]
                pieces.append(ELSEWHERE)
                keys.append(cited)
                since = []
            elif item.get("ref-type") not in (None, "fn", "table-fn", "aff", "corresp"):
                pieces.append("".join(item.itertext()))  # "Figure 3" is read on.
        elif item is paragraph or not (item.tag in _NO_TEXT or item.tag in _PARAGRAPHS):
            for child in reversed(item):
                stack += (child.tail or "", child)
            stack.append(item.text or "")
    return "".join(pieces), keys
