"""Find title, authors, abstract and keywords on the first pages of a PDF."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile

from recsys.formats.drafts.pdf_pages import Line, composed, heading, joined, main_size
from recsys.formats.drafts.wording import KEYWORD_HEADING, KEYWORD_MARK, OPENING_WORDS, told_apart
from recsys.formats.references.people import people_in
from recsys.store.names import author_key
from recsys.store.words import fold

LONGEST_TITLE_WORDS = 40
LONGEST_ABSTRACT_WORDS = 600
LONGEST_BYLINE = 400
"""Characters of a line that are read for names."""
_SHORTEST_ABSTRACT = 40
"""Words before an introduction that may be an abstract which nothing marks."""
_TITLE_LINES = 6
_BYLINES = 6
_LARGER = 1.15
"""A title is larger than the text by this factor; less is a guess."""

_ABSTRACT = re.compile(
    r"(?i)\A(?:a ?b ?s ?t ?r ?a ?c ?t|s ?u ?m ?m ?a ?r ?y)\s*(?:[.:\u2013\u2014-]+\s*|\Z)"
)
_RUN_IN = re.compile(r"\A(?:Abstract|ABSTRACT)\s+(?=[A-Z])")
AFTER_ABSTRACT = re.compile(
    r"(?i)(?:key ?words?|index terms|author keywords|ccs concepts?|categories and subject|"
    r"general terms|acm reference|additional key|(?:ams|msc|pacs|jel)\b.{0,30}classif|received\b|"
    r"manuscript received|permission to make|\u00a9|\(c\) ?\d{4})"
)
_DATED = re.compile(r"\(Dated: .{4,200}\)?\Z")
"""What REVTeX prints above the abstract."""
_SECTIONS = frozenset({"introduction", "background", "motivation", "contents", "relatedwork"})
_NO_TITLE = re.compile(
    r"(?i)(?:arxiv:|https?:|www\.|doi\b|vol(?:ume|\.)?\s*\d|issn|isbn|(?:under )?review\b.{0,30}\Z|"
    r"preprint|draft\b|technical report|(?:original |research |short |full )?(?:article|paper)s?\Z|"
    r"contents lists|proceedings of|published|accepted|submitted|journal homepage|[\W\d_]*\Z)"
)
_NO_FILE_TITLE = re.compile(
    r"(?i)(?:untitled|no title|title|microsoft|powerpoint|slide|document\d*\Z|manuscript|template|"
    r"paper\d*\Z|main\Z|draft\Z|\(|.{0,40}\btemplate\b|.*\.(?:docx?|tex|pdf|dvi|indd|rtf|odt|md|"
    r"html?|pages)\Z|.*[\\/_]\w*\Z|[\W\d]*\Z)"
)
_LONGEST_WORD = 22
"""Letters; longer ones in a title are most often several words without their spaces."""
_LOST = re.compile("\ufffd|\\(cid:|[\ue000-\uf8ff]|/[a-z]\\d{2,3}\\b")
_UNFINISHED = frozenset("a an the of and or for in on with by from to at via using towards".split())
_NO_AUTHOR = re.compile(
    r"(?i)@|\b(?:universit|institut|department|dept|school|college|lab(?:orator|s?\b)|inc\b|"
    r"corporation|research|cent(?:er|re)|faculty|academy|hospital|abstract|national|street)"
)
_RANK = re.compile(
    r"(?i),?\s*\b(?:(?:student |senior |graduate student )?member|fellow|ieee|acm|ph\.? ?d)\b\.?"
)
_MARK = re.compile(r"[\d*\u2217\u2020\u2021\u00a7\u00b6#]+")
_NAME = re.compile(
    r"(?:[A-Z\u00c0-\u024f][^\W\d_'\u2019]*[.'\u2019-]*(?:[^\W\d_]|[-'\u2019])*\.?\s+){1,3}"
    r"(?:(?:van|von|de|der|den|da|di|la|le|del|dos|bin|al)\s+){0,2}"
    r"[A-Z\u00c0-\u024f](?:[^\W\d_]|[-'\u2019])+"
)
_MOST_LINES = 12
_STATED = re.compile(
    rf"(?i)\W*(?P<name>{KEYWORD_HEADING})\b\s*(?P<mark>[:.\u2013\u2014-]*)\s*(?P<list>.*)"
)
_NO_MORE = re.compile(
    r"(?:\d+|[IVX]+)\.? [A-Z]|(?i:(?:\d{4} )?(?:ams|msc|pacs|jel)\b|a ?b ?s ?t ?r ?a ?c ?t\W*\Z|"
    r"abstract[.:\u2013\u2014]|e-?mail(?: address(?:es)?)?:|corresponding author|"
    r"preprint submitted)"
)
"""What stands below keywords, beside AFTER_ABSTRACT; "abstract interpretation" is one."""
_BETWEEN = re.compile(rf",|{KEYWORD_MARK}|\s[\u2013\u2014]\s")
_OPEN = tuple(",;-\u00b7\u2022\u2219\u22c5|\u2013\u2014")
"""A list does not end with one of these, so that it goes on in the next line."""
_SENTENCE = re.compile(r"[a-z]{2}\. [A-Z]")
_LONGEST_ITEM = 8
"""Words of a keyword that has a line of its own."""
_BELOW_HEADING = 2.5
"""A list begins so many times the size of its heading below it, at most."""
_LONGER = 1.3
"""A line that is shorter than the next by more than this factor ends a paragraph."""


@dataclass(frozen=True, slots=True)
class Front:
    """What the first pages tell; notes: what of it is a guess, guessed: the names of those fields.

    head: how many lines come before the abstract; None where nothing marks it.
    """

    title: str
    authors: tuple[str, ...]
    abstract: str | None
    notes: tuple[str, ...]
    guessed: tuple[str, ...] = ()
    head: int | None = None


def read_front(lines: Sequence[Line], facts: tuple[str, str], vocabulary: Counter[str]) -> Front:
    """Read the lines of the first pages.

    Args:
        lines: in reading order.
        facts: title and author as the file's own information has them, empty where unknown.
        vocabulary: see `pdf_pages.joined`.
    """
    large = _LARGER * main_size(lines)
    page = letters(" ".join(line.text for line in lines))
    start, abstract, notes = _abstract(lines, vocabulary)
    begin, end = _title_lines(lines[:start], large)
    title, of_file = joined(lines[begin:end], vocabulary), composed(facts[0])
    sure = begin < end and lines[begin].size >= large
    if is_file_title(of_file):
        known = letters(of_file)
        sure = sure or known in page
        # The file's title may lack the subtitle.
        longer = letters(title).startswith(known) and len(title.split()) <= 30
        if not title or (known in page and not longer):
            title = of_file
    sure = sure and not looks_wrong(title)
    if not sure:
        notes = ("The title is a guess: give --title if it is wrong.", *notes)
    if abstract is None:
        abstract, note = _unmarked(lines[end:], vocabulary)
        notes = (*notes, note) if abstract else notes
    guessed = (*(() if sure else ("title",)), *(("abstract",) if start is None else ()))
    authors = _authors(lines[end : end + 60][: None if start is None else max(start - end, 0)])
    if not authors:
        # The file's own list, if the first pages name each of them.
        names = people_in(facts[1]).spoken
        keys = [(author_key(name) or "").partition(" ")[0] for name in names]
        printed = all(key and key in page for key in keys)
        if printed and all(len(name.split()) > 1 for name in names):
            authors = tuple(dict.fromkeys(names))
    return Front(title, authors, abstract, notes, guessed if title else (), start)


def _title_lines(lines: Sequence[Line], large: float) -> tuple[int, int]:
    """Return where the title begins and ends: the largest lines of the first page with text.

    large: the size from which on a line is larger than text.
    """
    first = [line for line in lines if line.page == lines[0].page]
    runs = []
    for begin, end in _runs(first):
        text = " ".join(line.text for line in first[begin:end])
        short = len(text.split()) <= LONGEST_TITLE_WORDS and end - begin <= _TITLE_LINES
        # What is set like the text may go on from the title at once.
        if sum(map(str.isalpha, text)) >= 6 and (short or first[begin].size < large):
            if not is_no_title(text):
                runs.append((begin, end))
    if not runs:
        return 0, 0
    begin, end = max(runs, key=lambda run: (round(first[run[0]].size, 1), -run[0]))
    if first[begin].size < large:  # All alike: the first lines, then.
        return runs[0][0], runs[0][0] + 1
    return begin, end


def _runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Group lines of one size that follow each other closely."""
    begin = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or not close_lines(lines[place - 1], lines[place]):
            yield begin, place
            begin = place


def close_lines(one: Line, other: Line) -> bool:
    """Whether lines of one size follow each other closely."""
    alike = abs(one.size - other.size) <= 0.03 * max(one.size, other.size)
    return alike and -0.5 * one.size <= one.y - other.y <= 2 * one.size


def looks_wrong(title: str) -> bool:
    """Whether a title shows signs of bad reading: glued words, lost letters, a half sentence.

    >>> looks_wrong("AdoptingmicroservicesandDevOps in the wild"), looks_wrong("On bees")
    (True, False)
    """
    words = re.findall(r"[^\W_]+", title)
    glued = any(len(word) >= _LONGEST_WORD and word.isalpha() for word in words)
    letters_in = sum(map(str.isalpha, title))
    lost = 4 * letters_in < 3 * len(title.replace(" ", "")) or _LOST.search(title) is not None
    return glued or lost or fold(title).rpartition(" ")[2] in _UNFINISHED


def is_no_title(text: str) -> bool:
    """Whether a line is what stands around titles: a heading, a journal, an address."""
    return bool(_NO_TITLE.match(text) or heading(text) in _SECTIONS or _ABSTRACT.match(text))


def is_file_title(text: str) -> bool:
    """Whether what a file's own information has for its title may be one."""
    words = len(text.split())
    return 1 < words <= LONGEST_TITLE_WORDS and not _NO_FILE_TITLE.match(text)


def letters(text: str) -> str:
    """Return the letters and digits of a text, folded, to look for a text within another."""
    return "".join(c for c in fold(text) if c.isalnum())


def _abstract(
    lines: Sequence[Line], vocabulary: Counter[str]
) -> tuple[int | None, str | None, tuple[str, ...]]:
    """Find the abstract: (the line where it begins, its text, notes)."""
    for place, line in enumerate(lines):
        mark = _ABSTRACT.match(line.text) or (_RUN_IN.match(line.text) if place else None)
        if not mark:
            continue
        rest = line.text[mark.end() :]
        following = lines[place + 1 :]
        size = line.size if rest else main_size(following[:8])
        own = [replace(line, text=rest)] if rest else []
        for below in following:
            ends = heading(below.text) in _SECTIONS or AFTER_ABSTRACT.match(below.text)
            if ends or below.size > _LARGER * size:
                break
            # Neither footnotes and marks in smaller print, nor a number.
            if below.size > 0.85 * size and not below.text.isdigit():
                own += () if _DATED.match(below.text) else (below,)
        words = joined(own, vocabulary).split()
        if len(words) > 5:
            long = len(words) > LONGEST_ABSTRACT_WORDS
            notes = ("The end of the abstract is a guess.",) if long else ()
            return place, " ".join(words[:LONGEST_ABSTRACT_WORDS]), notes
    return None, None, ()


def _unmarked(lines: Sequence[Line], vocabulary: Counter[str]) -> tuple[str | None, str]:
    """Find what may be the abstract where nothing says so: (its text, a note on that)."""
    places = (place for place, line in enumerate(lines) if heading(line.text) in _SECTIONS)
    begun = next(places, 0)
    ended = (place for place, line in enumerate(lines[:begun]) if AFTER_ABSTRACT.match(line.text))
    before = lines[: next((place for place in ended if place), begun)]
    # Lines around a text that are shorter than its own are places and dates.
    most = max((len(line.text) for line in before), default=0)
    full = [place for place, line in enumerate(before) if len(line.text) > 0.7 * most]
    before = before[full[0] : full[-1] + 2] if full else ()
    sizes = {round(line.size, 1) for line in before}
    longest = max((_long_runs(before, size, vocabulary) for size in sizes), key=len, default=[])
    if _SHORTEST_ABSTRACT <= len(longest) <= LONGEST_ABSTRACT_WORDS:
        return " ".join(longest), (
            "No abstract is marked; what stands before the introduction is taken for it: give "
            "--abstract if it is wrong."
        )
    opening = _long_runs(lines, main_size(lines), vocabulary)[:OPENING_WORDS]
    return " ".join(opening) or None, (
        f"No abstract is marked; the first {len(opening)} words after the title stand in for it: "
        "give --abstract."
    )


def _long_runs(lines: Sequence[Line], size: float, vocabulary: Counter[str]) -> list[str]:
    """Return the words of what is set in about this size."""
    text = [line for line in lines if abs(line.size - size) <= 0.03 * size]
    parts = [joined(text[begin:end], vocabulary) for begin, end in _runs(text)]
    # A run of fewer words is a heading, a name or the number of a page.
    return [word for part in parts if len(part.split()) > 8 for word in part.split()]


def _authors(lines: Sequence[Line]) -> tuple[str, ...]:
    """Read names from the lines below the title, as long as they hold nothing else.

    Smaller print between names of one size tells where somebody works.
    """
    # Commas may divide names over several lines, of which one breaks a name in two.
    alike = list(takewhile(lambda line: close_lines(lines[0], line), lines[:_BYLINES]))
    if any("," in line.text and not line.text.endswith(",") for line in alike[:-1]):
        for end in range(len(alike), 1, -1):
            text = " ".join(line.text for line in alike[:end])
            names = names_of_line(text, capitals=False)
            if names and not text.isupper():
                return tuple(dict.fromkeys(names))
    authors: list[str] = []
    apart = False
    for line in lines:
        # Wide gaps stand between names.
        parts = [names_of_line(part) for part in line.parts or (line.text,)]
        smaller = bool(authors) and line.size < 0.97 * lines[0].size
        if all(parts) and not (apart and smaller):
            authors += chain.from_iterable(parts)
        elif smaller:
            apart = True
        else:
            break
    return tuple(dict.fromkeys(authors))


def names_of_line(line: str, *, capitals: bool = True) -> list[str]:
    """Read the names in a line; none where it holds anything else.

    capitals: whether a line may also begin with names in capital letters and go on with a place.
    """
    # Ranks go; commas stand for marks of footnotes.
    bare = _MARK.sub(",", _RANK.sub("", composed(line[:LONGEST_BYLINE])))
    parts = re.split(r",|;|&|\band\b|\u00b7|\|", bare)
    names = [name for part in parts if (name := part.strip(" .;"))]
    if all(map(_NAME.fullmatch, names)) and not _NO_AUTHOR.search(bare):
        return names
    first = list(takewhile(lambda name: name.isupper() and _NAME.fullmatch(name), names))
    if not capitals or any(map(str.isupper, names[len(first) :])):
        return []
    return [name.title() for name in first]


def printed_keyphrases(lines: Sequence[Line], vocabulary: Counter[str]) -> tuple[str, ...]:
    """Return the keywords that the first pages state, in a paragraph or one on each line.

    A heading that stands alone, or has no mark behind it, is one only before the introduction.

    vocabulary: see `pdf_pages.joined`.
    """
    introduced = False
    for place, line in enumerate(lines):
        introduced = introduced or heading(line.text) == "introduction"
        stated = _STATED.match(line.text)
        if stated is None:
            continue
        listed, alone = stated["list"], not stated["list"]
        # "Keywords such as these, which" is no heading.
        is_list = alone or (listed[0].isalnum() and re.search(KEYWORD_MARK, listed))
        may_head = stated["name"][0].isupper() and is_list and not introduced
        if not (may_head or (stated["mark"] and listed)):
            continue
        following = _following(lines, place, alone=alone)
        if alone and 2 * sum(bool(_BETWEEN.search(line.text)) for line in following) < len(
            following
        ):
            if phrases := told_apart("; ".join(line.text for line in following)):
                return phrases
            continue
        for end in range(len(following), -1, -1):  # Text may follow at once.
            stated = _STATED.match(joined([line, *following[:end]], vocabulary))
            phrases = told_apart(stated["list"]) if stated else ()
            if stated and phrases and not _SENTENCE.search(stated["list"]):
                return phrases
    return ()


def _following(lines: Sequence[Line], place: int, *, alone: bool) -> list[Line]:
    """Return the lines that go on with the keywords of a line; alone: it is just a heading.

    A list goes on after a mark, in small letters, or as long as its lines are that long.
    """
    listed: list[Line] = []
    for following in lines[place + 1 : place + 1 + _MOST_LINES]:
        last, text = listed[-1] if listed else lines[place], following.text
        if alone and not listed:
            goes_on = 0 < last.y - following.y <= _BELOW_HEADING * last.size
        elif last.text.endswith(_OPEN) or text[:1].islower():
            goes_on = close_lines(last, following)
        elif last.text.endswith(".") or not close_lines(last, following):
            goes_on = False
        elif alone and not _BETWEEN.search(last.text):  # Each may have a line of its own.
            goes_on = len(text.split()) <= _LONGEST_ITEM and not text.endswith(".")
        else:
            goes_on = len(text) <= _LONGER * len(last.text)
        if not goes_on or AFTER_ABSTRACT.match(text) or _NO_MORE.match(text):
            break
        listed.append(following)
    return listed
