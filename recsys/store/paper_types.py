"""What kind of work a paper is: article, review, thesis ..., however its source names it."""

import re
from collections.abc import Iterator, Mapping

from recsys.store.name_keys import fold

_KEYS = frozenset(
    """type types doc-type document-type article-type paper-type publication-type publication-types
    pub-type pub-types""".split()
)
_SYNONYMS: Mapping[str, str] = {
    "article": "journal journal-article journal-paper article-journal research-article "
    "research-paper original-article",
    "conference": "conference-paper conference-article paper-conference proceedings-article "
    "proceedings-paper inproceedings",
    "review": "review-article literature-review systematic-review survey",
    "book": "monograph edited-book",
    "chapter": "book-chapter book-section book-part inbook incollection",
    "thesis": "dissertation phd-thesis phdthesis masters-thesis mastersthesis",
    "preprint": "posted-content repository",
    "report": "tech-report techreport technical-report",
    "letter": "letters-and-comments",
    "dataset": "data-set",
}
_CANONICAL = {name: kind for kind, names in _SYNONYMS.items() for name in names.split()}
_SEPARATORS = re.compile(r"[;|]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")


def paper_types(labels: Mapping[str, object]) -> tuple[str, ...]:
    """Read the types out of a paper's labels, in order; a work may be of several.

    >>> paper_types({"doc_type": "Article; Proceedings Paper"})
    ('article', 'conference')
    >>> paper_types({"publicationTypes": ["JournalArticle", "Review"]})
    ('article', 'review')
    """
    values = (value for key, value in labels.items() if _hyphenated(key) in _KEYS)
    found = (paper_type(name) for value in values for name in _names(value))
    return tuple(dict.fromkeys(name for name in found if name))


def paper_type(name: str) -> str:
    """Return the one name used here for a type of work: lower case, words joined by hyphens.

    >>> paper_type("JournalArticle"), paper_type("Short report"), paper_type("PhD Thesis")
    ('article', 'short-report', 'thesis')
    """
    hyphenated = _hyphenated(name)
    return _CANONICAL.get(hyphenated, hyphenated)


def _names(value: object) -> Iterator[str]:
    """Take apart "Article; Review" and ["Article", "Review"]."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield from _SEPARATORS.split(item)


def _hyphenated(name: str) -> str:
    return _NOT_WORD.sub("-", fold(_HUMP.sub(" ", name))).strip("-")
