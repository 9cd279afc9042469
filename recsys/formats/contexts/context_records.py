"""Read citing sentences that come one a record: of JSON, of one large object, of lines of fields.

- Our own, Semantic Scholar's data set, its API's answers. Those to /references name the citing
  paper beside the list, as `citingPaperInfo`; those to /citations do not name the cited one, which
  then has to be added as `citedPaperInfo`.
- ACL-200 and its kin, ACL-600, RefSeer and arXiv of Medić and Šnajder 2020 and of Gu et al. 2022:
  one object with a masked context per id, up to some GB on a single line, decoded one at a time.
- unarXive 2020: seven fields a line, between U+241E. They are the cited paper's id in the Microsoft
  Academic Graph, those of papers cited beside it, that of the citing paper; the same three as arXiv
  ids; and the citing sentence between two others.
- FullTextPeerRead (Jeong et al. 2020): a table with the text on both sides of each citation.
  `target_id` is the citing paper, `source_id` the cited one.
"""

import codecs
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from recsys.formats import identifiers
from recsys.formats.contexts.citing_text import (
    ELSEWHERE,
    HERE,
    LONGEST_WINDOW,
    found_contexts,
    without_signs,
)
from recsys.formats.exports.csv_rows import rows, split_line
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import Record, id_of
from recsys.formats.papers.semantic_scholar import work_of_api
from recsys.formats.references.bibliography import Problem
from recsys.records import Context, Reference

NO_CONTEXT = Problem("a citation comes without any sentence.", "citation without a sentence")
_ROLES = (("citingPaper", "citingPaperInfo"), ("citedPaper", "citedPaperInfo"))

LARGEST_MEMBER = 2**22
"""Characters of one masked context with its id; the largest known have some thousands."""
_CHUNK = 2**16
_MASKED = re.compile(r"\s*\{\s*\"[^\"]{1,300}\"\s*:\s*\{")
_OPENING = re.compile(r"\s*\ufeff?\s*\{")
_SPACE = re.compile(r"[\s,]*")
_COLON = re.compile(r"\s*:\s*")
_NEXT = re.compile(r"\}\s*,\s*(?=\"[^\"]{1,300}\"\s*:\s*\{)")
_decode = json.JSONDecoder(strict=False).raw_decode

_BETWEEN, _FIELDS = "\u241e", 7
_NO_ID = frozenset({"", "None", "none", "null", "nan"})
_MAIN, _OTHER = re.compile(r"\bMAINCIT\b"), re.compile(r"\bCIT\b")
# What stands for things that are no words.
_THINGS = re.compile(r"\b(?:FORMULA|FIGURE|TABLE|REF)\b")

_LEFT, _RIGHT = "left_citated_text", "right_citated_text"
_COLUMNS = frozenset({"target_id", "source_id", _LEFT, _RIGHT})


def own_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read {"citing", "cited", "text", "section"}, in ids of the corpus."""
    citing, cited = (Reference(id=id_of(record.get(name))) for name in ("citing", "cited"))
    yield from found_contexts(citing, cited, _texts(record.get("text")), record.get("section"))


def dataset_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read a record of S2AG's data set `citations`."""
    citing, cited = (
        named(Reference(), (("corpusid", record.get(name)),))
        for name in ("citingcorpusid", "citedcorpusid")
    )
    if texts := _texts(record.get("contexts")):
        yield from found_contexts(citing, cited, texts)
    else:
        yield NO_CONTEXT


def answer_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read an answer of the API to /citations or /references, or one citation out of it."""
    items = record.get("data", [record])
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            yield Problem("a citation is no object.", "not an object")
            continue
        citing, cited = (
            _paper(item.get(role)) or _paper(record.get(info)) for role, info in _ROLES
        )
        texts = _texts(item.get("contexts")) or _texts(item.get("contextsWithIntent"))
        if not texts:
            yield NO_CONTEXT
        elif citing is None or cited is None:
            info = _ROLES[citing is not None][1]
            yield Problem(
                f"the answer does not say which paper it was asked about: add it to the file, as "
                f'"{info}": {{"paperId": "..."}} beside "data".',
                "paper that was asked about not named",
            )
        else:
            yield from found_contexts(citing, cited, texts)


def _paper(paper: object) -> Reference | None:
    """Read a paper of the API; None where there is none, or it has no name."""
    work = work_of_api(paper) if isinstance(paper, dict) else Reference()
    return work if work.id or work.title or work.ids or work.doi else None


def _texts(value: object) -> list[str]:
    """Return the texts of a list, also of one with their intents, or a single text."""
    items = value if isinstance(value, list) else [value]
    texts = (item.get("context") if isinstance(item, dict) else item for item in items)
    return [text for text in texts if isinstance(text, str) and text.strip()]


def masked_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read a context in which TARGETCIT stands for the paper in question, OTHERCIT for others."""
    text = record.get("masked_text")
    citing, cited = (Reference(id=id_of(record.get(name))) for name in ("citing_id", "refid"))
    yield from found_contexts(citing, cited, [text] if isinstance(text, str) else [])


def is_masked(head: str) -> bool:
    """Whether a file is one object of masked contexts."""
    text = head.lstrip("\ufeff")
    return bool(_MASKED.match(text)) and '"masked_text"' in text and '"refid"' in text


def read_masked(stream: BinaryIO) -> Iterator[Context | Problem]:
    """Read the masked contexts of a file, in its order."""
    for member in members(stream):
        if isinstance(member, Problem):
            yield member
        elif isinstance(member, dict) and "masked_text" in member:
            yield from masked_contexts(member)
        else:
            yield Problem("a member is no masked context.", "not a context")


def members(stream: BinaryIO) -> Iterator[object]:
    """Yield the values of an object's members; a Problem where one cannot be read.

    What is held of the stream grows, twice as much each time, until a member is held whole.
    """
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    chunk = stream.read(_CHUNK)
    held, passed, size = decode(chunk, final=not chunk), 0, 2 * _CHUNK
    opening = _OPENING.match(held)
    at = opening.end() if opening else 0
    while True:
        space = _SPACE.match(held, at)
        at = space.end() if space else at
        if held.startswith("}", at):
            return
        try:
            _, end = _decode(held, at)
            colon = _COLON.match(held, end)
            if colon is None or colon.end() == len(held):
                raise ValueError
            value, end = _decode(held, colon.end())
        except (ValueError, RecursionError):
            if chunk and len(held) - at <= LARGEST_MEMBER:
                chunk = stream.read(size)
                size, passed = min(2 * size, LARGEST_MEMBER), passed + at
                held, at = held[at:] + decode(chunk, final=not chunk), 0
                continue
            if at == len(held):
                return
            yield Problem(f"character {passed + at:,}: a context is no JSON.", "not JSON")
            following = _NEXT.search(held, at + 1)
            end = following.end() if following else len(held)
        else:
            yield value
        at, size = end, _CHUNK


def is_unarxive(head: str) -> bool:
    """Whether a file has the contexts of unarXive 2020."""
    lines = (line for line in head.split("\n")[:20] if line.strip())
    return any(line.count(_BETWEEN) == _FIELDS - 1 for line in lines)


def read_unarxive(lines: Iterator[str]) -> Iterator[Context | Problem]:
    """Read the contexts of unarXive 2020, in their order."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        cells = line.rstrip("\n").split(_BETWEEN, _FIELDS - 1)
        if len(cells) < _FIELDS:
            text = f"line {number}: {len(cells)} fields stand where {_FIELDS} should."
            yield Problem(text, "too few fields", number)
            continue
        cited, citing = (
            named(Reference(), ((name, cells[at]) for name, at in ids if cells[at] not in _NO_ID))
            for ids in ((("mag", 0), ("arxiv", 3)), (("mag", 2), ("arxiv", 5)))
        )
        text = without_signs(cells[6])
        if _MAIN.search(text):
            text = _OTHER.sub(ELSEWHERE, _MAIN.sub(HERE, text))
        yield from found_contexts(citing, cited, [_THINGS.sub(" ", text)])


def is_peerread(head: str) -> bool:
    """Whether a file has the header of FullTextPeerRead."""
    return _delimiter(head.lstrip("\ufeff \r\n").partition("\n")[0]) is not None


def read_peerread(lines: Iterator[str]) -> Iterator[Context | Problem]:
    """Read the table of FullTextPeerRead; its ids are those of arXiv, for all papers there."""
    header = next((line for line in lines if line.strip(" \ufeff\n")), "").lstrip("\ufeff")
    delimiter = _delimiter(header) or ","
    names: list[str] | None = None
    for row in rows(chain([header], lines), delimiter):
        if isinstance(row, Problem):
            yield row
        elif names is None:
            names = [cell.strip() for cell in row.cells]
        elif (cells := dict(zip(names, row.cells, strict=False))).keys() >= _COLUMNS:
            left, right = (without_signs(cells[name]) for name in (_LEFT, _RIGHT))
            window = f"{left[-LONGEST_WINDOW:]} {HERE} {right[:LONGEST_WINDOW]}"
            citing, cited = (
                Reference(id=id_of(cells[name].strip()), arxiv=identifiers.arxiv(cells[name]))
                for name in ("target_id", "source_id")
            )
            yield from found_contexts(citing, cited, [window])
        else:
            text = f"line {row.line}: {len(row.cells)} cells are too few."
            yield Problem(text, "too few fields", row.line)


def _delimiter(header: str) -> str | None:
    for delimiter in (",", "\t", ";"):
        if {cell.strip() for cell in split_line(header, delimiter)} >= _COLUMNS:
            return delimiter
    return None
