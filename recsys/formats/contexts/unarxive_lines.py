"""Read the citation contexts of unarXive 2020: seven fields a line, between U+241E.

They are the cited paper's id in the Microsoft Academic Graph, those of papers cited beside it, that
of the citing paper; the same three as arXiv ids; and the citing sentence between two others.
"""

import re
from collections.abc import Iterator

from recsys.formats.contexts.citing_text import ELSEWHERE, HERE
from recsys.formats.contexts.found_contexts import found_contexts, without_signs
from recsys.formats.papers.external_ids import named
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.records import Reference

_BETWEEN = "\u241e"
_FIELDS = 7
_UNKNOWN = frozenset({"", "None", "none", "null", "nan"})
_MAIN, _OTHER = re.compile(r"\bMAINCIT\b"), re.compile(r"\bCIT\b")
# What stands for things that are no words.
_THINGS = re.compile(r"\b(?:FORMULA|FIGURE|TABLE|REF)\b")


def looks_so(head: str) -> bool:
    """Whether a file is such a table."""
    lines = (line for line in head.split("\n")[:20] if line.strip())
    return any(line.count(_BETWEEN) == _FIELDS - 1 for line in lines)


def read(lines: Iterator[str]) -> Iterator[Context | Problem]:
    """Read the contexts of a file, in its order."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        cells = line.rstrip("\n").split(_BETWEEN, _FIELDS - 1)
        if len(cells) < _FIELDS:
            text = f"line {number}: {len(cells)} fields stand where {_FIELDS} should."
            yield Problem(text, "too few fields", number)
            continue
        yield from _contexts(cells)


def _contexts(cells: list[str]) -> Iterator[Context | Problem]:
    cited, citing = _work(cells[0], cells[3]), _work(cells[2], cells[5])
    text = without_signs(cells[6])
    marked = _OTHER.sub(ELSEWHERE, _MAIN.sub(HERE, text)) if _MAIN.search(text) else text
    yield from found_contexts(citing, cited, [_THINGS.sub(" ", marked)])


def _work(mag: str, arxiv: str) -> Reference:
    values = (("mag", mag), ("arxiv", arxiv))
    return named(Reference(), ((name, text) for name, text in values if text not in _UNKNOWN))
