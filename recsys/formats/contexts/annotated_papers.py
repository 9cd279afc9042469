"""Read the citing sentences of S2ORC as the API gives it: one text, and spans of it by kind."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from recsys.formats.contexts.parsed_papers import NO_TEXT, Paragraph, contexts_in, marked
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import Record, nested, text_of, year_of
from recsys.formats.papers.s2orc import PARTS, annotations_of, place_of
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.records import Reference

_MARKS, _HEADERS = ("bibref", "bib_ref"), ("sectionheader", "section_header")
_ENTRIES = ("bibentry", "bib_entry")
_Span = tuple[int, int, object]
"""Start, end, and what is said of the text between."""


def annotated_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read one paper; what it cites is known where it was matched with a paper."""
    part = next((part for part in PARTS if isinstance(record.get(part), dict)), PARTS[0])
    text = nested(record, part, "text")
    if not isinstance(text, str):
        yield NO_TEXT
        return
    found = _spans(record, part, _MARKS)
    marks = [(start, end, _name(told, "ref_id")) for start, end, told in found]
    paragraphs = list(_paragraphs(text, record, part, marks))
    yield from contexts_in(_paper(record), _entries(record, part), paragraphs)


def _paper(record: Record) -> Reference:
    external = record.get("externalids") or record.get("externalIds")
    external = external or nested(record, "openaccessinfo", "externalids")
    work = Reference(title=text_of(record.get("title")), year=year_of(record.get("year")))
    others = external.items() if isinstance(external, dict) else ()
    return named(work, (("corpusid", record.get("corpusid")), *others))


def _entries(record: Record, part: str) -> dict[str, Reference]:
    """Return the matched works of the bibliography by their keys."""
    found = {}
    for place in (part, "bibliography"):
        for _, _, told in _spans(record, place, _ENTRIES):
            number = told.get("matched_paper_id") if isinstance(told, dict) else None
            found[_name(told, "id")] = named(Reference(), (("corpusid", number),))
    return found


def _paragraphs(
    text: str, record: Record, part: str, marks: Sequence[tuple[int, int, str]]
) -> Iterator[Paragraph]:
    """Cut the text into its paragraphs, each with its marks and its section's title."""
    headers = sorted((start, text[start:end]) for start, end, _ in _spans(record, part, _HEADERS))
    starts = [start for start, _ in headers]
    marks = sorted(marks)
    begins = [start for start, _, _ in marks]
    for start, end in _pieces(text, [(s, e) for s, e, _ in _spans(record, part, ("paragraph",))]):
        inside = marks[bisect_right(begins, start - 1) : bisect_right(begins, end - 1)]
        if inside:
            before = bisect_right(starts, start)
            spans = [(s - start, e - start, key) for s, e, key in inside]
            section = headers[before - 1][1] if before else None
            yield marked(text[start:end], spans, section)


def _pieces(text: str, paragraphs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Return the paragraphs; where none are told, what stands between line ends."""
    if paragraphs:
        yield from paragraphs
        return
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin) + 1 or len(text)
        yield begin, end
        begin = end


def _spans(record: Record, part: str, kinds: Sequence[str]) -> Iterator[_Span]:
    for span in (each for kind in kinds for each in annotations_of(record, part, kind)):
        if isinstance(span, dict):
            start, end = place_of(span.get("start")), place_of(span.get("end"))
            if start is not None and end is not None and start <= end:
                yield start, end, span.get("attributes")


def _name(told: object, key: str) -> str:
    value = told.get(key) if isinstance(told, dict) else None
    return value if isinstance(value, str) else ""
