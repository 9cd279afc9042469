"""Read the citing sentences of papers as they were written or printed: LaTeX, PDF, Word."""

import re
from collections.abc import Iterator
from pathlib import Path

from recsys.errors import CorpusError
from recsys.formats.bodies.body_formats import parse_body
from recsys.formats.contexts.citing_text import has_words, without_marks
from recsys.formats.contexts.found_contexts import NO_NAME, NO_WORDS, context_of, is_known
from recsys.formats.drafts.draft_formats import parse_manuscript
from recsys.formats.files import MAX_BYTES
from recsys.formats.references.bibliography import Problem
from recsys.formats.source_streams import open_bytes
from recsys.passages import Context, Sentence
from recsys.records import Manuscript, Reference

_LATEX = re.compile(r"^[^%\n]{0,200}\\(?:documentclass|documentstyle|begin\s*\{document\})", re.M)
_BEGINNINGS = ("%PDF-", "PK\x03\x04")


def looks_so(head: str) -> bool:
    """Whether a file is a paper in LaTeX, PDF or Word."""
    return head.startswith(_BEGINNINGS) or _LATEX.search(head) is not None


def read(path: Path) -> Iterator[Context | Problem]:
    """Read a paper; it is known by what it says of itself.

    Raises:
        InputError: it cannot be read, or has no running text.
        MissingExtraError: its format needs a package that is not installed.
    """
    with open_bytes(path) as stream:
        raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise CorpusError(f"{path} is larger than any paper.", "Give the paper itself.")
    name = path.with_suffix("") if path.suffix == ".gz" else path
    manuscript = parse_manuscript(raw, name)
    body = parse_body(raw, name, manuscript=manuscript)
    citing = _work(manuscript)
    yield from (Problem(note, "remark on a paper") for note in body.notes)
    if not is_known(citing):
        yield NO_NAME
        return
    works = {work.key: work for work in reversed(body.references) if work.key}
    for sentence in body.sentences:
        yield from _contexts(citing, works, sentence)


def _work(manuscript: Manuscript) -> Reference:
    return Reference(
        id=manuscript.paper_id, title=manuscript.title or None, authors=tuple(manuscript.authors)
    )


def _contexts(
    citing: Reference, works: dict[str, Reference], sentence: Sentence
) -> Iterator[Context | Problem]:
    if not sentence.cited:
        return
    said = without_marks(sentence.text)
    if not has_words(said):
        yield NO_WORDS
        return
    for key in sentence.cited:
        if (work := works.get(key)) is not None and is_known(work):
            yield context_of(citing, work, said, sentence.section)
        else:
            yield NO_NAME
