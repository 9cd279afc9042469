"""Read the names of people as any program prints them: one name, and a list of them."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

SUFFIXES = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "2nd", "3rd", "4th"})
_COMPANIES = frozenset({"inc", "inc.", "ltd", "ltd.", "llc", "gmbh", "corp", "corp.", "co", "co."})
_DEGREES = frozenset({"phd", "md", "msc", "bsc", "mba", "mph", "dphil", "rn"})
_JOINS = frozenset({"and", "&", "et", "for", "of", "the", "und", "f\u00fcr", "on"})
_GROUPS = frozenset(
    "administration agency alliance association authority center centre collaboration "
    "collaborators college commission committee consortium corporation council department "
    "federation foundation group initiative institute institutes institution investigators "
    "laboratory ministry network office organisation organization panel partnership program "
    "programme project society team union university workshop".split()
)
"""Words that are hardly a surname, but what groups call themselves."""
_SHORT_NAMES = frozenset(
    "AI CAI CAO CHO CUI DAI DU EU FAN FU GAO GUO HAN HO HU HUO KIM KO LAU LEE LI LIM LIN LIU LU "
    "LUO NG NLP PAN QIN SUN TAN TSE UK US USA WU XIE XU YAO YU ZHU".split()
)
"""Capitals that may be a surname, or part of a company's name, as well as initials: "Wei LI"."""
_PARTICLES = frozenset(
    "al ap ben bin da dal de del della den der des di dos du el la las le los san st ten ter van "
    "vande vander von zu zum zur".split()
)
_TITLES = re.compile(r"\A(?:(?:Prof(?:essor)?|Dr|Mrs?|Ms)\b\.?(?:-Ing\.)?\s?)+(?=\w)")
_SIGNS = "*\u2217\u2020\u2021\u00a7\u00b6\u2016#\u00b9\u00b2\u00b3\u2070-\u2079\u2709"
"""What marks affiliations and notes."""
_RAISED = re.compile(
    r"[\u00b9\u00b2\u00b3\u2070-\u2079]+(?:,[\u00b9\u00b2\u00b3\u2070-\u2079]+)*"
    r"|<sup>[^<>]{0,40}</sup>"
)
# No run of signs is without limit: to look for its end from each of them takes quadratic time.
_ORCID = re.compile(
    r"(?i)[\s(\[{/,;:]{0,9}(?:https?://)?(?:\borcid(?:\.org/|\s?id\b)?[:\s]{0,3})?"
    r"(?<!\d)\d{4}-\d{4}-\d{4}-\d{3}[\dX](?!\w)[)\]}]{0,3}"
    r"|[\s(\[]{1,9}ORCID\b(?:\s?iD\b)?[)\]]{0,3}|\s{0,9}\(\d{3,20}\)"
)
"""Scopus puts numbers of its own behind names."""
# The numbers by which DBLP tells people of one name apart, too: "Wei Wang 0001".
_MARKS = re.compile(
    rf"(?<=[^\W\d_])\s0\d{{3}}$|(?<=[^\W_])(?:\^\w{{1,9}}(?:,\w{{1,9}}){{0,9}}\^?)+(?=[\s,]|$)"
    rf"|(?<=[\w.])[{_SIGNS}]{{1,20}}(?=[\s,]|$)|(?<![^\s,])[{_SIGNS}]{{1,20}}(?=[^\W\d_])"
    r"|(?<=[A-Z]{2})\.$"  # As ends a sentence: "Lee KS."
    r"|^\.{3}\s?(?=[^\W\d_])"
)
_NUMBERS = re.compile(r"(?<=[^\W\d_]{2})\d{1,2}(?:,\d{1,2})*(?=[\s,]|$)")
_AFFILIATION = re.compile(
    r"(?<=[^\W\d_]) (?:\d{1,2}|[a-z])$|\s?\([^()]{1,80}\)$|\s?\[[^\[\]]{1,80}\]$"
)
_AND_OTHERS = re.compile(r"(?i)(?<=[\w.])(?:,? (?:and others|et\.? al\.?))+$")
_ROLE = re.compile(r"(?i)[, ]{1,9}(?:\(eds?\.?\)|eds\.?|editors?)$")
_NOBODY = re.compile(
    r"(?i)(?!\{\s*[^\s{}])\W*|\[?no authors?\b[^\]]*\]?|anon(?:\.|ymous)?|null|(?:and )?others"
    r"|et\.? al\.?|\d[\d, ]*"
)
_KEYED = re.compile(r"(?i)(family|given|prefix|suffix|useprefix|id|\w+-i)\s*=\s*(.*)", re.DOTALL)
_BRACES = dict.fromkeys(map(ord, "{}"))
_BRACED = re.compile(r"\s*\{((?:(?!\}\s*(?:[;|,&]|and\b)).)*)\}\s*", re.DOTALL)
_COMMA = re.compile("[,\uff0c]")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.[-\u2010\u2011]?)+[^\W\d_]?")
_LIST = re.compile(r"\[\s{0,9}['\"]")
# One without its end counts, too: to look for another would take quadratic time.
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*+)(?:'|\\?\Z)|\"((?:[^\"\\]|\\.)*+)(?:\"|\\?\Z)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SEMICOLON = re.compile(r"\\([;\\])|(;)")
_AND = re.compile(r" ?,? (?:and|AND|und|et(?! al\b)|on behalf of(?: the)?) | ?,? ?& ?")
_EDGE_AND = re.compile(r"\A(?:and|AND|&|und)\s+|\s+(?:and|AND|&|und)\Z")
_BARS = re.compile(r"\||\u2022| [/\u00b7] ")
_FIRST_OF_CJK = "\u2e80"
"""From here on, characters are those of China, Japan and Korea."""
_MOST_INITIALS = 3
_MOST_NAMES = 10_000
_KEPT = 1 << 15
"""Names that are kept as they were read: few of all are most of those that occur."""
_WHOLE = 3
"""Parts that commas make of one name at most: family, suffix, given."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name in parts; of a group, and of what is not understood, only `literal` is there.

    particle: what stands before the family name, as "van der".
    """

    family: str = ""
    given: str = ""
    suffix: str = ""
    particle: str = ""
    literal: str = ""

    @property
    def surname(self) -> str:
        """The family name with its particle; of a group, what it is called."""
        return self.literal or " ".join(filter(None, (self.particle, self.family)))

    @property
    def natural(self) -> str:
        """The name as it is spoken: given name first, no commas."""
        return " ".join(filter(None, (self.given, self.surname, self.suffix)))

    @property
    def inverted(self) -> str:
        """The name as an index has it: "Family, Given, Suffix"."""
        return ", ".join(filter(None, (self.surname, self.given, self.suffix)))


class People(NamedTuple):
    """The people of a list.

    unsure: it could be taken apart in another way, too. mixed: the order of some names is another
    than that of the others, or not told.
    """

    names: tuple[Name, ...]
    unsure: bool = False
    mixed: bool = False

    @property
    def spoken(self) -> tuple[str, ...]:
        """Their names in the order in which they are spoken."""
        return tuple(name.natural for name in self.names)


Commas = Literal["between", "either", "within"]
"""What commas stand between: names, which are spoken; whatever fits; the parts of a name."""
Order = Literal["printed", "spoken", "index"]
"""Of a name without commas: with initials before or behind it; as spoken; family name first."""


def people_in(*texts: str, commas: Commas = "either") -> People:
    """Read the people whom texts name: a text for each, or a list in one of them.

    One list has all names in one order; what says so for some tells the others' order.

    >>> people_in("Smith J., de la Cruz M.-A.").spoken, people_in("Ash, A., and Elm, B.").spoken
    (('J. Smith', 'M.-A. de la Cruz'), ('A. Ash', 'B. Elm'))
    >>> people_in("Ash, Ann, Elm, Bob").unsure, people_in("Ada Elm; Lee, Kim").mixed
    (True, True)
    """
    told: list[str] = []
    doubts = []
    for text in texts:
        names, doubtful = _separate(text, commas)
        told += names
        doubts.append(doubtful)
    for at, name in enumerate(told := told[:_MOST_NAMES]):
        # Where somebody works, or the mark of that, goes from behind a name, but for a group's.
        shorter = _AFFILIATION.sub("", name.strip())
        told[at] = _bare(shorter if " " in shorter and not is_group(shorter) else name)
    told = [name for name in told if not _NOBODY.fullmatch(name)]
    if commas == "between":  # As below a title, where names are spoken.
        return People(tuple(_split(name, "spoken") for name in told))
    order = _order(told)
    read = [_split(name, order) for name in told]
    pairs = list(zip(told, read, strict=True))
    spoken = [name != of.natural for name, of in pairs if "," not in name and not of.literal]
    open_ = [  # Nothing tells which of several words is the family name.
        at
        for at, (name, of) in enumerate(pairs)
        if "," not in name and of.given and of.natural == name and not (of.particle or of.suffix)
        if not any(map(_is_initial, of.given.split()))
    ]
    if any(spoken) and 2 * sum(spoken) >= len(spoken):  # Initials stand behind most.
        for at in open_:
            read[at] = _split(told[at], "index")
        mixed = any(told[at].split()[-1] not in _SHORT_NAMES for at in open_)
    else:
        mixed = bool(open_) and any("," in name and of.given for name, of in pairs)
    return People(tuple(read), any(doubts), mixed)


def _order(told: Sequence[str]) -> Order:
    """Tell the order of names whose surnames stand in capitals, by one that is too long for some.

    >>> _order(["Mia ELM", "Jon BIRCH"]), _order(["BIRCH Jon", "ELM Mia"]), _order(["ELM M"])
    ('spoken', 'index', 'printed')
    """
    named = [words for name in told if "," not in name and len(words := name.split()) > 1]
    first, last = [words[0] for words in named], [words[-1] for words in named]
    orders: tuple[tuple[Order, list[str], list[str]], ...] = (
        ("index", first, last),
        ("spoken", last, first),
    )
    for order, surnames, others in orders:
        capitals = all(map(str.isupper, surnames)) and not any(map(str.isupper, others))
        if capitals and any(len(name) > _MOST_INITIALS + 1 and name.isalpha() for name in surnames):
            return order
    return "printed"


def name_of(text: str, *, order: Order = "printed") -> Name:
    """Split a name on one line, in any order: "Arman Cohan", "Cohan, Arman", "Cohan A".

    >>> name_of("van der Maaten, Laurens")
    Name(family='Maaten', given='Laurens', suffix='', particle='van der', literal='')
    >>> name_of("Brown C D").natural, name_of("Tieman, CO").natural, name_of("Oak Team").literal
    ('C D Brown', 'CO Tieman', 'Oak Team')
    >>> name_of("Matthew Kay 0001").natural, name_of("Martin King, Jr.").inverted
    ('Matthew Kay', 'King, Martin, Jr.')
    """
    return _split(_bare(text), order)


@lru_cache(_KEPT)
def _split(bare: str, order: Order = "printed") -> Name:
    if braced := _BRACED.fullmatch(bare):  # As BibTeX keeps a name whole.
        return Name(literal=braced[1].strip())
    parts = [part.strip() for part in _COMMA.split(bare)]
    keyed = [match for part in parts if (match := _KEYED.fullmatch(part))]
    if len(keyed) == len(parts):  # As biblatex has it.
        told = {match[1].lower(): match[2].strip("\"'{} ") for match in keyed}
        family, given, suffix = (told.get(key, "") for key in ("family", "given", "suffix"))
        return Name(family or given, given if family else "", suffix, told.get("prefix", ""))
    named = list(filter(None, parts))
    while len(named) > 1 and _is_degree(named[-1], several=len(named) > 2 or named != parts):
        named.pop()
    if len(named) == 1:
        return _without_commas(named[0], order)
    return _inverted(named) if 1 < len(named) <= _WHOLE else Name(literal=bare)


def written(name: Name) -> str:
    """Write a name as an index has it; in braces where it would be read as several, or as nobody.

    >>> written(name_of("Ann Ash")), written(Name(literal="Oaks; their council"))
    ('Ash, Ann', '{Oaks; their council}')
    """
    read = people_in(name.inverted, commas="within").spoken
    return name.inverted if read == (name.natural,) else f"{{{name.natural}}}"


def own_name(text: str) -> Name:
    """Split a name as our papers have it: as it is spoken, where it has no comma."""
    return name_of(text, order="spoken")


def natural(text: str) -> str:
    """Put a name of a paper of ours into the order in which it is spoken."""
    return own_name(text).natural


def _inverted(parts: list[str]) -> Name:
    """Make a name of family, given, suffix; what is not understood stays whole."""
    whole = Name(literal=", ".join(parts))
    family, given, suffix = (*parts, "")[:3]
    before, _, last = given.rpartition(" ")
    if before and not suffix and _is_suffix(last, given):  # PubMed's "King, Martin L 3rd".
        given, suffix = before, last
    if not suffix and family.lower() in _GROUPS and not are_initials(given):
        return Name(literal=f"{given} {family}")  # A program has turned the name of a group round.
    joined = not _JOINS.isdisjoint(family.split())
    if joined or (not are_initials(given) and (is_group(family) or is_group(given))):
        return whole
    if suffix:
        if _is_suffix(given):
            given, suffix = suffix, given
        elif are_initials(suffix) and not _is_suffix(suffix):
            given, suffix = f"{given} {suffix}", ""  # "Dimaro, Dimos, V".
        if suffix and not _is_suffix(suffix):
            return whole
    elif _is_suffix(given, family):
        spoken = _without_commas(family, "spoken")
        return whole if spoken.literal or spoken.suffix else replace(spoken, suffix=given)
    return whole if _is_suffix(given, family) else _with_particle(family, given, suffix)


def _without_commas(text: str, order: Order) -> Name:
    """Split a name that ends with the family name, or with initials behind that."""
    words = text.split()
    if is_group(text):
        return Name(literal=text)
    suffix = ""
    if len(words) > 1 and _is_suffix(words[-1], " ".join(words[:-1])):
        suffix = words.pop()
    if order == "index" and len(words) > 1:
        at = _of_family(words)
        return _with_particle(" ".join(words[:at]), " ".join(words[at:]), suffix)
    at = len(words)
    while at > 1 and order == "printed" and _is_initial(words[at - 1]):
        at -= 1
    if at < len(words) and _is_family(words[:at], words[at:]):
        return _with_particle(" ".join(words[:at]), " ".join(words[at:]), suffix)
    start = len(words) - 1
    while start > 1 and words[start - 1].isalpha() and words[start - 1].islower():
        start -= 1  # Particles, such as those of "van der Maaten".
    family, given = " ".join(words[start:]), " ".join(words[:start])
    return (
        Name(literal=text) if _is_suffix(given, family) else _with_particle(family, given, suffix)
    )


def _with_particle(family: str, given: str, suffix: str) -> Name:
    words = family.split()
    count = 0
    while count < len(words) - 1 and words[count].isalpha() and words[count].islower():
        count += 1
    return Name(" ".join(words[count:]), given, suffix, " ".join(words[:count]))


def _is_family(words: list[str], initials: list[str]) -> bool:
    """Whether words before initials are a family name: "Li J", "LEE KS", not "Wei LI", "J. P."."""
    first, after = words[0], "".join(initials)
    if after in _SHORT_NAMES:
        return False
    capitals = (
        len(words) == 1 and "." not in first and len(first) > len(initials[0].rstrip(".")) == 1
    )
    return not _is_initial(first) or first in _SHORT_NAMES or capitals


def _of_family(words: list[str]) -> int:
    """Return how many words from the first are the family name, where it stands before others."""
    last, count = words[-1], len(words)
    if last.isupper() and len(last) <= _MOST_INITIALS + 1 and "." not in last:
        count -= 1
        while count > 1 and len(words[count - 1]) == 1:
            count -= 1
        return count
    count = 0
    while count < len(words) - 2 and words[count].lower() in _PARTICLES:
        count += 1
    count += 1
    while count < len(words) - 2 and words[count] in _PARTICLES:
        count += 2
    return min(count, len(words) - 1)


@lru_cache(_KEPT)
def _bare(text: str) -> str:
    """Return a name without titles, ORCIDs, marks of footnotes, and "et al." behind it."""
    bare, before = " ".join(text.translate(_BRACES).split()), None
    if _BRACED.fullmatch(text):
        return f"{{{bare}}}"
    while bare and bare != before:
        before = bare
        for pattern in (_ORCID, _TITLES, _AND_OTHERS, _ROLE, _MARKS):
            bare = pattern.sub("", bare).strip(" ,\u2026") or bare
        if any(map(str.isdecimal, bare)) and not is_group(bare):
            bare = _NUMBERS.sub("", bare)
    return bare


def is_group(text: str) -> bool:
    """Whether words tell that it is a group that is named, or a company."""
    words = text.split()
    lower = [word.lower().strip("().") for word in words]
    return (
        not _JOINS.isdisjoint(words)
        or (len(words) > 1 and not _GROUPS.isdisjoint(lower))
        or any(word.lower() in _COMPANIES and word != "CO" for word in words)
    )


def _is_suffix(word: str, family: str = "") -> bool:
    """Whether a word is such as "Jr."; behind a mere family name, capitals are initials."""
    if word.lower() not in SUFFIXES:
        return False
    if not family:
        return True
    return word.rstrip(".") not in ("JR", "SR") and (word not in ("II", "IV") or " " in family)


def _is_degree(word: str, *, several: bool) -> bool:
    letters = "".join(filter(str.isalpha, word))
    return letters.lower() in _DEGREES and (several or not letters.isupper())


def are_initials(text: str) -> bool:
    """Whether a text is initials and nothing else: "J", "J.-P.", "KS", "M. A.".

    >>> [are_initials(text) for text in ("J.-P.", "M A", "Yu.", "Lee", "\u738b")]
    [True, True, True, False, False]
    """
    words = text.split()
    if len(words) < 2:  # "M A" and "M. A." are some, "LEE A" is none.
        return bool(words) and _is_initial(words[0])
    return all(_is_initial(word) and (len(word) == 1 or "." in word) for word in words)


def _is_initial(word: str) -> bool:
    letters = word.replace("-", "")
    if letters.isupper() and letters.isalpha():
        return len(letters) <= _MOST_INITIALS
    dotted = _DOTTED.fullmatch(word)
    return dotted is not None and word[0].isupper() and word.lower() not in SUFFIXES


def _separate(text: str, commas: Commas) -> tuple[list[str], bool]:
    """Split a text at whatever stands between names; and whether another way would do as well."""
    if _BRACED.fullmatch(text):
        return [text], False
    if quoted := quoted_in(text):
        return quoted, False
    text = text.replace("\uff1b", ";").replace("\u3001", ";")
    text = _RAISED.sub("", _ORCID.sub("", html.unescape(text) if "&" in text else text))
    parts = _BARS.split(text)
    if len(parts) == 1:
        parts = at_semicolons(text)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(parts) == 1 and all(" " in line and not line.endswith(",") for line in lines):
        parts = lines
    if len(parts) > 1 and commas == "either":
        commas = "within"
    found, unsure = [], False
    for part in parts:
        pieces = _at_ands(_EDGE_AND.sub("", " ".join(part.split())))
        for piece in pieces:
            names, doubtful = _at_commas(piece, commas)
            found += names
            # "Ann Ash, Bob Birch and Cy Elm": no comma is within a name.
            unsure = unsure or (doubtful and (len(pieces) == 1 or "," in pieces[-1]))
    return found, unsure


def quoted_in(text: str) -> list[str]:
    """Return the texts of a list as Python and JSON write it: each within quotation marks."""
    if _LIST.match(text) is None:
        return []
    quoted = ((match[1] or match[2] or "") for match in _QUOTED.finditer(text))
    return [_ESCAPED.sub(r"\1", name) for name in quoted]


def at_semicolons(text: str) -> list[str]:
    """Split at semicolons; one after a backslash is part of a name."""
    return _SEMICOLON.sub(lambda match: match[1] or "\0", text).split("\0")


def _at_ands(text: str) -> list[str]:
    """Split where "and" joins people, whole names on both sides; names of groups have it, too."""
    pieces, begin = [], 0
    for match in _AND.finditer(text):
        before = text[begin : match.start()].split()
        after = _AND.split(text[match.end() :], maxsplit=1)[0].removeprefix("the ").split()
        grouped = not _JOINS.isdisjoint(after) and _GROUPS.isdisjoint(map(str.lower, after))
        told = len(before) > 1 and len(after) > 1 and before[-1] not in _PARTICLES
        if told and _JOINS.isdisjoint(before) and not grouped:
            pieces.append(text[begin : match.start()])
            begin = match.end()
    return [*pieces, text[begin:]]


def _at_commas(text: str, commas: Commas) -> tuple[list[str], bool]:
    """Split at the commas that stand between people, not at those within their names."""
    told = _between_commas(_AND_OTHERS.sub("", text))
    if commas == "between":
        return told, False
    if all(map(_KEYED.fullmatch, told)):
        return [text], False
    if commas == "either" and _AND.search(text):
        surnames = [name for part in told for name in _AND.split(part)]
        if not any(
            " " in name or name.lower() in _COMPANIES or _is_initial(name) for name in surnames
        ):
            return surnames, True
    heads = [name.partition(",")[0] for name in told]
    written_out = all(head > _FIRST_OF_CJK and len(head) > 1 for head in heads)
    if len(told) > 1 and (written_out or all(map(_has_initials, heads))):
        return told, False
    if len(told) < 2 or (len(told) <= _WHOLE and (commas == "within" or _is_one(heads))):
        return [text], False
    if all(" " in head and not are_initials(head) for head in heads):
        open_ = not any(map(_has_order, heads)) and (len(told) == 2 or ", " not in text)
        return told, open_
    if not _JOINS.isdisjoint(heads[0].split()) and not any(map(are_initials, heads)):
        return [text], False
    families, given = heads[::2], heads[1::2]
    led = sum(" " not in head or head[0].islower() for head in families)
    if len(told) % 2 == 0 and 2 * led >= len(families) and not any(map(are_initials, families)):
        pairs = zip(told[::2], told[1::2], strict=True)
        unsure = not any(are_initials(head.split()[-1]) for head in given)
        return [f"{family}, {name}" for family, name in pairs], unsure
    return _one_by_one(told, heads), True


def _between_commas(text: str) -> list[str]:
    """Split at commas, but leave "Jr." and degrees at what is before them."""
    told: list[str] = []
    for part in map(str.strip, _COMMA.split(text)):
        name = _EDGE_AND.sub("", part)
        if told and (_is_suffix(name, "a b") or _is_degree(name, several=False)):
            told[-1] += f", {name}"
        elif not _NOBODY.fullmatch(name):
            told.append(name)
    return told


def _is_one(heads: list[str]) -> bool:
    """Whether few parts are those of one name: "Ash, Ann", "Ash, Ann, V", "Ash Elm, Ann V."."""
    family, given = heads[0].split(), heads[1].split()
    if len(heads) > 2:
        return len(family) == 1 and are_initials(heads[2])
    if len(family) == 1 or len(given) == 1 or not _JOINS.isdisjoint(family):
        return True
    return family[0].islower() or (_is_initial(given[-1]) and not _has_order(heads[0]))


def _one_by_one(told: list[str], heads: list[str]) -> list[str]:
    """Join a single word with what follows it, if that is no whole name either."""
    names: list[str] = []
    if not any(" " in head or are_initials(head) for head in heads):
        return told  # Surnames alone.
    at = 0
    while at < len(told):
        after = heads[at + 1] if at + 1 < len(told) else ""
        alone = " " in heads[at] and not are_initials(after)
        width = 1 if alone or not after or (" " in after and not are_initials(after)) else 2
        names.append(", ".join(told[at : at + width]))
        at += width
    return names


def _has_initials(name: str) -> bool:
    """Whether a name begins or ends with initials, so that it is a whole one."""
    words = name.split()
    return not are_initials(name) and (_is_initial(words[0]) or _is_initial(words[-1]))


def _has_order(name: str) -> bool:
    """Whether initials or particles tell where the family name is."""
    return any(_is_initial(word) or word.islower() for word in name.split())
