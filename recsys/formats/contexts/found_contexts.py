"""Put a context together: who cites whom, by any name that a file tells, and in which sentences."""

import re
from collections.abc import Iterator

from recsys.formats.contexts.citing_text import (
    ELSEWHERE,
    HERE,
    citing_sentences,
    has_words,
    plain_sentence,
    windows,
)
from recsys.formats.papers.paper_fields import text_of
from recsys.formats.papers.paper_of_reference import names_of
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.records import PaperId, Reference

NO_NAME = Problem("a citing or a cited paper has neither id nor title.", "paper without a name")
NO_WORDS = Problem("no sentence is left around a citation mark.", "no sentence around the mark")

# How data sets write that the paper in question is cited, and that another one is.
_HERE = re.compile(
    r"<cite\b[^<>]{0,200}>[^<>]{0,300}</cite>|</?cite\b[^<>]{0,200}>|\[(?:CITE|CITATION|REF)\]"
    r"|\b(?:TARGETCIT|MAINCIT)\b|#(?:REFR|AUTHOR_TAG)\b|(?<!\w)\[?CITEREF\]?(?!\w)"
)
_ELSEWHERE = re.compile(r"\bOTHERCIT\b|#OTHEREFR\b")
_SIGNS = ("CIT", "<", "[REF]", "#")
_CUT = "\u2026"
_LONGEST_TITLE = 200  # characters


def found_contexts(
    citing: Reference, cited: Reference, texts: list[str], section: object = None
) -> Iterator[Context | Problem]:
    """Yield a context for each sentence in question.

    Args:
        citing: with an identifier or a title; so is the next.
        cited: the paper that is cited.
        texts: windows with HERE, or with the marks of data sets; one without is a sentence.
        section: title, if any.
    """
    if not (is_known(citing) and is_known(cited)):
        yield NO_NAME
        return
    if not texts:
        yield NO_WORDS
    for text in texts:
        said = sentences_of(text)
        if not said:
            yield NO_WORDS
        for sentence in said:
            yield context_of(citing, cited, sentence, section)


def context_of(citing: Reference, cited: Reference, sentence: str, section: object) -> Context:
    """Put one together whose sentence has no marks any more."""
    title = (text_of(section) or "")[:_LONGEST_TITLE]
    # Most data sets know a name alone, and have millions.
    one, other = (work if _tells_more(work) else None for work in (citing, cited))
    return Context(surest_name(citing), surest_name(cited), sentence, title, one, other)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a window that cite the paper in question."""
    marked = with_marks(text)
    if HERE in marked:
        said = (each for window in windows(marked) for each in citing_sentences(window))
        return list(dict.fromkeys(said))
    sentence = plain_sentence(marked).strip(f"{_CUT} ")
    return [sentence] if has_words(sentence) else []


def with_marks(text: str) -> str:
    """Put HERE and ELSEWHERE for the marks of data sets."""
    if not any(sign in text for sign in _SIGNS):
        return text  # So are most, and looking for a sign costs little.
    return _ELSEWHERE.sub(ELSEWHERE, _HERE.sub(HERE, text))


def without_signs(text: str) -> str:
    """Take HERE and ELSEWHERE out of a text of somebody else, who means something else by them."""
    return text.replace(HERE, " ").replace(ELSEWHERE, " ")


def is_known(work: Reference) -> bool:
    """Tell whether a paper could be found in a corpus."""
    return bool(work.title or surest_name(work))


def surest_name(work: Reference) -> PaperId:
    """Return the name by which a corpus knows a work for certain; "" where there is none."""
    return work.id or next(iter(names_of(work)), "")


def _tells_more(work: Reference) -> bool:
    return bool(work.title) or len(names_of(work)) > 1
