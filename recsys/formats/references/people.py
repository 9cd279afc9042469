"""Split the names of people into the parts that reference managers ask for."""

import re
from dataclasses import dataclass

SUFFIXES = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "2nd", "3rd", "4th"})
HOMONYM = re.compile(r"(?<=[^\W\d_])\s+0\d{3}\Z")
"""DBLP numbers people of one name: "Wei Wang 0001"."""
_COMPANIES = frozenset({"inc", "inc.", "ltd", "ltd.", "llc", "gmbh", "corp", "corp.", "co", "co."})
_GROUPS = frozenset({"and", "&", "et", "for", "of", "the", "und"})


@dataclass(frozen=True, slots=True)
class Name:
    """A name in parts; of a group, or of a single word, only `family` is there."""

    family: str
    given: str = ""
    suffix: str = ""

    @property
    def natural(self) -> str:
        """The name as it is spoken: given name first, no commas."""
        return " ".join(filter(None, (self.given, self.family, self.suffix)))

    @property
    def inverted(self) -> str:
        """The name as an index has it: "Family, Given, Suffix"."""
        return ", ".join(filter(None, (self.family, self.given, self.suffix)))


def name_of(text: str) -> Name:
    """Split a name on one line, in either order: "Arman Cohan", "Cohan, Arman".

    A name that is not understood stays whole.

    >>> name_of("Laurens van der Maaten"), name_of("King, Martin Luther, Jr.").natural
    (Name(family='van der Maaten', given='Laurens', suffix=''), 'Martin Luther King Jr.')
    >>> name_of("Matthew Kay 0001").natural, name_of("Martin King, Jr.").inverted
    ('Matthew Kay', 'King, Martin, Jr.')
    """
    family, *rest = (HOMONYM.sub("", part.strip()) for part in text.split(","))
    if not rest:
        return _spoken(HOMONYM.sub("", text.strip()))
    if len(rest) > 2 or _is_group(text):
        return Name(text)
    if len(rest) == 1 and rest[0].lower() in SUFFIXES and " " in family:
        spoken = _spoken(family)
        return Name(spoken.family, spoken.given, rest[0]) if spoken.given else Name(text)
    if len(rest) == 1:
        given = rest[0]
        if not family or not given:
            return Name(family or given or text)
        return Name(text) if _ambiguous(given) else Name(family, given)
    given, suffix = rest if rest[1].lower() in SUFFIXES else reversed(rest)
    whole = not family or not given or not suffix or suffix.lower() not in SUFFIXES
    return Name(text) if whole or _ambiguous(given) else Name(family, given, suffix)


def natural(text: str) -> str:
    """Put a name on one line into the order in which it is spoken."""
    return name_of(text).natural


def _spoken(text: str) -> Name:
    words = text.split()
    suffix = words.pop() if len(words) > 2 and words[-1].lower() in SUFFIXES else ""
    if len(words) < 2 or _is_group(text) or words[-1].lower() in SUFFIXES:
        return Name(text)
    start = len(words) - 1
    while start > 1 and words[start - 1].isalpha() and words[start - 1].islower():
        start -= 1  # Particles, such as those of "van der Maaten".
    given = " ".join(words[:start])
    return Name(text) if _ambiguous(given) else Name(" ".join(words[start:]), given, suffix)


def _ambiguous(given: str) -> bool:
    """Whether "Family, Given" would be read as something else, such as "Acme, Inc."."""
    return given.lower() in SUFFIXES | _COMPANIES | {"and"}  # That joins the names of a list.


def _is_group(text: str) -> bool:
    return not _GROUPS.isdisjoint(text.lower().split())
