"""Find title, authors, abstract and keywords on the first pages of a PDF."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recsys.formats.drafts.bylines import names_below, names_of_line
from recsys.formats.drafts.pdf_pages import (
    Line,
    close_lines,
    composed,
    heading,
    joined,
    main_size,
    runs,
)
from recsys.formats.drafts.wording import (
    KEYWORD_HEADING,
    KEYWORD_MARK,
    OPENING_WORDS,
    counted,
    told_apart,
)
from recsys.formats.references.people import people_in
from recsys.store.names import author_key
from recsys.store.words import fold

LONGEST_TITLE_WORDS = 40
LONGEST_ABSTRACT_WORDS = 600
_SHORTEST_ABSTRACT = 40
"""Words before an introduction that may be an abstract which nothing marks."""
_TITLE_LINES = 6
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
_JOURNAL = re.compile(
    r"(?i)(?:the )?(?:[\w&'\u2019-]+ ){0,4}(?:journal|transactions|annals|archives|bulletin|"
    r"revista|zeitschrift)(?: (?:of|in|on|for|de|f\u00fcr)\b[^:?]{0,80})?\Z"
)
_ISSUE = re.compile(r"(?i)\W*(?:vol(?:ume)?\b|issue|number\b|no\.|issn\b)[\s.:]*[\dIVX(e]")
_COVER = re.compile(
    r"(?i)this is an? (?:repository|author|accepted|electronic|pre-?print|post-?print|version|"
    r"un-?edited)|this is the (?:author|accepted|published version|version of record|peer.reviewed|"
    r"pre-?print|post-?print|final)|citation for (?:the )?published|document version\b|hal id\b|"
    r"hal is a multi|to cite this (?:version|article)|your use of the jstor|see discussions, stats|"
    r"full terms (?:&|and) conditions|to link to this (?:article|item)|open research online|"
    r"link to publi|publisher.{0,3} (?:pdf|version|copyright)|downloaded from|take ?down policy|"
    r"general rights|deposited (?:in|on|by)|recommended citation|follow this and additional|"
    r"this (?:article|paper|document|file|work|thesis|item) (?:was|is|has been|can be) (?:down|"
    r"brought|made available|posted|deposited|accepted for inclusion|available)|"
    r"similar papers at core|this version is available|institutional repository|white rose|"
    r"escholarship"
)
"""What repositories and publishers say on a page that they put before a paper."""
_COVER_WORDS = 350
"""A page with more is no cover."""
_NO_FILE_TITLE = re.compile(
    r"(?i)(?:untitled|no title|title|microsoft|powerpoint|slide|document\d*\Z|manuscript|template|"
    r"paper\d*\Z|main\Z|draft\Z|\(|.{0,40}\btemplate\b|.*\.(?:docx?|tex|pdf|dvi|indd|rtf|odt|md|"
    r"html?|pages)\Z|.*[\\/_]\w*\Z|[\W\d]*\Z)"
)
_LONGEST_WORD = 22
"""Letters; longer ones in a title are most often several words without their spaces."""
_LOST = re.compile("\ufffd|\\(cid:|[\ue000-\uf8ff]|/[a-z]\\d{2,3}\\b")
_UNFINISHED = frozenset("a an the of and or for in on with by from to at via using towards".split())
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
    page = letters(" ".join(line.text for line in lines))
    # A page that somebody put before the paper.
    first = [line for line in lines if line.page == lines[0].page]
    words = sum(len(line.text.split()) for line in first)
    begun = any(_ABSTRACT.match(each.text) or heading(each.text) in _SECTIONS for each in first)
    covers = words <= _COVER_WORDS and not begun and any(_COVER.search(each.text) for each in first)
    cover, paper = (first, lines[len(first) :]) if covers else ([], lines)
    # The title is what the cover names, too; a cover alone is all there is.
    covered = letters(" ".join(line.text for line in cover)) if paper else ""
    lines = paper or lines
    large = _LARGER * main_size(lines)
    start, abstract, notes = _abstract(lines, vocabulary)
    begin, end, sure = _title_lines(lines[:start], large)
    title, of_file = joined(lines[begin:end], vocabulary), composed(facts[0])
    if is_file_title(of_file):
        known = letters(of_file)
        sure = sure or known in page
        # The file's title may lack the subtitle.
        longer = letters(title).startswith(known) and len(title.split()) <= 30
        if not title or (known in page and not longer):
            title = of_file
    sure = sure and not looks_wrong(title) and (not cover or letters(title) in covered)
    if not sure:
        notes = ("The title is a guess: give --title if it is wrong.", *notes)
    if abstract is None:
        abstract, note = _unmarked(lines[end:], vocabulary)
        notes = (*notes, note) if abstract else notes
    guessed = (*(() if sure else ("title",)), *(("abstract",) if start is None else ()))
    below = lines[end : end + 60][: None if start is None else max(start - end, 0)]
    authors, unread = names_below(below, bounded=start is not None)
    # The file's own list, if it names more and the first pages name each of them.
    names = people_in(facts[1]).spoken
    keys = [(author_key(name) or "").partition(" ")[0] for name in names]
    printed = all(key and key in page for key in keys)
    if len(names) > len(authors) and printed and all(len(name.split()) > 1 for name in names):
        authors, unread = tuple(dict.fromkeys(names)), 0
    if start is not None and (unread or (below and not authors)):
        read = f"{counted(len(authors), 'author')} read" if authors else "No author could be read"
        lines_left = counted(unread or len(below), "line")
        notes += (f"{read}; {lines_left} below the title hold none that was understood.",)
    if start is not None and paper:
        start += len(cover)
    return Front(title, authors, abstract, notes, guessed if title else (), start)


def _title_lines(lines: Sequence[Line], large: float) -> tuple[int, int, bool]:
    """Return where the title begins and ends: the largest lines of the first page with text.

    large: the size from which on a line is larger than text. The last: whether it is sure.
    """
    first = [line for line in lines if line.page == lines[0].page]
    titles: list[tuple[int, int]] = []
    journals: list[tuple[int, int]] = []
    for begin, end in runs(first):
        text = " ".join(line.text for line in first[begin:end])
        short = len(text.split()) <= LONGEST_TITLE_WORDS and end - begin <= _TITLE_LINES
        # What is set like the text may go on from the title at once.
        if sum(map(str.isalpha, text)) >= 6 and (short or first[begin].size < large):
            if not is_no_title(text):
                below = first[end].text if end < len(first) else ""
                journal = _JOURNAL.match(text) or _ISSUE.match(below)
                (journals if journal else titles).append((begin, end))
    if not (titles or journals):
        return 0, 0, False

    def size(run: tuple[int, int]) -> float:
        return round(first[run[0]].size, 1)

    begin, end = max(titles, key=lambda run: (size(run), -run[0]), default=(0, 0))
    named = names_of_line(" ".join(line.text for line in first[begin:end]))
    if titles and first[begin].size >= large and not (named and journals):
        return begin, end, True
    if journals and size(max(journals, key=size)) >= large:
        return *max(journals, key=size), False
    begin, _ = (titles or journals)[0]  # All alike: the first lines, then.
    return begin, begin + 1, False


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
    parts = [joined(text[begin:end], vocabulary) for begin, end in runs(text)]
    # A run of fewer words is a heading, a name or the number of a page.
    return [word for part in parts if len(part.split()) > 8 for word in part.split()]


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
