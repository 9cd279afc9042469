"""Read a draft given as plain text: title, abstract, the works it points to, and its sentences."""

import re
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from recsys.formats.bodies.headings import (
    ABSTRACT_NAMES,
    INTRODUCTION_NAMES,
    KEYWORDS_NAMES,
    LIST_NAMES,
    LONGEST_HEADING_WORDS,
    bare,
    ends_text,
    is_beside_title,
    is_heading,
    is_section_name,
)
from recsys.formats.bodies.printed_citations import named_works
from recsys.formats.drafts.wording import (
    GUESSED_TITLE,
    NO_TITLE,
    clean,
    clipped,
    counted,
    opening,
    paragraphs,
    stated_on_lines,
)
from recsys.formats.files import decode, display_name
from recsys.formats.references.bibliography import identified
from recsys.records import Body, Manuscript, Reference

LONGEST_TITLE_LINES, LONGEST_TITLE_WORDS = 3, 40
"""A first paragraph beyond one of these is text, not a title."""
TOO_LONG = "The first paragraph is too long for a title; the draft is read without one."
DOUBTS = (NO_TITLE, GUESSED_TITLE, TOO_LONG)
"""Notes on a title."""
MOST_BESIDE_TITLE = 10
"""Lines of a cover that are passed over."""
LONGEST_FIRST_LINE_WORDS = 30
"""Words of a first paragraph that is left out of the text as its title."""
LONGEST_LIST = 1_000_000
"""Characters of a list of references that are looked through."""
LONGEST_ITEM = 2_000
"""Characters of one work in it that are read."""

_LABEL = re.compile(r"(?i)\A(?:paper |working )?title\s*:\s*")
_NUMBER = r"(?:(?:\d{1,2}|[IVX]{1,4})(?:\.\d{1,2})*[.)]?[^\S\n]{1,4})?"
_ABSTRACT = re.compile(
    rf"(?im)^[^\S\n]{{0,8}}{_NUMBER}{ABSTRACT_NAMES}"
    r"(?:[^\S\n]{0,4}[:.\u2013\u2014-]{1,3}[^\S\n]*|[^\S\n]*$)"
)
_AFTER_ABSTRACT = re.compile(
    rf"(?im)^[^\S\n]{{0,8}}{_NUMBER}(?:{INTRODUCTION_NAMES}|{ABSTRACT_NAMES}|outline|references|"
    rf"bibliography)[^\S\n]{{0,4}}[:.]?[^\S\n]*$|^[^\S\n]{{0,8}}(?:{KEYWORDS_NAMES}|keyphrases\b)"
)
_LIST = re.compile(
    rf"(?im)^[^\S\n]{{0,8}}(?:#{{1,6}} )?{_NUMBER}[*_]{{0,3}}{LIST_NAMES}[*_]{{0,3}}"
    r"[^\S\n]{0,4}:?[*_]{0,3}[^\S\n]*(?:\{[^{}\n]{0,80}\}[^\S\n]*)?$"
)
_MAY_BE_LISTED = re.compile(r"\s*(?:[\[(]?\d|[-*\u2022])|.*\b(?:1[89]|20)\d\d\b")
"""How a text begins that may be nothing but a list of works."""

MOST_PARAGRAPHS = 100_000

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_FRONT = re.compile(r"(?i)\s*(?:abstract|keywords?|key words|index terms)\s*[:.\u2013\u2014-]")
_LIST_ITEM = re.compile(r"(?m)^[^\S\n]*(?:[-*\u2022\u2013]|\(?(?:\d{1,2}|[a-z])[.)])[^\S\n]+(?=\S)")


def parse(raw: bytes, path: Path) -> "PlainDraft":
    """Decode a plain text and split its list of references off.

    Raises:
        InputError: the file is no text.
    """
    return PlainDraft(decode(raw, display_name(path)))


class PlainDraft:
    """A plain text: a title, an abstract, a list of references, each as far as it is there."""

    def __init__(self, text: str) -> None:
        """Split the list of references off."""
        self._text, self._notes = clipped(text)
        self._above, self._listed, self._unread = split_list(self._text)

    def manuscript(self) -> Manuscript:
        """Return title, abstract and references; a text may be nothing but references."""
        if works := self._listed_alone():
            return Manuscript(references=works, notes=self._notes)
        notes = (*self._notes, *self._unread)
        title, rest, doubt = _title(self._above)
        marked = marked_abstract(rest)
        abstract = marked or opening(paragraphs(rest))
        if title or abstract:
            notes += doubt
        if abstract and not marked and len(rest) > len(abstract) + 200:
            words = counted(len(abstract.split()), "word")
            notes += (f"No abstract is marked; the first {words} after the title stand in for it.",)
        references = self._listed
        if not references:
            references, named = named_works(self._above)
            notes += named
        return Manuscript(
            title=title,
            abstract=abstract,
            references=references,
            notes=notes,
            keyphrases=stated_on_lines(self._above),
        )

    def _listed_alone(self) -> tuple[Reference, ...]:
        """Return the works of a text that is nothing but identifiers, or printed references."""
        lines = self._text.split("\n") if len(self._text) <= LONGEST_LIST else []
        items = [line for line in lines if line.strip()]
        named = all(len(line.split()) <= 3 for line in items)  # A marker, "doi:", the identifier.
        if not (named or (items and _MAY_BE_LISTED.match(items[0]))):
            return ()
        from recsys.formats.bodies.printed_works import is_printed, list_items, marker_of

        items = items if named else list_items(self._text)
        works = dict[Reference, None]()
        for item in items:
            text, work = clean(marker_of(item)[1]), _work(item)
            alone = named and len(text.split()) <= 2
            if work is None or not (alone or is_printed(text, work)):
                return ()
            works[work] = None
        return tuple(works)

    def body(self, references: Sequence[Reference]) -> Body:
        """Read what is neither title, abstract, heading nor listed.

        What is printed as a citation, "(Lee, 2020)" or "[12]", is a mark without keys.
        """
        from recsys.formats.bodies.running_text import Lines, RunningText  # Only sentences need it.

        running, text = RunningText(numbers=True), self._above
        skipping = False
        for number, match in enumerate(islice(_PARAGRAPH.finditer(text), MOST_PARAGRAPHS)):
            paragraph, at = match[0], match.start()
            if number == 0 and text[match.end() :].strip():
                ended = paragraph.rstrip().endswith((".", "!", ";", ","))
                long = len(paragraph.split()) > LONGEST_FIRST_LINE_WORDS
                if not (ended or long or "[" in paragraph):
                    continue  # The title.
            first, _, rest = paragraph.partition("\n")
            if is_heading(first) if rest else may_be_heading(first):
                skipping = ends_text(first)
                running.heading(bare(first))
                at, paragraph = at + len(first), rest and f"\n{rest}"
            if not skipping and not _FRONT.match(paragraph):
                # Items of a list, and what goes before them, are paragraphs of their own.
                items = list(_LIST_ITEM.finditer(paragraph))
                starts = [0, *(item.end() for item in items)]
                ends = [*(item.start() for item in items), len(paragraph)]
                for start, end in zip(starts, ends, strict=True):
                    if start < end:
                        running.words(paragraph[start:end], at + start)
                        running.end_paragraph()
        sentences = running.sentences(Lines(self._text))
        return Body(sentences, references=tuple(references), notes=self._notes)


def may_be_heading(line: str) -> bool:
    """Whether a line alone is a heading: short, no sentence, and numbered, known or in capitals."""
    words = line.split()
    if not 0 < len(words) <= LONGEST_HEADING_WORDS or line.rstrip()[-1] in ".,;:!?":
        return False
    long = [word for word in words if len(word) > 3 and word[0].isalpha()]
    capitals = bool(long) and all(word[0].isupper() for word in long) and "[" not in line
    return capitals or is_heading(line) or ends_text(line)


def split_list(
    text: str, plain: Callable[[str], str] = clean
) -> tuple[str, tuple[Reference, ...], tuple[str, ...]]:
    """Split off the list of references at the end of a text.

    plain: takes the mark-up out of a work.

    Returns:
        The text before it, the works in it that have a title, a DOI, an arXiv or an ACL id, and
        notes on the others.
    """
    heading = next(reversed(list(_LIST.finditer(text))), None)
    if heading is None:
        return text, (), ()
    from recsys.formats.bodies.printed_works import list_items

    works = [_work(item, plain) for item in list_items(text[heading.end() :][:LONGEST_LIST])]
    unread = works.count(None)
    notes = (f"{counted(unread, 'listed reference')} not understood and left out.",)
    return text[: heading.start()], tuple(dict.fromkeys(filter(None, works))), notes[: bool(unread)]


def marked_abstract(text: str) -> str | None:
    """Return what follows a heading "Abstract", up to the next heading; None without one."""
    headings = [*_ABSTRACT.finditer(text)]
    if not headings:
        return None
    # Of abstracts in two languages, the English one.
    heading = next((each for each in headings if "abstract" in each[0].lower()), headings[0])
    rest = text[heading.end() :]
    end = _AFTER_ABSTRACT.search(rest)
    parts = paragraphs(rest[: end.start()] if end else rest)
    return " ".join(parts) or None if end else opening(parts)


def _title(text: str) -> tuple[str, str, tuple[str, ...]]:
    """Split a text into its title, empty where the text begins at once, and the rest; with a note.

    What covers and heads of pages say above the title goes.
    """
    stripped, doubt = text.strip(), tuple[str, ...]()
    for _ in range(MOST_BESIDE_TITLE):
        first, _, below = stripped.partition("\n")
        if not (below.strip() and is_beside_title(first)):
            break
        stripped, doubt = below.strip(), (GUESSED_TITLE,)
    if is_section_name(first) or _ABSTRACT.match(stripped):
        return "", stripped, () if _ABSTRACT.match(stripped) and not doubt else (NO_TITLE,)
    parts = re.split(r"\n[^\S\n]*\n", stripped, maxsplit=1)
    heading = _ABSTRACT.search(parts[0])
    head = parts[0][: heading.start()] if heading else parts[0]
    lines = head.strip().split("\n")
    if len(lines) <= LONGEST_TITLE_LINES and _is_short(head) and not _LABEL.match(head):
        title, rest = head, stripped[len(head) :]
    elif _is_short(first) and below.strip():
        title, rest = first, below
    else:
        return "", stripped, (TOO_LONG,)
    return _LABEL.sub("", clean(title)), rest, doubt


def _is_short(text: str) -> bool:
    return len(text) <= 400 and len(text.split()) <= LONGEST_TITLE_WORDS


def _work(item: str, plain: Callable[[str], str] = clean) -> Reference | None:
    """Read an item of a list; None where it has neither a title with authors nor an identifier."""
    from recsys.formats.bodies.printed_works import listed_work, marker_of

    key, text = marker_of(item[:LONGEST_ITEM])
    work = listed_work(plain(text), key)
    if not (work.doi or work.arxiv or work.acl):  # Such as the target of a link.
        work = identified(work, text)
    known = work.title or work.doi or work.arxiv or work.acl
    return work if known else None
