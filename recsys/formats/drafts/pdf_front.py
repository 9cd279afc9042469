"""Find title, authors, abstract and keywords on the first pages of a PDF."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from recsys.formats.drafts.pdf_pages import Line
from recsys.formats.drafts.pdf_wording import composed, heading, joined, main_size
from recsys.formats.drafts.wording import OPENING_WORDS
from recsys.formats.stated_keyphrases import NAMES, STRONG, told_apart
from recsys.store.words import author_key, fold

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
_STATED = re.compile(rf"(?i)\W*(?P<name>{NAMES})\b\s*(?P<mark>[:.\u2013\u2014-]*)\s*(?P<list>.*)")
_NO_MORE = re.compile(
    r"(?:\d+|[IVX]+)\.? [A-Z]|(?i:(?:\d{4} )?(?:ams|msc|pacs|jel)\b|a ?b ?s ?t ?r ?a ?c ?t\W*\Z|"
    r"abstract[.:\u2013\u2014]|e-?mail(?: address(?:es)?)?:|corresponding author|"
    r"preprint submitted)"
)
"""What stands below keywords, beside AFTER_ABSTRACT; "abstract interpretation" is one."""
_BETWEEN = re.compile(rf",|{STRONG}|\s[\u2013\u2014]\s")
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
        vocabulary: see `pdf_wording.joined`.
    """
    large = _LARGER * main_size(lines)
    start, abstract, notes = _abstract(lines, vocabulary)
    begin, end = _title_lines(lines[:start], large)
    title, sure = _chosen(joined(lines[begin:end], vocabulary), facts[0], lines)
    sure = (sure or (begin < end and lines[begin].size >= large)) and not looks_wrong(title)
    if not sure:
        notes = ("The title is a guess: give --title if it is wrong.", *notes)
    if abstract is None:
        abstract, note = _unmarked(lines[end:], vocabulary)
        notes = (*notes, note) if abstract else notes
    guessed = (*(() if sure else ("title",)), *(("abstract",) if start is None else ()))
    authors = _authors(lines[end : end + 60][: None if start is None else max(start - end, 0)])
    authors = authors or _authors_of_file(facts[1], lines)
    return Front(title, authors, abstract, notes, guessed if title else (), start)


def _title_lines(lines: Sequence[Line], large: float) -> tuple[int, int]:
    """Return where the title begins and ends: the largest lines of the first page with text.

    large: the size from which on a line is larger than text.
    """
    first = [line for line in lines if line.page == lines[0].page]
    runs = [(begin, end) for begin, end in _runs(first) if _may_be_title(first[begin:end], large)]
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


def _may_be_title(run: Sequence[Line], large: float) -> bool:
    text = " ".join(line.text for line in run)
    if is_no_title(text):
        return False
    short = len(text.split()) <= LONGEST_TITLE_WORDS and len(run) <= _TITLE_LINES
    # What is set like the text may go on from the title at once.
    return sum(map(str.isalpha, text)) >= 6 and (short or run[0].size < large)


def _chosen(printed: str, of_file: str, lines: Sequence[Line]) -> tuple[str, bool]:
    """Choose between the printed title and that of the file: (title, is it sure)."""
    of_file = composed(of_file)
    if not is_file_title(of_file):
        return printed, False
    page = letters(" ".join(line.text for line in lines))
    if letters(of_file) not in page:
        return (printed, False) if printed else (of_file, False)
    if letters(printed).startswith(letters(of_file)) and len(printed.split()) <= 30:
        return printed, True  # The file's may lack the subtitle.
    return of_file, True


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
        inside = [Line(rest, line.size, line.x, line.y, line.page)] if rest else []
        following = lines[place + 1 :]
        size = line.size if rest else main_size(following[:8])
        kept = [*inside, *_until_section(following, size)]
        text = joined(kept, vocabulary)
        if len(text.split()) > 5:
            words = text.split()
            notes = (
                ("The end of the abstract is a guess.",)
                if len(words) > LONGEST_ABSTRACT_WORDS
                else ()
            )
            return place, " ".join(words[:LONGEST_ABSTRACT_WORDS]), notes
    return None, None, ()


def _until_section(lines: Sequence[Line], size: float) -> Iterator[Line]:
    """Give the lines up to the next heading; footnotes and marks in smaller print are left out."""
    for line in lines:
        if heading(line.text) in _SECTIONS or AFTER_ABSTRACT.match(line.text):
            return
        if line.size > _LARGER * size:
            return
        if line.size > 0.85 * size and not (line.text.isdigit() or _DATED.match(line.text)):
            yield line


def _unmarked(lines: Sequence[Line], vocabulary: Counter[str]) -> tuple[str | None, str]:
    """Find what may be the abstract where nothing says so: (its text, a note on that)."""
    places = (place for place, line in enumerate(lines) if heading(line.text) in _SECTIONS)
    begun = next(places, 0)
    ended = (place for place, line in enumerate(lines[:begun]) if AFTER_ABSTRACT.match(line.text))
    before = _full_lines(lines[: next((place for place in ended if place), begun)])
    texts = [_long_runs(before, size, vocabulary) for size in _sizes(before)]
    longest = max(texts, key=len, default=[])
    if _SHORTEST_ABSTRACT <= len(longest) <= LONGEST_ABSTRACT_WORDS:
        return " ".join(longest), (
            "No abstract is marked; what stands before the introduction is taken for it: give "
            "--abstract if it is wrong."
        )
    opening = _opening(lines, vocabulary)
    number = len((opening or "").split())
    return opening, (
        f"No abstract is marked; the first {number} words after the title stand in for it: give "
        "--abstract."
    )


def _full_lines(lines: Sequence[Line]) -> Sequence[Line]:
    """Leave out the lines around a text that are shorter than its own: places and dates."""
    most = max((len(line.text) for line in lines), default=0)
    full = [place for place, line in enumerate(lines) if len(line.text) > 0.7 * most]
    return lines[full[0] : full[-1] + 2] if full else ()


def _sizes(lines: Sequence[Line]) -> set[float]:
    return {round(line.size, 1) for line in lines}


def _opening(lines: Sequence[Line], vocabulary: Counter[str]) -> str | None:
    """Join what is set like the text, up to as many words as stand in for an abstract."""
    words = _long_runs(lines, main_size(lines), vocabulary)
    return " ".join(words[:OPENING_WORDS]) or None


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
    if wrapped := _wrapped_names(lines):
        return wrapped
    found: list[str] = []
    apart = False
    for line in lines:
        names = _names_in(line)
        smaller = bool(found) and line.size < 0.97 * lines[0].size
        if names and not (apart and smaller):
            found += names
        elif smaller:
            apart = True
        else:
            break
    return tuple(dict.fromkeys(found))


def _wrapped_names(lines: Sequence[Line]) -> tuple[str, ...]:
    """Read names that commas divide over several lines, of which one breaks a name in two."""
    alike = [line for line in takewhile(lambda line: close_lines(lines[0], line), lines[:_BYLINES])]
    broken = [line for line in alike[:-1] if "," in line.text and not line.text.endswith(",")]
    for end in range(len(alike), 1, -1):
        text = " ".join(line.text for line in alike[:end])
        if broken and (names := _nothing_but_names(text)) and not text.isupper():
            return tuple(dict.fromkeys(names))
    return ()


def _names_in(line: Line) -> list[str]:
    """Read the names in a line, whose wide gaps stand between names."""
    names = [names_of_line(part) for part in line.parts or (line.text,)]
    return [name for each in names for name in each] if all(names) else []


def names_of_line(line: str) -> list[str]:
    """Read the names in a line; none where it holds anything else."""
    return _nothing_but_names(line) or _capital_names(_parted(line))


def _nothing_but_names(line: str) -> list[str]:
    """Read a line of names, and of names in full."""
    names = _parted(line)
    other = _NO_AUTHOR.search(_bare(line)) or not all(map(_NAME.fullmatch, names))
    return [] if other else names


def _parted(line: str) -> list[str]:
    parts = re.split(r",|;|&|\band\b|\u00b7|\|", _bare(line))
    return [name for part in parts if (name := part.strip(" .;"))]


def _bare(line: str) -> str:
    """Take out ranks, and put commas for marks of footnotes."""
    return _MARK.sub(",", _RANK.sub("", composed(line[:LONGEST_BYLINE])))


def _capital_names(parts: Sequence[str]) -> list[str]:
    """Return the names in capital letters with which a line begins that goes on with a place."""
    names = list(takewhile(lambda part: part.isupper() and _NAME.fullmatch(part), parts))
    places = parts[len(names) :]
    return [] if any(map(str.isupper, places)) else [name.title() for name in names]


def _authors_of_file(text: str, lines: Sequence[Line]) -> tuple[str, ...]:
    """Read the file's own list of authors, if the first pages name each of them."""
    names = [name.strip() for name in re.split(r";|,|\band\b|&", text) if name.strip()]
    page = letters(" ".join(line.text for line in lines))
    keys = [(author_key(name) or "").partition(" ")[0] for name in names]
    known = all(
        len(name.split()) > 1 and key and key in page for name, key in zip(names, keys, strict=True)
    )
    return tuple(dict.fromkeys(names)) if known else ()


def printed_keyphrases(lines: Sequence[Line], vocabulary: Counter[str]) -> tuple[str, ...]:
    """Return the keywords that the first pages state, in a paragraph or one on each line.

    A heading that stands alone, or has no mark behind it, is one only before the introduction.

    vocabulary: see `pdf_wording.joined`.
    """
    introduced = False
    for place, line in enumerate(lines):
        introduced = introduced or heading(line.text) == "introduction"
        stated = _STATED.match(line.text)
        if stated is None or not (_is_sure(stated) or (_may_head(stated) and not introduced)):
            continue
        alone = not stated["list"]
        listed = _following(lines, place, alone=alone)
        if alone and 2 * sum(map(_has_mark, listed)) < len(listed):
            found = told_apart("; ".join(each.text for each in listed))
        else:
            found = _longest([line, *listed], vocabulary)
        if found:
            return found
    return ()


def _is_sure(stated: re.Match[str]) -> bool:
    return bool(stated["mark"] and stated["list"])


def _may_head(stated: re.Match[str]) -> bool:
    """Whether a line is a heading, or begins with one: "Keywords such as these, which" does not."""
    listed = stated["list"]
    is_list = not listed or (listed[0].isalnum() and re.search(STRONG, listed))
    return stated["name"][0].isupper() and bool(is_list)


def _following(lines: Sequence[Line], place: int, *, alone: bool) -> list[Line]:
    """Return the lines that go on with the keywords of a line; alone: it is just a heading."""
    found: list[Line] = []
    for following in lines[place + 1 : place + 1 + _MOST_LINES]:
        last = found[-1] if found else lines[place]
        if AFTER_ABSTRACT.match(following.text) or _NO_MORE.match(following.text):
            break
        if alone and not found:
            goes_on = 0 < last.y - following.y <= _BELOW_HEADING * last.size
        else:
            goes_on = close_lines(last, following) and _continues(last, following, alone=alone)
        if not goes_on:
            break
        found.append(following)
    return found


def _continues(line: Line, following: Line, *, alone: bool) -> bool:
    """Whether a list goes on: after a mark, in small letters, or as its lines are that long."""
    if line.text.endswith(_OPEN) or following.text[:1].islower():
        return True
    if line.text.endswith("."):
        return False
    if alone and not _has_mark(line):  # Each may have a line of its own.
        return len(following.text.split()) <= _LONGEST_ITEM and not following.text.endswith(".")
    return len(following.text) <= _LONGER * len(line.text)


def _has_mark(line: Line) -> bool:
    return bool(_BETWEEN.search(line.text))


def _longest(lines: Sequence[Line], vocabulary: Counter[str]) -> tuple[str, ...]:
    """Read as many lines as are a list: text may follow at once."""
    for end in range(len(lines), 0, -1):
        stated = _STATED.match(joined(lines[:end], vocabulary))
        if (
            stated
            and not _SENTENCE.search(stated["list"])
            and (found := told_apart(stated["list"]))
        ):
            return found
    return ()
