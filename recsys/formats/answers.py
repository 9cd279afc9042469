"""Render an answer: for people on a terminal, and for programs."""

import json
import re
from typing import Any

from recsys.formats.references.shown_facts import bare_doi, one_line, paper_link
from recsys.formats.shown_places import where_of, where_record
from recsys.records import Answer, Paper, Recommendation

ANSWER_SCHEMA = "recsys.answer/1"
RECOMMENDATION_SCHEMA = "recsys.recommendation/1"

_SHOWN_AUTHORS = 3
_INDENT = " " * 12
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def table(answer: Answer) -> str:
    """Render as aligned text: rank, chance, title; below it who, when, where, and why.

    Where the places in the draft are known, each paper's is its last line.
    """
    lines = []
    for item in answer.recommendations:
        lines.append(text_row(item))
        if where := where_of(answer, item.paper.id):
            lines.append(_INDENT + "  ".join(where))
    return "\n".join(lines) + "\n"


def as_json(answer: Answer) -> str:
    """Render as one JSON object of schema `recsys.answer/1`."""
    return json_text(answer_record(answer), indent=1) + "\n"


def answer_record(answer: Answer) -> dict[str, Any]:
    """Put an answer as the object of schema `recsys.answer/1`."""
    return {
        "schema": ANSWER_SCHEMA,
        "understood": answer.understood,
        "stages": dict(answer.stages),
        "recommendations": [_placed_record(answer, item) for item in answer.recommendations],
    }


def as_json_lines(answer: Answer) -> str:
    """Render as one JSON object of schema `recsys.recommendation/1` per line, with the draft."""
    first = {"schema": RECOMMENDATION_SCHEMA, "draft": answer.draft}
    return "".join(
        f"{json_text(first | _placed_record(answer, item))}\n" for item in answer.recommendations
    )


def percent(probability: float) -> str:
    """Write a probability (0 to 1) as percent, below ten with a decimal; both ends kept open.

    >>> [percent(chance) for chance in (0.0004, 0.0744, 0.0996, 0.31, 0.996)]
    ['<0.1 %', '7.4 %', '10 %', '31 %', '>99 %']
    """
    if 0 < probability < 0.001:
        return "<0.1 %"
    if 0 < probability < 0.0995:
        return f"{probability * 100:.1f} %"
    return ">99 %" if 0.99 < probability < 1 else f"{probability * 100:.0f} %"


def facts(item: Recommendation) -> str:
    """Write who, when and where, and what proposed the paper, on one line."""
    paper = item.paper
    year = None if paper.year is None else str(paper.year)
    link = paper_link(paper)
    parts = [_authors(paper.authors), year, paper.venue, paper.id, link]
    return " | ".join(one_line(part) for part in [*parts, found_by(item)] if part)


def found_by(item: Recommendation) -> str | None:
    """Say in words what proposed a paper; None where nothing is known."""
    words = ", ".join(item.found_by or item.sources)
    return f"found by {words}" if words else None


def other_versions(item: Recommendation) -> list[str]:
    """Name the other versions of a recommended work, a line each."""
    return [f"another version: {one_line(_version(paper))}" for paper in item.versions]


def _version(paper: Paper) -> str:
    year = None if paper.year is None else str(paper.year)
    return " | ".join(part for part in (year, paper.venue, paper.id, paper_link(paper)) if part)


def json_text(value: object, *, indent: int | None = None) -> str:
    """Write readable JSON; what a terminal or a line reader would act upon is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def text_row(item: Recommendation) -> str:
    """Write a paper as the table has it: rank, chance, title; who, when, where; why."""
    first = f"{item.rank:>3}  {percent(item.probability):>5}  {one_line(item.paper.title)}"
    reasons = [one_line(reason.text) for reason in item.reasons]
    notes = [f"{_INDENT}- {note}" for note in (*reasons, *other_versions(item))]
    return "\n".join([first, _INDENT + facts(item), *notes])


def _authors(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN_AUTHORS])
    return f"{shown} et al." if len(names) > _SHOWN_AUTHORS else shown


def _placed_record(answer: Answer, item: Recommendation) -> dict[str, Any]:
    return recommendation_record(item) | where_record(answer, item.paper.id)


def recommendation_record(item: Recommendation) -> dict[str, Any]:
    """Put a recommended paper as the object of schema `recsys.recommendation/1`."""
    paper = item.paper
    record = {
        "rank": item.rank,
        "id": paper.id,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or bare_doi(paper),
        "url": paper.url or paper_link(paper),
        "probability": round(float(item.probability), 6),
        "score": round(float(item.score), 6),
        "sources": list(item.sources),
        "reasons": [{"kind": reason.kind, "text": reason.text} for reason in item.reasons],
    }
    return record | (
        {"versions": list(map(_version_record, item.versions))} if item.versions else {}
    )


def _version_record(paper: Paper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": paper.title,
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or bare_doi(paper),
        "url": paper.url or paper_link(paper),
    }
