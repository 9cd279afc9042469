"""Recognise what is printed beside papers, and is none: prefaces, indexes, errata, announcements.

A title is such a heading when nothing follows it but a place: of an issue, a volume, a meeting.
One that begins likewise and goes on, such as "Index of refraction" or "A preface to logic", is that
of a paper.
"""

import re
from collections.abc import Collection
from itertools import product

from recsys.store.words import word_list

_LONGEST = 150
"""Characters of a heading at most."""
_TYPES = frozenset(
    """erratum corrigendum correction corrections published-erratum retraction retraction-notice
    retraction-of-publication expression-of-concern paratext front-matter back-matter frontmatter
    backmatter masthead issue-information announcement calendar advertisement
    table-of-contents""".split()
)
"""Types of `paper_types` that are no papers. An editorial is not among them: some are cited."""


def _each(text: str) -> frozenset[str]:
    """Write out headings, each on a line or before a comma, where (a|b) is one of several."""
    found = set()
    for heading in re.split(r"\s*[\n,]\s*", re.sub(r"\|\s*\n\s*", "|", text.strip())):
        parts = re.split(r"\(([^)]*)\)", heading)
        choices = [part.split("|") for part in parts]
        found |= {" ".join("".join(one).split()) for one in product(*choices)}
    return frozenset(found)


_HEADINGS = _each(word_list("front_matter_headings"))
"""In lower case, words alone."""
_PLACES = frozenset(word_list("front_matter_places").split())
_FIRST = frozenset(heading.split()[0] for heading in _HEADINGS) | frozenset(
    "welcome message foreword preface letter note greetings introduction".split()
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*['\u2019]?")
_APOSTROPHE = re.compile(r"['\u2019]")
_ROLES = r"""(?:co[- ]?)?(?:chair(?:s|man|men|persons?|woman)?|editors?(?:[- ]in[- ]chief)?
    |president|organi[sz](?:ers?|ing[ ]committee)|committees?|directors?|publishers?)"""
_MESSAGE = re.compile(
    rf"""(?:welcome[ ])?(?:messages?|welcome|foreword|preface|letter|note|greetings|introduction)
    (?:[ ]message)?[ ](?:from|by)[ ](?:\w+[-&, ]+){{0,8}}?{_ROLES}\W*(?:of[ ].*|[0-9]{{4}}\W*)?""",
    re.IGNORECASE | re.VERBOSE,
)
# What it corrects follows in quotation marks, after a colon, or after "to"; so do others without.
_NOTICE = re.compile(
    r"""\W*(?:(?:author|publisher)['\u2019]?s?[ ])?(?:
    (?:errat(?:um|a)|corrigend(?:um|a)|retract(?:ion|ed)|retraction[ ]no(?:te|tice)
        |retracted[ ]article|corrections?|addend(?:um|a)|withdrawn
        |(?:editorial[ ])?expression[ ]of[ ]concern
        |notice[ ]of[ ](?:retraction|withdrawal|correction|removal)
        |(?:errat|corrigend)(?:um|a)[ ](?:and|&)[ ]\w+)
    [])]?(?:[ ](?:to|for|of|on))?[ ]*
    (?:$|[:;.(\["'\u201c\u201d\u201e«\u2018\u2019`]|[-\u2013\u2014][ ])
    |(?:errat(?:um|a)|corrigend(?:um|a)|retraction[ ]no(?:te|tice)|expression[ ]of[ ]concern
        |notice[ ]of[ ](?:retraction|withdrawal|correction)
        |(?:publisher|author)['\u2019]?s?[ ]correction|addendum[ ]and[ ]erratum)
    [ ](?:to|for|on|regarding|concerning)[ ]
    |berichtigung|rectificatif|corrección[ ]a|исправлени[ея][ ]к|errata[ ]corrige
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# As the Web of Science calls corrections, and others retracted papers.
_APPENDED = re.compile(
    r"\(vol\.? ?[\w-]+,? (?:pp?g?|art)\.? .{1,60}\)\W*$|"
    r"[(\[](?:erratum|corrigendum|correction|retracted(?: article)?|retraction)[)\]]\W*$|"
    r": (?:an )?(?:erratum|corrigendum)\W*$|\(retracted article\. see vol\.? ",
    re.IGNORECASE,
)
_HINTS = tuple(
    "errat corrig correct retract withdr concern notice (vol berichtig rectif correcc addend"
    " исправ".split()
)


def is_front_matter(title: str, types: Collection[str] = ()) -> bool:
    """Tell whether a title, or one of the types of `paper_types`, is that of no paper.

    >>> is_front_matter("Author Index, Vol. 12"), is_front_matter("Index of refraction of ice")
    (True, False)
    >>> is_front_matter('Erratum to "On ice"'), is_front_matter("Correction of speckle in SAR")
    (True, False)
    """
    if not _TYPES.isdisjoint(types):
        return True
    lower = title.lower()
    if any(hint in lower for hint in _HINTS) and (_NOTICE.match(title) or _APPENDED.search(title)):
        return True
    first = _WORD.search(title)
    if len(title) > _LONGEST or first is None or _bare(first[0]) not in _FIRST:
        return False
    if _MESSAGE.match(title.strip()):
        return True
    words = [_bare(word) for word in _WORD.findall(title)]
    while words:
        if " ".join(words) in _HEADINGS:
            return True
        last = words.pop()
        if not (last in _PLACES or last.rstrip("thsndr").isdecimal()):
            return False
    return False


def _bare(word: str) -> str:
    return _APOSTROPHE.sub("", word).casefold()
