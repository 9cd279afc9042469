"""Find the keywords that the first pages of a PDF state, as journals and conferences print them."""

import re
from collections import Counter
from collections.abc import Sequence

from recsys.formats.drafts.pdf_front import AFTER_ABSTRACT, close_lines
from recsys.formats.drafts.pdf_pages import Line
from recsys.formats.drafts.pdf_wording import heading, joined
from recsys.formats.stated_keyphrases import NAMES, STRONG, told_apart

_MOST_LINES = 12
_STATED = re.compile(rf"(?i)\W*(?P<name>{NAMES})\b\s*(?P<mark>[:.\u2013\u2014-]*)\s*(?P<list>.*)")
_NO_MORE = re.compile(
    r"(?:\d+|[IVX]+)\.? [A-Z]|(?i:(?:\d{4} )?(?:ams|msc|pacs|jel)\b|a ?b ?s ?t ?r ?a ?c ?t\W*\Z|"
    r"abstract[.:\u2013\u2014]|e-?mail(?: address(?:es)?)?:|corresponding author|"
    r"preprint submitted)"
)
"""What stands below keywords, beside AFTER_ABSTRACT; "abstract interpretation" is one."""
_MARK = re.compile(rf",|{STRONG}|\s[\u2013\u2014]\s")
_OPEN = tuple(",;-\u00b7\u2022\u2219\u22c5|\u2013\u2014")
"""A list does not end with one of these, so that it goes on in the next line."""
_SENTENCE = re.compile(r"[a-z]{2}\. [A-Z]")
_LONGEST_ITEM = 8
"""Words of a keyword that has a line of its own."""
_BELOW_HEADING = 2.5
"""A list begins so many times the size of its heading below it, at most."""
_LONGER = 1.3
"""A line that is shorter than the next by more than this factor ends a paragraph."""


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
    return bool(_MARK.search(line.text))


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
