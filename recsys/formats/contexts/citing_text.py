"""Cut citing sentences out of text, take their marks out, and say who cites whom in them.

A reader puts HERE where the paper in question is cited, and ELSEWHERE where others are.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from recsys.formats.papers.external_ids import names_of
from recsys.formats.papers.paper_fields import text_of
from recsys.formats.references.bibliography import Problem
from recsys.records import Context, PaperId, Reference

NO_NAME = Problem("a citing or a cited paper has neither id nor title.", "paper without a name")
NO_WORDS = Problem("no sentence is left around a citation mark.", "no sentence around the mark")

HERE, ELSEWHERE = "\ue000", "\ue001"
"""Characters of no text: they stand for citation marks."""
LONGEST_WINDOW = 20_000
"""Characters of a window that are read on either side of a mark."""
LONGEST_SENTENCE = 1_500
"""Characters kept of one sentence: a list that nobody ended is cut around its mark."""
FEWEST_WORDS = 3
"""A sentence of fewer words tells nothing of what it cites."""

_MARKS = f"{HERE}{ELSEWHERE}"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200d\u2060\ufeff\s]+")
# A mark set behind the full stop, as journals with superscripts do, belongs to what it ends.
_BEHIND_STOP = re.compile(
    rf"([.!?][\"'\u2019\u201d)]?)([{_MARKS}][{_MARKS},;\u2013\u2014-]*)(?=\s|\Z)"
)
_BOUNDARY = re.compile(
    rf"[.!?][\"'\u2019\u201d)\]]{{0,2}}\s+(?=[\"'\u2018\u201c(\[]?[A-Z0-9\u00c0-\u00de{_MARKS}])"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:al|e\.g|i\.e|cf|viz|vs|resp|ca|approx|Figs?|Eqs?|Eqn|Secs?|Tabs?|Refs?|Defs?|Thms?"
    r"|Props?|Chap|Ch|App|Alg|No|Nos|Vol|vols?|pp?|eds?|Eds?|Dr|Prof|Mr|Mrs|Ms|St|Jr|Sr|Inc|Ltd"
    r"|sp|spp|var|et|ibid|op|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|(?<![\w.])[A-Z])\.\Z"
)
_JOINED = rf"[{_MARKS}](?:\s*(?:[,;&\u2013\u2014-]|and|or)?\s*[{_MARKS}])*+"
_BRACKETED = re.compile(
    rf"\s*[(\[]\s*(?:(?:see|cf\.?|e\.g\.,?|i\.e\.,?|also|in|and|reviewed|for|a|review|example|[,;])"
    rf"\s*){{0,8}}{_JOINED}[\s,;.]*[)\]]"
)
_MARK = re.compile(rf"\s?{_JOINED}")
_NUMBERED = re.compile(
    r"\s?\[[1-9]\d{0,2}(?:\s?[,;\u2013\u2014-]\s?[1-9]\d{0,2}){0,40}\](?![(\[{])"
)
_HOLLOW = re.compile(r"\s*(?:\(\s*[,;.\s]*\)|\[\s*[,;.\s]*\])")
_LOOSE = re.compile(r"\s+(?=[,;.:!?)\]])|(?<=[(\[])\s+")
_DOUBLED = re.compile(r"([,;])(?:\s*[,;])+")
_BRACKET = re.compile(r"[()\[\]]")
_PARTNERS = {")": "(", "]": "["}
_WORD = re.compile(r"[^\W\d_]{2,}")
# How data sets write that the paper in question is cited, and that another one is.
_HERE = re.compile(
    r"<cite\b[^<>]{0,200}>[^<>]{0,300}</cite>|</?cite\b[^<>]{0,200}>|\[(?:CITE|CITATION|REF)\]"
    r"|\b(?:TARGETCIT|MAINCIT)\b|#(?:REFR|AUTHOR_TAG)\b|(?<!\w)\[?CITEREF\]?(?!\w)"
)
_ELSEWHERE = re.compile(r"\bOTHERCIT\b|#OTHEREFR\b")
_SIGNS = ("CIT", "<", "[REF]", "#")
_CUT = "\u2026"
_LONGEST_TITLE = 200  # characters


def citing_sentences(window: str) -> list[str]:
    """Return the sentences that hold HERE, each once, without any mark; none if nothing is left.

    >>> citing_sentences(f"It rained. Wolves, as foxes {ELSEWHERE}, hunt [{HERE}]. It stopped.")
    ['Wolves, as foxes, hunt.']
    """
    text = _BEHIND_STOP.sub(r"\2\1", _clean(window))
    marked = (sentence for sentence in sentences(text) if HERE in sentence)
    plain = (without_marks(_around(sentence, HERE)) for sentence in marked)
    return [sentence for sentence in dict.fromkeys(plain) if has_words(sentence)]


def cited_sentences(text: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the sentences that hold ELSEWHERE, and the numbers of its places there, from 0.

    >>> list(cited_sentences(f"It rained. Wolves {ELSEWHERE} hunt at night {ELSEWHERE}."))
    [('Wolves hunt at night.', [0, 1])]
    """
    text, count = _BEHIND_STOP.sub(r"\2\1", _clean(text)), 0
    for sentence in sentences(text):
        marks = sentence.count(ELSEWHERE)
        if marks and has_words(said := without_marks(_around(sentence, ELSEWHERE))):
            yield said, list(range(count, count + marks))
        count += marks


def plain_sentence(text: str) -> str:
    """Return a text that is a sentence already, without what is known to stand for a citation."""
    return without_marks(_clean(text[: 2 * LONGEST_SENTENCE]))[:LONGEST_SENTENCE]


def without_marks(text: str) -> str:
    """Take the marks out, and the brackets and commas that nothing stands in any more."""
    bracketed = "(" in text or "[" in text
    if HERE in text or ELSEWHERE in text:
        text = _MARK.sub("", _BRACKETED.sub("", text) if bracketed else text)
        # A mark may have been given with one of the brackets around it: those without partner go.
        left, lone = list[int](), set[int]()
        for match in _BRACKET.finditer(text):
            if match[0] in "([":
                left.append(match.start())
            elif left and text[left[-1]] == _PARTNERS[match[0]]:
                left.pop()
            else:
                lone.add(match.start())
        lone.update(left)
        text = "".join(c for at, c in enumerate(text) if at not in lone) if lone else text
    if bracketed:
        text = _HOLLOW.sub("", _NUMBERED.sub("", text))
    return " ".join(_DOUBLED.sub(r"\1", _LOOSE.sub("", text)).split())


def _clean(text: str) -> str:
    """Put a text on one line."""
    return (text if text.isprintable() else _CONTROL.sub(" ", text)).strip()


def has_words(text: str) -> bool:
    """Tell whether a sentence has words enough to be compared with others."""
    return len(_WORD.findall(text)) >= FEWEST_WORDS


def sentences(text: str) -> Iterator[str]:
    """Split a text on one line at the ends of its sentences."""
    begin = 0
    for match in _BOUNDARY.finditer(text):
        stop = match.start() + 1
        if text[match.start()] == "." and _ABBREVIATED.search(text, max(begin, stop - 12), stop):
            continue
        yield text[begin : match.end()].strip()
        begin = match.end()
    if rest := text[begin:].strip():
        yield rest


def windows(text: str) -> Iterator[str]:
    """Cut a text of any length into pieces around its marks, so that none costs much."""
    if len(text) <= 2 * LONGEST_WINDOW:
        yield text
        return
    place = text.find(HERE)
    while place >= 0:
        begin, end = max(0, place - LONGEST_WINDOW), place + LONGEST_WINDOW
        yield text[begin:end]
        place = text.find(HERE, end)


def _around(sentence: str, mark: str) -> str:
    """Cut a sentence that is too long to both sides of its first mark, between words."""
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    place = sentence.index(mark)
    begin = max(0, place - LONGEST_SENTENCE // 2)
    piece = sentence[begin : begin + LONGEST_SENTENCE]
    first = piece.find(" ", 0, piece.index(mark)) + 1 if begin else 0
    last = piece.rfind(" ", piece.index(mark))
    return piece[first : last if last > 0 and begin + len(piece) < len(sentence) else None]


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
    for here in map(sentences_of, texts or [""]):
        yield from (context_of(citing, cited, sentence, section) for sentence in here)
        if not here:
            yield NO_WORDS


def cited_contexts(
    citing: Reference,
    works: Mapping[str, Sequence[Reference]],
    text: str,
    keys: Sequence[Sequence[str]],
    section: object,
) -> Iterator[Context | Problem]:
    """Yield a context for each sentence of a paragraph and each work that it cites.

    Args:
        citing: with an identifier or a title.
        works: by key; a key that is not among them names no paper.
        text: with ELSEWHERE at each mark.
        keys: what is cited at each mark.
        section: title, if any.
    """
    for sentence, marks in cited_sentences(text):
        cited = dict.fromkeys(key for mark in marks for key in keys[mark])
        yield from contexts_of(citing, works, cited, sentence, section)


def contexts_of(
    citing: Reference,
    works: Mapping[str, Sequence[Reference]],
    keys: Iterable[str],
    sentence: str,
    section: object,
) -> Iterator[Context | Problem]:
    """Yield a context for each work that a sentence without marks cites."""
    for work in (work for key in keys for work in works.get(key, (Reference(),))):
        yield context_of(citing, work, sentence, section) if is_known(work) else NO_NAME


def context_of(citing: Reference, cited: Reference, sentence: str, section: object) -> Context:
    """Put one together whose sentence has no marks any more."""
    title = (text_of(section) or "")[:_LONGEST_TITLE]
    # Most data sets know a name alone, and have millions.
    one, other = (
        work if work.title or len(names_of(work)) > 1 else None for work in (citing, cited)
    )
    return Context(surest_name(citing), surest_name(cited), sentence, title, one, other)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a window that cite the paper in question."""
    marked = text
    # Most texts have no marks of data sets, and looking for a sign costs little.
    if any(sign in text for sign in _SIGNS):
        marked = _ELSEWHERE.sub(ELSEWHERE, _HERE.sub(HERE, text))
    if HERE in marked:
        citing = (sentence for window in windows(marked) for sentence in citing_sentences(window))
        return list(dict.fromkeys(citing))
    sentence = plain_sentence(marked).strip(f"{_CUT} ")
    return [sentence] if has_words(sentence) else []


def without_signs(text: str) -> str:
    """Take HERE and ELSEWHERE out of a text of somebody else, who means something else by them."""
    return text.replace(HERE, " ").replace(ELSEWHERE, " ")


def is_known(work: Reference) -> bool:
    """Tell whether a paper could be found in a corpus."""
    return bool(work.title or surest_name(work))


def surest_name(work: Reference) -> PaperId:
    """Return the name by which a corpus knows a work for certain; "" where there is none."""
    return work.id or next(iter(names_of(work)), "")
