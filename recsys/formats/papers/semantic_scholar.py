"""What maps cannot say of Semantic Scholar's papers: its API, its datasets (S2AG), and S2ORC.

The datasets keep abstracts and citations in files of their own, by corpus id: who joins the records
by their ids has the paper. S2ORC is the files of metadata and of parsed PDFs up to 2020, and those
of the API, in which title, abstract and references are spans of a paper's text.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from recsys.formats.files import checked_json
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    first_page,
    id_of,
    ids_of,
    listed,
    names_of,
    nested,
    person_in,
    text_of,
    volume_of,
    year_of,
)
from recsys.formats.references.bibliography import names_in, year_in
from recsys.records import Reference

PARTS = ("content", "body")
NAMES = ("doi", "arxiv_id", "acl_id", "pubmed_id", "pmc_id", "mag_id")
_CORPUS_ID = re.compile(r"CorpusID:(\d{1,18})\Z")
_LONGEST_LIST = 20_000  # Spans of one kind.


def more_of_paper(record: Record) -> dict[str, Any]:
    """Read references given as ids, as papers, or as {"citedPaper": paper}.

    They name papers as their own records do: by paperId where there is one. Works without an id of
    their own are told as the list describes them.
    """
    kinds = ("paperId",) if id_of(record.get("paperId")) else ("corpusid", "corpusId")
    cited_ids: list[str] = []
    cites: list[Reference] = []
    for item in listed(record.get("references")):
        paper = item.get("citedPaper", item) if isinstance(item, dict) else item
        if not isinstance(paper, dict):
            cited_ids += ids_of([paper])
        elif ids := ids_of([paper.get(kind) for kind in kinds]):
            cited_ids.append(ids[0])
        elif text_of(paper.get("title")):
            cites.append(work_of_api(paper))
    return {"cited_ids": tuple(cited_ids), "cites": tuple(cites)}


def work_of_api(paper: Record) -> Reference:
    """Read a paper as the API lists it among others."""
    numbers = (("s2", paper.get("paperId")), ("corpusid", paper.get("corpusId")))
    work = Reference(
        id=id_of(paper.get("paperId")),
        title=text_of(paper.get("title")),
        authors=names_of(paper.get("authors"), "name")[:1],
        year=year_of(paper.get("year")),
        venue=text_of(paper.get("venue")),
    )
    return named(work, (*numbers, *pairs_in(paper.get("externalIds"))))


def work_of_entry(entry: Record) -> Reference:
    """Read an entry of a bibliography of S2ORC; its id is that of the paper that it links to."""
    work = Reference(
        id=id_of(entry.get("link")),
        title=text_of(entry.get("title")),
        authors=names_in(map(person_in, listed(entry.get("authors"))[:1])),
        year=year_in(entry.get("year")),
        venue=text_of(entry.get("venue")),
        volume=volume_of(entry.get("volume")),
        page=first_page(entry.get("pages")),
    )
    return named(work, pairs_in(entry.get("other_ids")))


def pairs_in(names: object) -> Iterable[tuple[object, object]]:
    """Return the names and values of an object; none of anything else."""
    return names.items() if isinstance(names, dict) else ()


def more_of_part(record: Record) -> dict[str, Any]:
    """Refuse the record of a dataset that tells nothing that a corpus keeps."""
    if "abstract" not in record:
        raise FieldError("a summary or a vector")
    return {}


def more_of_metadata(record: Record) -> dict[str, Any]:
    """Read the title, the abstract and the bibliography; parsed PDFs up to 2020 have no title."""
    title = text_of(record.get("title")) or text_of(nested(record, "metadata", "title"))
    if title is None and not {"bib_entries", "_pdf_hash"} & record.keys():
        raise FieldError("missing title")
    abstract = record.get("abstract")
    if isinstance(abstract, list):
        texts = (item.get("text") for item in abstract if isinstance(item, dict))
        abstract = " ".join(text for text in texts if isinstance(text, str))
    corpus_id = _CORPUS_ID.search(text_of(record.get("s2_url")) or "")
    bibliography = record.get("bib_entries")
    entries = bibliography.values() if isinstance(bibliography, dict) else ()
    works = [work_of_entry(entry) for entry in entries if isinstance(entry, dict)]
    linked = dict.fromkeys(work.id for work in works if work.id)
    return {
        "title": title,
        # The signs stand for the line breaks of structured abstracts.
        "abstract": text_of(abstract.replace(":::", " ")) if isinstance(abstract, str) else None,
        "cited_ids": ids_of(record.get("outbound_citations")) or tuple(linked),
        "cites": tuple(work for work in works if work.title and not work.id),
        "names": [
            ("corpusid", corpus_id[1] if corpus_id else None),
            ("s2", record.get("s2_id")),
            *((name, record.get(name)) for name in NAMES),
        ],
    }


def more_of_parsed(record: Record) -> dict[str, Any]:
    """Read a paper whose title, abstract and references are spans of its text."""
    part = next((part for part in PARTS if isinstance(record.get(part), dict)), "content")
    authors = names_of(listed(record.get("authors")), "name")
    matched = (
        nested(entry, "attributes", "matched_paper_id")
        for place, kind in ((part, "bibentry"), (part, "bib_entry"), ("bibliography", "bib_entry"))
        for entry in annotations_of(record, place, kind)
    )
    return {
        "title": text_of(record.get("title")) or next(_spans(record, part, "title"), None),
        "abstract": " ".join(_spans(record, part, "abstract")) or None,
        "authors": authors or names_in(_spans(record, part, "author")),
        "venue": next(_spans(record, part, "venue"), None),
        "cited_ids": tuple(dict.fromkeys(ids_of(list(matched)))),
    }


def annotations_of(record: Record, part: str, kind: str) -> list[Any]:
    """Return the spans of a kind: a list, which the files have as JSON within JSON."""
    value = nested(record, part, "annotations", kind)
    if isinstance(value, str):
        try:
            value = json.loads(checked_json(value))
        except (ValueError, RecursionError):
            return []
    return listed(value)[:_LONGEST_LIST]


def _spans(record: Record, part: str, kind: str) -> Iterator[str]:
    text = nested(record, part, "text")
    for start, end, _ in placed(annotations_of(record, part, kind)):
        if isinstance(text, str) and (said := text_of(text[start:end])):
            yield said


def placed(spans: Iterable[object]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield start, end, and the whole of each span that has both."""
    for span in spans:
        if isinstance(span, dict):
            start, end = _place_of(span.get("start")), _place_of(span.get("end"))
            if start is not None and end is not None:
                yield start, end, span


def _place_of(value: object) -> int | None:
    """Read a position, which older releases have as text."""
    number = int(value) if isinstance(value, str) and value[:12].isdecimal() else value
    return number if isinstance(number, int) and number >= 0 else None
