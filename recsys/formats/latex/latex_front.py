"""Find the title, the authors and the abstract of a LaTeX source."""

from dataclasses import dataclass

from recsys.formats.latex.latex_abstract import abstract_of, opening_of
from recsys.formats.latex.latex_authors import authors_of
from recsys.formats.latex.latex_keyphrases import keyphrases_of
from recsys.formats.latex.latex_title import title_of
from recsys.formats.latex.latex_words import Words


@dataclass(frozen=True, slots=True)
class Front:
    """What a draft says of itself.

    opening: its first words, where there is no abstract. guess: whether the title is one.
    keyphrases: the keywords that it states.
    """

    title: str
    abstract: str | None
    authors: tuple[str, ...]
    opening: str | None = None
    guess: bool = False
    keyphrases: tuple[str, ...] = ()


def front_matter(source: str, words: Words) -> Front:
    """Read title, abstract and authors from a source without comments."""
    title, abstract = title_of(source, words), abstract_of(source, words)
    return Front(
        title=title.text,
        abstract=abstract,
        authors=authors_of(source, words) or title.authors,
        opening=None if abstract else opening_of(source, words),
        guess=bool(title.text) and not title.sure,
        keyphrases=keyphrases_of(source, words),
    )
