"""Citations as records of JSON: our own contexts, Semantic Scholar's data set, its API's answers.

The API's answers to /references name the citing paper beside the list, as `citingPaperInfo`; those
to /citations do not name the cited one, which then has to be added as `citedPaperInfo`.
"""

from collections.abc import Iterator
from typing import Any

from recsys.formats.contexts.found_contexts import found_contexts
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import Record, id_of, names_of, text_of, year_of
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.records import Reference

NO_CONTEXT = Problem("a citation comes without any sentence.", "citation without a sentence")
_ROLES = ("citingPaper", "citedPaper")
_INFO = ("citingPaperInfo", "citedPaperInfo")


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
    texts = _texts(record.get("contexts"))
    if not texts:
        yield NO_CONTEXT
        return
    yield from found_contexts(citing, cited, texts)


def answer_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read an answer of the API to /citations or /references, or one citation out of it."""
    items = record.get("data", [record]) if "data" in record else [record]
    known = [_work(record.get(name)) for name in _INFO]
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            yield Problem("a citation is no object.", "not an object")
            continue
        works = [_work(item.get(role)) or info for role, info in zip(_ROLES, known, strict=True)]
        texts = _texts(item.get("contexts")) or _texts(item.get("contextsWithIntent"))
        if not texts:
            yield NO_CONTEXT
        elif works[0] is None or works[1] is None:
            yield _unnamed(_INFO[0] if works[0] is None else _INFO[1])
        else:
            yield from found_contexts(works[0], works[1], texts)


def _unnamed(info: str) -> Problem:
    return Problem(
        f"the answer does not say which paper it was asked about: add it to the file, as "
        f'"{info}": {{"paperId": "..."}} beside "data".',
        "paper that was asked about not named",
    )


def _work(paper: object) -> Reference | None:
    """Read a paper of the API; None where there is none, or it has no name."""
    if not isinstance(paper, dict):
        return None
    external: Any = paper.get("externalIds")
    work = Reference(
        id=id_of(paper.get("paperId")),
        title=text_of(paper.get("title")),
        authors=names_of(paper.get("authors"), "name")[:1],
        year=year_of(paper.get("year")),
    )
    numbers = (("s2", paper.get("paperId")), ("corpusid", paper.get("corpusId")))
    others = external.items() if isinstance(external, dict) else ()
    found = named(work, (*numbers, *others))
    return found if found.id or found.title or found.ids or found.doi else None


def _texts(value: object) -> list[str]:
    """Return the texts of a list, also of one with their intents, or a single text."""
    items = value if isinstance(value, list) else [value]
    texts = (item.get("context") if isinstance(item, dict) else item for item in items)
    return [text for text in texts if isinstance(text, str) and text.strip()]
