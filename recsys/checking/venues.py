"""Tell whether two names of venues mean one journal or one series of meetings."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from recsys.store.words import fold, word_list

_ADDED = re.compile(
    r"\([^()]*\)|\[[^\[\]]*\]|\b(?:18|19|20)\d\d\b|'\d\d\b|\b\d{1,3}(?:st|nd|rd|th)\b"
    r"|\b(?:volume|vol|issue|part|pp?)\.?\s*\d[\d\s\u2013-]*|\b\d+\b"
    r"|: human language technolog\w+|\b(?:short|long|demo|poster) (?:papers?|track)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_CAPITALS = re.compile(r"[A-Z]{2}|[a-z][A-Z]")
_NO_WORDS = frozenset(
    "a acm al america american an and annu annual at by colloquium conf conference de der die du "
    "eighth eleventh et fifth first for fourth fuer fur ieee in int international intl joint l "
    "la le meeting national natl ninth of on part proc proceeding proceedings procs s second "
    "section ser series seventh sixth sponsored states symp symposium tenth the third to twelfth u "
    "und united us usa usenix with workshop workshops".split()
)
"""Words that names of venues share, or lose."""
_PREPRINT = re.compile(
    r"(?i)\b(?:arxiv|corr|(?:bio|med|chem|psy|soc|eng|eart)h?r?xiv|e-?prints?|preprints?|ssrn|"
    r"research square|techrxiv|openreview|working papers?|hal)\b"
)
_VAGUE = re.compile(
    r"(?i)\b(?:press|publish\w*|publications|springer|elsevier|wiley|verlag|lecture notes|lncs|"
    r"ceur|procedia|pmlr|proceedings of machine learning research|w&cp|university|"
    r"proc\w*\.? of the (?:acm|ieee|vldb)|pacm\w*|vldb endowment|conference series|studies in|"
    r"companion|adjunct|extended abstracts|findings|supplement|under review|submitted|to appear|"
    r"in press|forthcoming|computer graphics forum|acm trans\w*\.? (?:on )?graph\w*|"
    r"(?:ieee )?trans\w*\.? (?:on )?vis\w*\.? (?:and )?comput\w*\.? graph\w*|tvcg|tog)\b"
)
"""A publisher, a series of volumes, a journal that prints what meetings accept: no contradiction.

Such a name may stand beside that of the meeting, and both are right.
"""
_PUBLISHER = re.compile(
    r"(?i)\W*(?:the )?(?:acm|ieee(?: computer society)?|association for computing machinery|usenix"
    r"|association for computational linguistics|eurographics(?: association)?|curran associates"
    r"|morgan kaufmann(?: publishers)?|jmlr\.org|jmlr workshop and conference(?: proceedings)?"
    r"|taylor (?:and|&) francis|routledge|sage|de gruyter|brill|birkh\S+ser|kluwer(?: academic)?"
    r"|mdpi|frontiers|plos|biomed central|bmc|isca|iet|spie|schloss dagstuhl\b.*|dagstuhl|lipics"
    r"|oasics|aip|iop"
    r"|world scientific|ios|academic|blackwell|wiley-blackwell|john wiley (?:and|&) sons|siam"
    r"|usenix association|openreview\.net|european language resources association|elra"
    r"|nature (?:publishing group|portfolio)|cell press|hal|citeseer|jstor)"
    r"(?:,? (?:inc|ltd|llc|co|b\.?v|media|group)\.?)*\W*"
)
"""The whole name of a publisher that publishes others, too."""
_MEETINGS = dict(line.split(": ") for line in word_list("meetings").splitlines())
"""Acronyms that are cited most, and the telling words of what they stand for."""
_ONE_NAME = {
    "nips": "neurips", "thewebconf": "www", "sigchi": "chi", "sigkdd": "kdd",
}  # fmt: skip
_MEETING = re.compile(
    r"(?i)\b(?:conf|proc|symp|meeting|workshop|advances|web|academy|journal|trans)"
)
_PROCEEDINGS = re.compile(
    r"(?i)\b(?:conf|symp|workshop"
    r"|proc\w*\.? (?!natl|nat\b|r\b|roy|of the (?:national|royal|acm|vldb)))"
)
_INNER_AND = re.compile(r"(?<=\w)&(?=\w)")
_LATIN = re.compile(r"[A-Za-z]")
_LONGEST = 400
_LONG_WORD = 6


def is_preprint(venue: str | None) -> bool:
    """Tell whether a venue is a server of preprints.

    >>> is_preprint("arXiv preprint arXiv:2004.07180"), is_preprint("Nature")
    (True, False)
    """
    return bool(venue and _PREPRINT.search(venue[:_LONGEST]))


def is_meeting(venue: str) -> bool:
    """Tell whether a venue surely is a meeting, or its proceedings.

    >>> is_meeting("NeurIPS"), is_meeting("Proc. of EuroVis"), is_meeting("JMLR")
    (True, True, False)
    """
    name = venue[:_LONGEST]
    meetings = _MEETINGS.keys() - {"jmlr", "pnas", "tacl", "tmlr"}
    return bool(_PROCEEDINGS.search(name) or meetings & _acronyms(name))


@lru_cache(1 << 15)
def same_venue(one: str, other: str) -> bool | None:
    """Tell whether two names mean one venue; None where that cannot be told.

    Abbreviated words and acronyms are the names that they are made of; years, numbers, places in
    brackets and what all names share do not count.

    >>> same_venue("Nat. Rev. Genet.", "Nature Reviews Genetics"), same_venue("ICML", "AAAI")
    (True, False)
    >>> same_venue("Proc. of the 38th ICML 2021", "International Conference on Machine Learning")
    True
    >>> same_venue("Springer", "Machine Learning")
    """
    one, other = one[:_LONGEST], other[:_LONGEST]
    if is_preprint(one) or is_preprint(other):
        return True if is_preprint(one) and is_preprint(other) else None
    if any(_PUBLISHER.fullmatch(name) or not _LATIN.search(name) for name in (one, other)):
        return True if fold(one) == fold(other) else None
    names = [_ADDED.sub(" ", name) for name in (one, other)]
    left, right = (_telling(name) for name in names)
    if not left or not right:
        return None
    if left == right or "".join(left) == "".join(right):
        return True
    acronyms = [_acronyms(name) for name in names]
    alone = [
        bool(found) and {_ONE_NAME.get(word, word) for word in words if len(word) > 1} <= found
        and (len(found) == 1 or len(name.split()) == 1)
        for words, found, name in zip((left, right), acronyms, names, strict=True)
    ]  # fmt: skip
    if any(alone):
        if acronyms[0] & acronyms[1]:
            return True
        meant = [_stands_for(acronyms[at], names[1 - at]) for at in (0, 1) if alone[at]]
        if True in meant or None in meant:
            return True if True in meant else None
    short, long = sorted((left, right), key=lambda words: (len(words), sum(map(len, words))))
    matched = _aligned(short, long)
    if matched == len(long):
        return True
    if any(_VAGUE.search(name) for name in (one, other)):
        return None
    # An acronym that is not known contradicts no name; two of them contradict each other.
    known = [found <= _MEETINGS.keys() for found in acronyms]
    if any(alone):
        return (
            False if all(alone) or all(k for k, a in zip(known, alone, strict=True) if a) else None
        )
    if matched == len(short):
        return None  # A section of it, or a society's name beside it.
    return False


def _telling(name: str) -> tuple[str, ...]:
    words = _WORD.findall(fold(_INNER_AND.sub("", name)))
    telling = tuple(word for word in words if word not in _NO_WORDS)
    return telling or tuple(words)


def _acronyms(name: str) -> frozenset[str]:
    """Return the acronyms in a name, folded, each under its one spelling."""
    tokens = re.split(r"[\s,:;/@\u2013-]+", _INNER_AND.sub("", name))
    found = (_WORD.findall(fold(each)) for each in tokens if _CAPITALS.search(each))
    joined = ("".join(words) for words in found)
    return (
        frozenset(_ONE_NAME.get(each, each) for each in joined if 1 < len(each) <= 12) - _NO_WORDS
    )


def _stands_for(acronyms: frozenset[str], name: str) -> bool | None:
    """Tell whether acronyms stand for a name; None: a journal may be called like the meeting."""
    words = tuple(word for word in _telling(name) if _ONE_NAME.get(word, word) not in acronyms)
    for acronym in acronyms:
        meant = [word for word in _MEETINGS.get(acronym, "").split() if word not in _NO_WORDS]
        if meant and _aligned(words, meant) == len(words) >= len(meant) - 1:
            return True if len(meant) > 2 or _MEETING.search(name) else None
        if any(_spelt(acronym, words[start:]) for start in range(len(words))):
            return True
    return False


def _spelt(acronym: str, words: Sequence[str]) -> bool:
    """Whether an acronym is made of the beginnings of words, of each the first letter at least."""
    if not acronym:
        return True
    if not words or acronym[0] != words[0][0]:
        return False
    most = len(words[0]) if len(acronym) > 1 else 1
    ends = (end for end in range(1, most + 1) if acronym[:end] == words[0][:end])
    return any(_spelt(acronym[end:], words[1:]) for end in ends)


def _aligned(short: Sequence[str], long: Sequence[str]) -> int:
    """Count the words of one name that stand in the other, in order, cut short or whole."""
    counts = [0] * (len(long) + 1)
    for word in short:
        row = [0]
        for at, (before, after) in enumerate(pairwise(counts)):
            fits = _abbreviates(word, long[at]) or _abbreviates(long[at], word)
            row.append(max(row[-1], after, before + fits))
        counts = row
    return counts[-1]


def _abbreviates(short: str, full: str) -> bool:
    """Whether a word is another cut short: its beginning, or some of its letters in order.

    Or it is the other but for one typing error.
    """
    from rapidfuzz.distance import OSA

    if full.startswith(short):
        return True
    if len(short) >= _LONG_WORD and OSA.distance(short, full, score_cutoff=1) <= 1:
        return True
    if len(short) < 3 or short[0] != full[0] or len(short) > len(full):
        return False
    letters = iter(full)
    return all(letter in letters for letter in short) and short[-1] in full[-3:]
