"""Who is who: the one comparison of people's names, across spellings, orders and initials."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from recsys.store.words import fold

_SEPARATORS = re.compile(r"[\s.]+")
_NOT_WORD = re.compile(r"[\W_]+")
_COMMA = re.compile("[,\uff0c]")
_KEPT = 1 << 15
"""Names whose keys are kept: few of all names are most of those that occur."""
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
_PARTICLES = frozenset(
    "af al av da de del della den der des di do dos du el la le ten ter van von zu".split()
)
"""Parts of a surname that stand between it and the given names: "Jarke J. van Wijk"."""
_NOBODY = frozenset({"anonymous", "anon", "et al", "others", "and others", "unknown"})
"""What stands in lists of authors and names nobody."""
_FIRST_OF_CJK = "\u2e80"
"""From here on, characters are those of China, Japan and Korea: one is a whole name."""
_MOST_INITIALS = 3
"""So many capital letters at most stand for given names, as in "Cohan, AM"."""
_SHORTEST = 3
"""Letters of a given name that may be cut short: "Ken" of "Kenneth", but not "Jo" of "John"."""


@lru_cache(_KEPT)
def name_key(name: str) -> str | None:
    """Return the folded surname and given names, with spaces between; None without a surname.

    Of a surname of several words the last one counts, so that both orders of a name agree. Initials
    stand apart; the parts of a given name that a hyphen joins do not.

    >>> name_key("Cohan, Arman"), name_key("A. Cohan"), name_key("COHAN, AM"), name_key("Cohan A")
    ('cohan arman', 'cohan a', 'cohan a m', 'cohan a')
    >>> name_key("van der Maaten, Laurens"), name_key("Laurens van der Maaten")
    ('maaten laurens', 'maaten laurens')
    """
    family, *rest = (_words(part) for part in _COMMA.split(name, maxsplit=1))
    if not family or " ".join(map(fold, family)) in _NOBODY:
        return None
    if rest and len(rest[0]) == 1 and _is_suffix(rest[0][0], len(family)):
        rest = []  # "Martin King, Jr."
    given = rest[0] if rest else []
    if not rest:
        ends = [at for at, word in enumerate(family) if len(word) > 1]
        if ends and ends[-1] + 1 < len(family):  # "Smith J. R."
            family, given = family[: ends[-1] + 1], family[ends[-1] + 1 :]
        else:
            family, given = family[-1:], family[:-1]
            while len(given) > 1 and fold(given[-1]) in _PARTICLES:
                given = given[:-1]
    words = [family[-1]]
    for word in given:
        initials = len(word) <= _MOST_INITIALS and word.isupper() and word.isalpha()
        words += word if initials else [word]
    return " ".join(map(fold, words))


def author_key(name: str) -> str | None:
    """Return "surname f" (f: first initial) of a name, None when no surname is found.

    >>> author_key("Cohan, Arman"), author_key("Cohan")
    ('cohan a', 'cohan')
    """
    key = name_key(name)
    return None if key is None else initialled(key)


def initialled(key: str) -> str:
    """Cut what `name_key` gives down to the surname and the first initial."""
    surname, space, given = key.partition(" ")
    return surname + space + given[:1]


def surname(name: str) -> str:
    """Return the surname in the key of a name, empty when none is found."""
    return (name_key(name) or "").partition(" ")[0]


def author_keys(names: Iterable[str]) -> list[str]:
    """Return the distinct keys `author_key` of several names, in order."""
    return list(dict.fromkeys(key for name in names if (key := author_key(name))))


def name_keys(names: Iterable[str]) -> list[str]:
    """Return the distinct keys `name_key` of several names, in order."""
    return list(dict.fromkeys(key for name in names if (key := name_key(name))))


def _words(text: str) -> list[str]:
    """Split at white space and full stops; drop punctuation inside words, and Jr. and the like.

    So are the numbers by which DBLP tells people of one name apart: "Wei Wang 0001".
    """
    words = [_NOT_WORD.sub("", part) for part in _SEPARATORS.split(text)]
    kept = [
        word
        for at, word in enumerate(words)
        if word and not (word.isdecimal() or _is_suffix(word, 0 if at else len(words) - 1))
    ]
    return kept or [word for word in words if word]


def _is_suffix(word: str, beside: int) -> bool:
    """Whether a word is a Jr.; "SMITH, JR", "SR Plat" and "Petrov, IV" have two initials.

    beside: how many words the rest of the name has, where it is a surname; else 0.
    """
    initials = beside and (word in ("JR", "SR") or (word in ("II", "IV") and beside == 1))
    return not initials and fold(word) in _SUFFIXES


@lru_cache(_KEPT)
def agree(one: str, other: str) -> bool | None:
    """Tell whether two keys of `name_key` name one person.

    Returns:
        True: given names are the same, written out or two initials at least. False: they contradict
        each other. None: one abbreviates the other, or tells hardly anything: they may be one's.

    >>> agree("cohan arman", "cohan arman"), agree("wei jianhua", "wei jinsong")
    (True, False)
    >>> agree("wei j h", "wei jianhua"), agree("smith ken", "smith kenneth")
    (None, None)
    """
    (family, *given), (other_family, *others) = one.split(" "), other.split(" ")
    if family != other_family:
        return False
    if not (given and others):
        return None
    if "".join(given) == "".join(others):
        return True if _is_full("".join(given)) else None
    same: bool | None = True if _is_full(given[0]) and given[0] == others[0] else None
    for at, pair in enumerate(zip(given, others, strict=False), start=1):
        short, full = sorted(pair, key=len)
        if not full.startswith(short) or (short >= _FIRST_OF_CJK and short != full):
            return False
        if 1 < len(short) < _SHORTEST and short != full:
            more = (given if short == pair[0] else others)[at:]
            # "Li H." is "Li-Hua", whose key does not tell where its hyphen was.
            return None if more and full[len(short) :].startswith(more[0]) else False
    return same


def written_out(key: str) -> bool:
    """Tell whether a key of `name_key` has a given name in full."""
    return _is_full(key.partition(" ")[2].partition(" ")[0])


def _is_full(name: str) -> bool:
    """Whether a given name is more than an initial."""
    return len(name) > 1 or name >= _FIRST_OF_CJK


def bearers(key: str, known: Sequence[str]) -> list[bool]:
    """Tell which of the names of a corpus are that of the person with a key.

    A name that is written out is, where it agrees. One that abbreviates, or that the key
    abbreviates, is where all names in full that it may stand for may be one person's.

    Args:
        key: of `name_key`.
        known: keys of the corpus with the same surname and first initial.
    """
    in_full = [each for each in (key, *known) if written_out(each)]
    found = []
    for each in known:
        same = agree(key, each)
        if same is None:
            full, short = (key, each) if written_out(key) and len(key) >= len(each) else (each, key)
            behind = [name for name in in_full if agree(short, name) is not False]
            first = full if written_out(full) else next(iter(behind), full)
            same = all(agree(first, name) is not False for name in behind)
        found.append(same)
    return found


def contradict(authors: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether the first of some authors is none of others, though one has the surname.

    First given names that are written out tell. It is a slip where all other authors are the same
    people, or where nobody else wrote either work and the names are one but for a letter.

    Args:
        authors: keys of `name_key`, in the order of a work.
        others: those of another work.
    """
    first, *rest = authors or [""]
    namesakes = [name for name in others if name.split(" ")[0] == first.split(" ")[0]]
    if not namesakes or not all(_differ(first, name) for name in namesakes):
        return False
    if len(authors) != len(others) or others[0] not in namesakes:
        return True
    if rest:
        pairs = zip(rest, others[1:], strict=True)
        return any(agree(one, other) is False for one, other in pairs)
    from rapidfuzz.distance import OSA

    return OSA.distance(first, others[0]) > 1


def _differ(one: str, other: str) -> bool:
    """Tell whether first given names are written out, and others: what follows has more slips."""
    if not (written_out(one) and written_out(other)) or agree(one, other) is not False:
        return False
    return agree(*(" ".join(key.split(" ")[:2]) for key in (one, other))) is False
