"""Render an answer: for people on a terminal or a page, and for programs.

A new format is what writes it, and a row in FORMATS or LOCAL_FORMATS.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from recsys.errors import check_name
from recsys.formats.references.shown_facts import bare_doi, one_line, paper_link
from recsys.records import Answer, Paper, PaperId, Recommendation

if TYPE_CHECKING:
    from recsys.formats.local_answers.shown_gaps import GapKeys
    from recsys.records import LocalAnswer

ANSWER_SCHEMA = "recsys.answer/1"
RECOMMENDATION_SCHEMA = "recsys.recommendation/1"
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
UNNAMED = "draft"
"""What stands for the file of a draft that has none."""
LONGEST_SENTENCE = 120
"""Characters of a sentence that people are shown."""

_MOST_AUTHORS = 3
_LIBRARY = "library"  # The kind of `resolve_draft.IN_LIBRARY`.
_INDENT = " " * 12
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def table(answer: Answer, *, verbose: bool = False) -> str:
    """Render as text, a paragraph a paper: rank, probability, title; who, when, where; why.

    Where the places in the draft are known, each paper's is its last line.

    verbose: with every reason, ids, links, what proposed a paper, and its other versions.
    """
    paragraphs = (
        text_row(item, *paper_lines(item, verbose=verbose), *place_line(answer, item))
        for item in answer.recommendations
    )
    return "\n".join(paragraphs)


Line: TypeAlias = tuple[str, str]
"""What a line says (title, facts, reason, place, key, details), and its text."""


def text_row(item: Recommendation, *lines: Line) -> str:
    """Write a paper: its rank and probability, and the lines below each other beside them."""
    head = f"{item.rank:>3}  {percent(item.probability):>5}  "
    texts = [text for _, text in lines]
    return "".join(f"{_INDENT if place else head}{text}\n" for place, text in enumerate(texts))


def paper_lines(item: Recommendation, *, verbose: bool = False) -> Iterator[Line]:
    """Yield what people read of a paper: three lines; verbose: all that is known, see `table`."""
    paper, reasons = item.paper, [one_line(reason.text) for reason in item.reasons]
    yield "title", one_line(paper.title)
    if who := facts(paper):
        yield "facts", who
    if not verbose:
        # That one has a paper goes beside the strongest reason.
        owned = [one_line(reason.text) for reason in item.reasons[1:] if reason.kind == _LIBRARY]
        if reasons:
            yield "reason", "; ".join([reasons[0], *owned])
        return
    for reason in reasons:
        yield "reason", reason
    names = filter(None, (paper.id, paper_link(paper)))
    yield "details", f"id: {', '.join(map(one_line, names))}"
    for detail in (found_by(item), *other_versions(item)):
        if detail:
            yield "details", detail


def place_line(answer: Answer, item: Recommendation) -> Iterator[Line]:
    """Yield where a paper fits in the draft, if that is known."""
    if where := where_of(answer, item.paper.id):
        yield "place", "  ".join(where)


def facts(paper: Paper) -> str:
    """Write who, when and where on one line."""
    from recsys.formats.references.people import natural

    is_long = len(paper.authors) > _MOST_AUTHORS
    named = map(natural, paper.authors[: _MOST_AUTHORS - is_long])
    authors = ", ".join(named) + " et al." * is_long
    year = None if paper.year is None else str(paper.year)
    return ", ".join(one_line(part) for part in (authors, year, paper.venue) if part)


def found_by(item: Recommendation) -> str | None:
    """Say in words what proposed a paper; None where nothing is known."""
    words = ", ".join(item.found_by or item.sources)
    return f"found by {words}" if words else None


def other_versions(item: Recommendation) -> list[str]:
    """Name the other versions of a recommended work, a line each."""
    lines = []
    for paper in item.versions:
        year = None if paper.year is None else str(paper.year)
        parts = filter(None, (year, paper.venue, paper.id, paper_link(paper)))
        lines.append(f"another version: {one_line(' | '.join(parts))}")
    return lines


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


def as_json(answer: Answer) -> str:
    """Render as one JSON object of schema `recsys.answer/1`."""
    return json_text(answer_record(answer), indent=1) + "\n"


def as_json_lines(answer: Answer) -> str:
    """Render as one JSON object of schema `recsys.recommendation/1` per line, with the draft."""
    first = {"schema": RECOMMENDATION_SCHEMA, "draft": answer.draft}
    records = answer_record(answer)["recommendations"]
    return "".join(f"{json_text(first | record)}\n" for record in records)


def json_text(value: object, *, indent: int | None = None) -> str:
    """Write readable JSON; what a terminal or a line reader would act upon is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def sarif_text(rules: Mapping[str, tuple[str, str]], run: Mapping[str, object]) -> str:
    """Write a log of SARIF 2.1.0 with one run; rules: name -> level, and what it means."""
    from recsys.store.artifacts import VERSION

    described = [
        {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for name, (level, text) in rules.items()
    ]
    tool = {"driver": {"name": "recsys", "version": VERSION, "rules": described}}
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": tool, **run}]}
    return json_text(log, indent=1) + "\n"


def sarif_place(path: PurePath) -> dict[str, Any]:
    """Say which file a result of SARIF is about."""
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="replace")
    return {"artifactLocation": {"uri": uri}}


def answer_record(answer: Answer) -> dict[str, Any]:
    """Put an answer as the object of schema `recsys.answer/1`."""
    return {
        "schema": ANSWER_SCHEMA,
        "understood": answer.understood,
        "stages": dict(answer.stages),
        "recommendations": [
            recommendation_record(item) | _where_record(answer, item.paper.id)
            for item in answer.recommendations
        ],
    }


def recommendation_record(item: Recommendation) -> dict[str, Any]:
    """Put a recommended paper as the object of schema `recsys.recommendation/1`."""
    versions = [_paper_record(version) for version in item.versions]
    paper = _paper_record(item.paper)
    return {
        "rank": item.rank,
        "id": paper.pop("id"),
        "title": paper.pop("title"),
        "authors": list(item.paper.authors),
        **paper,
        "probability": round(float(item.probability), 6),
        "score": round(float(item.score), 6),
        "sources": list(item.sources),
        "reasons": [{"kind": reason.kind, "text": reason.text} for reason in item.reasons],
        **({"versions": versions} if versions else {}),
    }


def _paper_record(paper: Paper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": paper.title,
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or bare_doi(paper),
        "url": paper.url or paper_link(paper),
    }


def _where_record(answer: Answer, paper_id: PaperId) -> dict[str, Any]:
    """Put where a paper fits under `where`: null where it fits nowhere, no key if nobody looked."""
    if answer.where is None:
        return {}
    place = answer.where.get(paper_id)
    if place is None:
        return {"where": None}
    known = place.file or answer.draft not in (None, "-")
    return {
        "where": {
            "file": path_in(answer.draft, place.file) if known else None,
            "unit": place.unit,
            "line": place.line,
            "column": place.column,
            "section": place.section,
            "sentence": place.text,
            "score": round(float(place.score), 6),
        }
    }


def where_of(answer: Answer, paper_id: PaperId) -> tuple[str, str] | None:
    """Say where a recommended paper fits: the place and its sentence, cut where it is long."""
    place = (answer.where or {}).get(paper_id)
    if place is None:
        return None
    path, text = one_line(path_in(answer.draft, place.file)), one_line(place.text)
    if len(text) > LONGEST_SENTENCE:
        cut = text[: LONGEST_SENTENCE - 3]
        text = (cut[: cut.rfind(" ")] if " " in cut else cut) + "..."
    return named_place(path, place.unit, place.line), f'"{text}"'


def path_in(draft: str | None, file: str, *, unnamed: str = UNNAMED) -> str:
    """Return a file of a draft, as seen from where the draft was named.

    >>> path_in("thesis/main.tex", "chapters/one.tex"), path_in("-", "")
    ('thesis/chapters/one.tex', 'draft')
    """
    if draft is None or draft == "-":
        return file or unnamed
    path = PurePath(draft)
    if not file or file == path.name:
        return draft
    return str((path if path.suffix.lower() == ".zip" else path.parent) / file)


def named_place(path: str, unit: str, line: int | None, column: int | None = None) -> str:
    """Name a place as compilers do, `paper.tex:12:34`, or by what the lines of its file stand for.

    >>> named_place("a.docx", "paragraph", 3), named_place("a.tex", "line", None)
    ('a.docx, paragraph 3', 'a.tex')
    """
    if line is None:
        return path
    if unit != "line":
        return f"{path}, {unit} {line}"
    return f"{path}:{line}" + (f":{column}" if column is not None else "")


def markdown(answer: Answer) -> str:
    """Render as a numbered Markdown list with the reasons below each paper, and the title above."""
    from recsys.formats.references.reference_writers import escaped, markdown_item

    lines = [f"# {escaped(_heading(answer))}", ""]
    for item in answer.recommendations:
        lines.append(f"{item.rank}. {markdown_item(item.paper)} **{percent(item.probability)}**")
        reasons = [reason.text for reason in item.reasons]
        notes = [*reasons, *map(escaped, other_versions(item)), found_by(item)]
        lines += [f"    - {one_line(note)}" for note in notes if note]
        if where := where_of(answer, item.paper.id):
            lines.append(f"    - fits at {': '.join(map(escaped, where))}")
    return "".join(f"{line}\n" for line in lines)


def html(answer: Answer) -> str:
    """Render as a web page with keys, the reasons below each paper, and COinS for Zotero."""
    from recsys.formats.references.web_page import web_page
    from recsys.store.artifacts import CREATED_BY

    notes = []
    for item in answer.recommendations:
        chance = f"{percent(item.probability)} chance of being cited"
        notes.append([chance, *(reason.text for reason in item.reasons), *other_versions(item)])
        if where := where_of(answer, item.paper.id):
            notes[-1].append(f"fits at {': '.join(where)}")
    papers = [item.paper for item in answer.recommendations]
    made = list(filter(None, (f"{date.today():%d %B %Y}".lstrip("0"), answer.corpus, CREATED_BY)))
    return web_page(papers, keys_in(answer), notes=notes, heading=_heading(answer), made=made)


def keys_in(answer: Answer) -> list[str]:
    """Name the recommended papers by citation keys that the draft does not have."""
    from recsys.formats.references.citation_keys import citation_keys

    papers = [item.paper for item in answer.recommendations]
    return citation_keys(papers, answer.taken_keys, answer.keys)


def _heading(answer: Answer) -> str:
    title = one_line(answer.title)
    return f"Recommended papers for \u201c{title}\u201d" if title else "Recommended papers"


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table.

    suffix: of the files that are called after a draft. write: None where a format of reference
    managers has the papers alone. joins: whether several answers may stand one below the other,
    told apart. keyed: whether it has citation keys.
    """

    suffix: str
    write: Callable[[Answer], str] | None = None
    joins: bool = False
    keyed: bool = False


FORMATS: Mapping[str, Format] = {
    "table": Format(".txt", table, joins=True),
    "json": Format(".json", as_json),
    "jsonl": Format(".jsonl", as_json_lines, joins=True),
    "bibtex": Format(".bib", keyed=True),
    "ris": Format(".ris", keyed=True),
    "csl-json": Format(".json", keyed=True),
    "csv": Format(".csv"),
    "markdown": Format(".md", markdown),
    "html": Format(".html", html, keyed=True),
}
"""The formats that an answer is written in, in the order in which the command line offers them."""
LOCAL_FORMATS: Mapping[str, tuple[str, str]] = {
    "table": ("shown_gaps", "gap_table"),
    "json": ("gap_json", "local_json"),
    "jsonl": ("gap_json", "local_json_lines"),
    "markdown": ("gap_pages", "gap_markdown"),
    "html": ("gap_pages", "gap_page"),
    "sarif": ("gap_json", "sarif"),
    "lines": ("shown_gaps", "editor_lines"),
}
"""Those of an answer sentence by sentence: a module of `local_answers`, and its function."""


def render(answer: Answer, name: str) -> str:
    """Write an answer as text; in formats of reference managers, the papers alone.

    Raises:
        InputError: there is no format of that name.
    """
    check_name(name, FORMATS, "format")
    if write := FORMATS[name].write:
        return write(answer)
    from recsys.formats.references.reference_writers import WRITERS

    keys = keys_in(answer) if FORMATS[name].keyed else None
    return WRITERS[name]([item.paper for item in answer.recommendations], keys)


def render_local(answer: "LocalAnswer", name: str, keys: "GapKeys | None" = None) -> str:
    """Write an answer sentence by sentence as text.

    keys: what the papers are cited by; None: the draft's keys are kept, new ones made.

    Raises:
        InputError: there is no format of that name.
    """
    from recsys.formats.local_answers.shown_gaps import keys_of

    check_name(name, LOCAL_FORMATS, "format")
    module, function = LOCAL_FORMATS[name]
    opened = import_module(f"recsys.formats.local_answers.{module}")
    text: str = getattr(opened, function)(answer, keys_of(answer) if keys is None else keys)
    return text
