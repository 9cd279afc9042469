"""Name places of drafts for people and programs, and show the sentences that stand there."""

from pathlib import PurePath
from typing import Any

from recsys.formats.references.shown_facts import one_line
from recsys.records import Answer, PaperId, Place

UNNAMED = "draft"
"""What stands for the file of a draft that has none."""
LONGEST_SENTENCE = 120
"""Characters of a sentence that people are shown."""


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
    if path.suffix.lower() == ".zip":
        return str(path / file)
    return str(path.parent / file)


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


def where_of(answer: Answer, paper_id: PaperId) -> tuple[str, str] | None:
    """Say where a recommended paper fits: the place and its sentence, cut where it is long."""
    place = (answer.where or {}).get(paper_id)
    if place is None:
        return None
    path = one_line(path_in(answer.draft, place.file))
    return named_place(path, place.unit, place.line), f'"{_cut(one_line(place.text))}"'


def where_record(answer: Answer, paper_id: PaperId) -> dict[str, Any]:
    """Put where a paper fits under `where`: null where it fits nowhere, no key if nobody looked."""
    if answer.where is None:
        return {}
    place = answer.where.get(paper_id)
    return {"where": None if place is None else _record(answer, place)}


def _record(answer: Answer, place: Place) -> dict[str, Any]:
    known = place.file or answer.draft not in (None, "-")
    return {
        "file": path_in(answer.draft, place.file) if known else None,
        "unit": place.unit,
        "line": place.line,
        "column": place.column,
        "section": place.section,
        "sentence": place.text,
        "score": round(float(place.score), 6),
    }


def _cut(text: str) -> str:
    if len(text) <= LONGEST_SENTENCE:
        return text
    cut = text[: LONGEST_SENTENCE - 3]
    return (cut[: cut.rfind(" ")] if " " in cut else cut) + "..."
