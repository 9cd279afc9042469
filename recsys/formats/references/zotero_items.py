"""Write papers as items of Zotero's API: https://www.zotero.org/support/dev/web_api/v3/types_and_fields."""

from collections.abc import Sequence
from typing import Any

from recsys.formats.references.kinds import (
    CHAPTER,
    JOURNAL,
    MEETING,
    PREPRINT,
    REPORT,
    THESIS,
    kind_of,
)
from recsys.formats.references.people import own_name
from recsys.formats.references.shown_facts import (
    bare_doi,
    names_of,
    one_line,
    own_abstract,
    web_address,
)
from recsys.records import Paper

_TYPES = {
    JOURNAL: ("journalArticle", "publicationTitle"),
    MEETING: ("conferencePaper", "proceedingsTitle"),
    PREPRINT: ("preprint", "repository"),
    CHAPTER: ("bookSection", "bookTitle"),
    THESIS: ("thesis", "university"),
    REPORT: ("report", "institution"),
    "book": ("book", "publisher"),
    "dataset": ("dataset", "repository"),
    "software": ("computerProgram", "company"),
}
"""Kind -> type of item, and the field of the venue; all other works are documents."""
_WITH_DOI = frozenset({"journalArticle", "conferencePaper", "preprint", "dataset"})
"""Types with a field for a DOI in every Zotero from 7 on; others have it as a line of Extra."""


def item_of(paper: Paper, collections: Sequence[str] = ()) -> dict[str, Any]:
    """Write the item of a paper. collections: keys of those that it goes into."""
    item_type, container = _TYPES.get(kind_of(paper), ("document", "publisher"))
    doi = bare_doi(paper) or ""
    facts = {
        "title": one_line(paper.title),
        "abstractNote": own_abstract(paper),
        "date": "" if paper.year is None else str(paper.year),
        container: one_line(paper.venue or ""),
        "DOI" if item_type in _WITH_DOI else "extra": doi,
        "url": web_address(paper) or "",
    }
    if item_type not in _WITH_DOI and doi:
        facts["extra"] = f"DOI: {doi}"
    creators = [
        {"creatorType": "author", "firstName": name.given, "lastName": name.surname}
        if name.given
        else {"creatorType": "author", "name": name.natural}
        for name in map(own_name, names_of(paper))
    ]
    written = {name: value for name, value in facts.items() if value}
    return {"itemType": item_type, "creators": creators, **written, "collections": [*collections]}
