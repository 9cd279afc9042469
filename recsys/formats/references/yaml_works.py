"""Read bibliographies in YAML: pandoc's (CSL), Hayagriva's of Typst, and CITATION.cff.

Hayagriva: https://github.com/typst/hayagriva/blob/main/docs/file-format.md; CITATION.cff:
https://github.com/citation-file-format/citation-file-format/blob/main/schema-guide.md.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from recsys.errors import InputError
from recsys.formats.files import yaml_value
from recsys.formats.papers.field_maps import PaperFormat, each_of
from recsys.formats.papers.paper_fields import Record, person_in, text_of
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.formats.references.bibliography import Problem, kinds_by_word, names_in
from recsys.formats.references.people import natural
from recsys.records import Reference

LONGEST = 8_000_000
"""Characters that are read; some ten thousand works."""
MOST_ALIASES = 100
"""How often a file may repeat by `*name` what stands elsewhere."""

_HINT = "Export it again, or give the works as BibTeX or CSL-JSON."
_CFF = re.compile(r"(?m)^cff-version[^\S\n]*:")
_CSL = re.compile(
    r"(?:\A|\n)(?:references[^\S\n]*:[^\S\n]*(?:#[^\n]*)?\n\s*|---[^\S\n]*\n|\A\s*)"
    r"-\s+[\"']?(?:id|type|title|author|issued|DOI|citation-key|container-title)[\"']?[^\S\n]*:"
)
_TYPES_OF_HAYAGRIVA = kinds_by_word(
    """article: article; book: anthology | book | proceedings | reference; broadcast: performance
    chapter: anthos | chapter; dataset: dataset; entry: entry; graphic: artwork | exhibition
    legal_case: case; legislation: legislation; manuscript: manuscript; motion_picture: video
    article-newspaper: newspaper; patent: patent; periodical: blog | periodical; post: post | thread
    report: report; software: repository; song: audio | scene; thesis: thesis; webpage: web
    paper-conference: conference; document: misc"""
)
_WITHIN = {"periodical": "article-journal", "issue": "article-journal", "blog": "post-weblog"}
_WITHIN |= {"proceedings": "paper-conference", "conference": "paper-conference"}
_WITHIN |= {"newspaper": "article-newspaper", "anthology": "chapter"}
"""What an article is by the type of its parent."""
_HAYAGRIVA = re.compile(
    r"(?im)^[^\s#:-][^\s:]*[^\S\n]*:[^\S\n]*(?:#[^\n]*)?\n(?:[^\S\n]+\S[^\n]*\n|[^\S\n]*\n){0,40}?"
    rf"[^\S\n]+type[^\S\n]*:[^\S\n]*[\"']?(?:{'|'.join(_TYPES_OF_HAYAGRIVA)})[\"']?[^\S\n]*$"
)


def looks_so(head: str) -> bool:
    """Whether the first characters of a text are of a bibliography in YAML."""
    return any(pattern.search(head) for pattern in (_CFF, _CSL, _HAYAGRIVA))


def read(lines: Iterator[str], unread: Counter[str] | None = None) -> Iterator[Reference | Problem]:
    """Read the works of a file.

    unread: counts the works of which a field says something that is not read.

    Raises:
        InputError: when the first is asked for, the file is no YAML, or holds no works.
    """
    text = "".join(lines).lstrip("\ufeff")
    try:
        value = yaml_value(text, "The bibliography", longest=LONGEST, aliases=MOST_ALIASES)
    except InputError as error:
        raise InputError(error.what, _HINT) from error
    for form, record in _records(value):
        if isinstance(record, dict):
            work = form.reference_of(record)
            if unread is not None:
                unread.update(form.unread(record, work))
            yield work
        else:
            yield Problem("A reference is not a mapping of fields.", "no mapping")


def _records(value: object) -> Iterator[tuple[PaperFormat, object]]:
    """Tell the works of a document, and of which of the formats they are."""
    works = value.get("references") if isinstance(value, dict) else value
    # Hayagriva's are entries, most with a title.
    entries = [e for e in value.values() if isinstance(e, dict)] if isinstance(value, dict) else []
    titled = sum("title" in entry for entry in entries)
    if isinstance(value, dict) and "cff-version" in value:
        parts = "preferred-citation", "references"
        own = {key: part for key, part in value.items() if key not in parts}
        yield CFF, {"type": "software", **own}
        for part in parts:
            yield from ((CFF, work) for work in each_of(value.get(part)) if work)
    elif isinstance(works, list):
        yield from ((BY_NAME["CSL-JSON"], work) for work in works)
    elif isinstance(value, dict) and len(entries) == len(value) < 2 * titled:
        for key, entry in value.items():
            yield HAYAGRIVA, {**entry, "key": key, "parent": _titled(entry.get("parent"))}
    elif value is not None:
        said = f"the keys {', '.join([*value][:5])}" if isinstance(value, dict) else "a text"
        raise InputError(f"The YAML holds no references, but {said}.", _HINT)


def _titled(parents: object, deepest: int = 5) -> dict[str, Any]:
    """Return what a work of Hayagriva appeared in: the first of its parents that has a title.

    An issue may have none, but a parent of its own that has.
    """
    every = [{"title": each} if isinstance(each, str) else each for each in each_of(parents)]
    within = [parent for parent in every if isinstance(parent, dict)]
    for parent in within if deepest else ():
        if "title" in parent:
            return parent
        if above := _titled(parent.get("parent"), deepest - 1):
            return parent | above
    return within[0] if within else {}


def _hayagriva(entry: Record) -> dict[str, Any]:
    """Read authors, "Ash, Ann" or in parts, and tell an article's kind by where it stands."""
    people = (
        {**each, "family": each.get("name"), "name": None} if isinstance(each, dict) else each
        for each in each_of(entry.get("author"))
    )
    within = (text_of(entry["parent"].get("type")) or "").lower()
    kind = (text_of(entry.get("type")) or "").lower()
    kind = _WITHIN.get(within, kind) if kind == "article" else _TYPES_OF_HAYAGRIVA.get(kind, kind)
    return {"authors": tuple(map(natural, names_in(map(person_in, people)))), "kind": kind or None}


HAYAGRIVA = PaperFormat(
    "Hayagriva",
    "key",
    "",
    """key title=title.value|title date=date|parent.date venue=parent.title.value|parent.title
    abstract=abstract.value|abstract volume=volume|parent.volume page=page-range
    url=url.value|url pmid=serial-number.pmid pmc=serial-number.pmcid
    doi=doi|serial-number.doi arxiv=serial-number.arxiv places=serial-number|url.value|url""",
    partial=True,
    more=_hayagriva,
    reads="author type",
)
CFF = PaperFormat(
    "CITATION.cff",
    "title",
    "",
    """title people=authors date=year|date-released|date-published|issue-date
    venue=journal|collection-title|conference.name abstract keywords volume page=start|pages
    url=url|repository-code|repository|repository-artifact type doi pmc=pmcid
    places=doi|identifiers.value|url""",
    partial=True,
    kinds=kinds_by_word(
        """article: unpublished; article-journal: article; article-magazine: magazine-article
        article-newspaper: newspaper-article; book: book | proceedings; thesis: thesis
        dataset: data | database | dataset; paper-conference: conference-paper | conference
        report: report; software: software | software-code | software-container
        software: software-executable | software-virtual-machine; webpage: website | blog"""
    ),
)
