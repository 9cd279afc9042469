"""Read the citing sentences of parsed papers: S2ORC up to 2020, CORD-19, doc2json, unarXive 2022.

Each paper is an object with paragraphs, in which spans point at entries of its bibliography.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsys.formats.contexts.citing_text import ELSEWHERE, cited_sentences
from recsys.formats.contexts.found_contexts import NO_NAME, context_of, is_known, without_signs
from recsys.formats.markup.printed_citation import cited_work
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import Record, id_of, nested, text_of, year_of
from recsys.formats.papers.s2orc import place_of
from recsys.formats.references.bibliography import Problem, names_in
from recsys.passages import Context
from recsys.records import Reference

NO_TEXT = Problem("a paper comes without its text.", "article without text")
_PARSES = ("pdf_parse", "latex_parse", "grobid_parse")
_NAMES = ("doi", "arxiv_id", "acl_id", "pubmed_id", "pmc_id", "mag_id")
_UNARXIVE = frozenset({"_source_hash", "_source_name"})
_THINGS = re.compile(r"\{\{\w{1,20}:[0-9a-fA-F-]{1,80}\}\}")
_MOST = 20_000
"""Paragraphs of a paper, and spans of a paragraph, that are read."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """text: with ELSEWHERE at each mark. keys: the entry that each mark points at."""

    text: str
    keys: Sequence[str]
    section: object = None


def parsed_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read one paper."""
    parse = next((record[name] for name in _PARSES if isinstance(record.get(name), dict)), record)
    entries = parse.get("bib_entries")
    paragraphs = list(_paragraphs(parse))
    if not paragraphs or not isinstance(entries, dict):
        yield NO_TEXT
        return
    foreign = not _UNARXIVE.isdisjoint(record)
    read = _unarxive_entry if foreign else _entry
    works = {key: read(value) for key, value in entries.items() if isinstance(value, dict)}
    yield from contexts_in(
        _unarxive_paper(record) if foreign else _paper(record), works, paragraphs
    )


def contexts_in(
    citing: Reference, works: Mapping[str, Reference], paragraphs: Sequence[Paragraph]
) -> Iterator[Context | Problem]:
    """Yield a context for each sentence and each work that it cites."""
    if not is_known(citing):
        yield NO_NAME
        return
    for paragraph in paragraphs:
        for sentence, marks in cited_sentences(paragraph.text):
            for key in dict.fromkeys(paragraph.keys[mark] for mark in marks):
                if (work := works.get(key)) is not None and is_known(work):
                    yield context_of(citing, work, sentence, paragraph.section)
                else:
                    yield NO_NAME


def marked(text: str, spans: Sequence[tuple[int, int, str]], section: object) -> Paragraph:
    """Put ELSEWHERE in the place of spans (start, end, key); of overlapping ones the first.

    Of a bracket around several marks, the first span may have the beginning, and the last the end:
    both stay outside.
    """
    pieces, keys, place = [], [], 0
    for start, end, key in sorted(spans):
        if place <= start <= end <= len(text):
            start, end = _without_half(text, start, end)
            pieces += [without_signs(text[place:start]), ELSEWHERE]
            keys.append(key)
            place = end
    pieces.append(without_signs(text[place:]))
    return Paragraph(_THINGS.sub(" ", "".join(pieces)), keys, section)


def _without_half(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave a bracket out of a span that holds its beginning or its end alone."""
    span = text[start:end]
    if span.startswith(("(", "[")) and not span.endswith((")", "]")):
        start += 1
    elif span.endswith((")", "]")) and span.count("(") + span.count("[") == 0:
        end -= 1
    return start, end


def _paragraphs(parse: Record) -> Iterator[Paragraph]:
    body, sections = parse.get("body_text"), parse.get("sections")
    if isinstance(body, list):
        for each in body[:_MOST]:
            if isinstance(each, dict) and isinstance(each.get("text"), str):
                yield marked(each["text"], _spans(each), _innermost(each.get("section")))
    elif isinstance(sections, dict):  # So has unarXive since 2024.
        for title, each in list(sections.items())[:_MOST]:
            if isinstance(each, dict) and isinstance(each.get("text"), str):
                yield marked(each["text"], _spans(each), title)


def _innermost(section: object) -> object:
    """Return a title out of one that comes as a path: [number, title], one after the other."""
    while isinstance(section, list) and section:
        section = section[-1]
    return section


def _spans(paragraph: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    found = []
    spans = paragraph.get("cite_spans")
    for span in spans[:_MOST] if isinstance(spans, list) else ():
        if isinstance(span, dict):
            start, end = place_of(span.get("start")), place_of(span.get("end"))
            key = span.get("ref_id")
            if start is not None and end is not None:
                found.append((start, end, key if isinstance(key, str) else ""))
    return found


def _paper(record: Record) -> Reference:
    title = text_of(record.get("title")) or text_of(nested(record, "metadata", "title"))
    work = Reference(id=id_of(record.get("paper_id")), title=title)
    return named(work, [(name, record.get(name)) for name in _NAMES])


def _entry(entry: Mapping[str, Any]) -> Reference:
    link, others = id_of(entry.get("link")), entry.get("other_ids")
    people = entry.get("authors")
    names = (_surname(each) for each in (people[:1] if isinstance(people, list) else ()))
    work = Reference(
        id=link,
        title=text_of(entry.get("title")),
        authors=names_in(names),
        year=year_of(entry.get("year")),
    )
    return named(work, others.items() if isinstance(others, dict) else ())


def _surname(person: object) -> str | None:
    if not isinstance(person, dict):
        return person if isinstance(person, str) else None
    parts = (text_of(person.get(name)) for name in ("first", "last"))
    return " ".join(filter(None, parts)) or None


def _unarxive_paper(record: Record) -> Reference:
    inside = record.get("metadata")
    told = inside if isinstance(inside, dict) else {}
    work = Reference(title=text_of(told.get("title")))
    return named(work, (("arxiv", record.get("paper_id")), ("doi", told.get("doi"))))


def _unarxive_entry(entry: Mapping[str, Any]) -> Reference:
    ids, links = entry.get("ids"), entry.get("contained_arXiv_ids")
    told = ids if isinstance(ids, dict) else {}
    linked = links if isinstance(links, list) else []
    first = next((each for each in linked if isinstance(each, dict)), {})
    names = [
        ("openalex", told.get("open_alex_id")),
        ("arxiv", told.get("arxiv_id") or first.get("id")),
        *((name, told.get(name)) for name in ("doi", "pubmed_id", "pmc_id")),
    ]
    return named(cited_work(text_of(entry.get("bib_entry_raw"))), names)
