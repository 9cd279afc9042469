"""How well references are matched: noisy BibTeX entries of papers in and not in the corpus.

Papers are written as the BibTeX that people have: the same works, spelt otherwise. What happens to
an entry is drawn from the shares below; they are guesses at a careless bibliography, harsher than
most.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html.entities import codepoint2name

import numpy as np
from pylatexenc.latexencode import UnicodeToLatexEncoder

from benchmarks.bench import Bench, Figures
from benchmarks.result_tables import share
from recsys.formats import identifiers
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.indexes.opening import open_collection
from recsys.query.matching import Match, match
from recsys.records import Paper, Reference
from recsys.store.arrays import Mask, Rows
from recsys.store.collection import Collection

INSIDE, OUTSIDE = 300, 100
"""Entries of papers in the corpus, and of papers that are held out of it."""
SEED = 1
"""Weights and threshold of the matching were chosen on other seeds: 0 and 2 to 5."""


@dataclass(frozen=True, slots=True)
class Bibliography:
    """references: what was read of the entries, in order. rows: int32, what they mean; -1: nothing.

    allowed: (n,) bool, the corpus without the papers held out.
    """

    references: tuple[Reference, ...]
    rows: Rows
    allowed: Mask


def measure_matching(bench: Bench, corpora: Sequence[str]) -> dict[str, Figures]:
    """Measure precision and recall on each corpus."""
    found = {}
    for corpus in corpora:
        collection = open_collection(bench.built(corpus))
        drawn = draw(collection, np.random.default_rng(SEED))
        found[corpus] = {
            "papers": len(collection.corpus),
            "inside": INSIDE,
            "outside": OUTSIDE,
            "all": judge(matches(collection, drawn), drawn.rows),
            "no identifiers": judge(matches(collection, without_identifiers(drawn)), drawn.rows),
        }
    return found


def draw(
    collection: Collection,
    rng: np.random.Generator,
    *,
    inside: int = INSIDE,
    outside: int = OUTSIDE,
) -> Bibliography:
    """Draw papers uniformly, write them as noisy BibTeX, and read that."""
    n = len(collection.corpus)
    rows = rng.permutation(n)[: inside + outside].astype(np.int32)
    papers = collection.corpus.papers(rows)
    dois = [paper.doi or identifiers.doi(paper.id) for paper in papers]
    text = bibtex(papers, dois, rng)
    read = {each.key: each for each in parse_bibliography(text, "noisy.bib").references}
    allowed = np.ones(n, bool)
    allowed[rows[inside:]] = False
    meant = np.where(np.arange(len(rows)) < inside, rows, np.int32(-1))
    # An entry that could not be read matches nothing.
    references = tuple(read.get(f"ref{place}", Reference()) for place in range(len(rows)))
    return Bibliography(references, meant.astype(np.int32), allowed)


def without_identifiers(drawn: Bibliography) -> Bibliography:
    """Take away what is not title, year, authors and venue."""
    plain = (
        Reference(each.key, each.title, each.authors, each.year, each.venue)
        for each in drawn.references
    )
    return Bibliography(tuple(plain), drawn.rows, drawn.allowed)


def matches(collection: Collection, drawn: Bibliography) -> tuple[Match, ...]:
    """Match a bibliography to the corpus without the papers held out."""
    return match(collection, drawn.references, allowed=drawn.allowed)


def judge(found: Sequence[Match], meant: Rows) -> Figures:
    """Measure precision (of all matches) and recall (of the entries of papers in the corpus).

    meant: int32, the right row of each, -1 where there is none.

    Returns:
        {"precision", "recall": {value, low, high}} with 95 % Wilson intervals.
    """
    rows = np.array([-1 if each.row is None else each.row for each in found], np.int32)
    right = int(np.sum((rows == meant) & (meant >= 0)))
    matched, inside = int(np.sum(rows >= 0)), int(np.sum(meant >= 0))
    return {"precision": share(right, matched), "recall": share(right, inside)}


SHARES: Mapping[str, float] = {
    "another case": 0.5,
    "no subtitle": 0.15,
    "a typing error": 0.2,
    "other dashes": 0.3,
    "quotation marks": 0.3,
    "HTML entities": 0.1,
    "accents lost": 0.15,
    "initials": 0.5,
    "first author only": 0.1,
    "no authors": 0.05,
    "year off by one": 0.2,
    "no year": 0.05,
    "venue abbreviated": 0.5,
    "no venue": 0.15,
    "DOI": 0.35,
}
"""How often each happens, where it can: a title without a colon has no subtitle to lose."""
WRONG_DOI = 0.05
"""How many of the DOIs are another paper's."""

_ACCENTS = UnicodeToLatexEncoder(
    replacement_latex_protection="braces-all",
    unknown_char_policy="keep",
    unknown_char_warning=False,
)
_DASHES = ("\u2010", "\u2011", "\u2013", "--", " - ", " ", "")
_QUOTES = ("\u201c\\1\u201d", r"``\1''", r'{"}\1{"}', r"'\1'")
_ENTITIES = {code: f"&{name};" for code, name in codepoint2name.items() if code > 127}
_QUOTED = re.compile(r'["\u201c\u201d]([^"\u201c\u201d]+)["\u201c\u201d]')
_CAPITALS = re.compile(r"\b\w*[A-Z]\w*[A-Z]\w*\b|(?<= )[A-Z]")
_NEIGHBOURS = dict(zip("abcdefghijklmnopqrstuvwxyz", "snvfrdghojklnmipwetrybwzux", strict=True))


@dataclass(frozen=True, slots=True)
class Noise:
    """Draws what happens to entries."""

    rng: np.random.Generator

    def happens(self, what: str | float) -> bool:
        """Draw whether one of SHARES happens, or what has this chance."""
        return bool(self.rng.random() < (SHARES[what] if isinstance(what, str) else what))

    def one(self, choices: Sequence[str]) -> str:
        """Draw one of several, all alike."""
        return choices[int(self.rng.integers(len(choices)))]


def bibtex(
    papers: Sequence[Paper],
    dois: Sequence[str | None],
    rng: np.random.Generator,
    *,
    wrong_dois: float = WRONG_DOI,
) -> str:
    """Write a bibliography of noisy entries `ref0`, `ref1` ...

    dois: the DOI of each paper, as far as it has one. wrong_dois: the share of others' DOIs.
    """
    noise = Noise(rng)
    known = [doi for doi in dois if doi]
    entries = []
    for place, (paper, doi) in enumerate(zip(papers, dois, strict=True)):
        given = doi if noise.happens("DOI") else None
        if given and noise.happens(wrong_dois):
            given = noise.one(known)
        entries.append(_entry(f"ref{place}", paper, given, noise))
    return "\n".join(entries)


def _entry(key: str, paper: Paper, doi: str | None, noise: Noise) -> str:
    kind = noise.one(("article", "inproceedings"))
    title = paper.title
    for name, change in _TITLE_CHANGES.items():
        if noise.happens(name):
            title = change(title, noise)
    escaped = latex(title, noise)
    initials, surname_first = noise.happens("initials"), noise.happens(0.5)
    written = [latex(_name(name, initials, surname_first), noise) for name in paper.authors]
    if len(written) > 1 and noise.happens("first author only"):
        written = [written[0], "others"]
    fields = {
        "title": _CAPITALS.sub(r"{\g<0>}", escaped) if noise.happens(0.4) else escaped,
        "author": "" if noise.happens("no authors") else " and ".join(written),
        "journal" if kind == "article" else "booktitle": _venue(paper.venue or "", noise),
        "year": "" if noise.happens("no year") else _year(paper.year, noise),
        "doi": noise.one(("{}", "https://doi.org/{}", "DOI:{}")).format(doi) if doi else "",
        "pages": "1--12",
    }
    if doi and noise.happens(0.5):
        fields["doi"] = fields["doi"].upper().replace("HTTPS://DOI.ORG", "https://doi.org")
    lines = (f"  {name} = {_wrapped(value, noise)}" for name, value in fields.items() if value)
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _wrapped(value: str, noise: Noise) -> str:
    if value.isdigit():
        return noise.one(("{{{}}}", '"{}"', "{}")).format(value)
    balanced = '"' not in value.replace('{"}', "")
    text = f'"{value}"' if balanced and noise.happens(0.3) else f"{{{value}}}"
    words = text.split(" ")
    if len(words) > 8 and noise.happens(0.3):  # Broken as an editor breaks lines.
        words[6] = "\n            " + words[6]
    return " ".join(words)


def _misspelt(title: str, noise: Noise) -> str:
    """Swap, drop, double or replace one letter of a word of four or more."""
    words = title.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    if not long:
        return title
    place = long[int(noise.rng.integers(len(long)))]
    word, at = words[place], int(noise.rng.integers(1, len(words[place]) - 1))
    before, letter, after = word[:at], word[at], word[at + 1 :]
    swapped, other = after[:1] + letter + after[1:], _NEIGHBOURS.get(letter, "x")
    words[place] = before + noise.one((swapped, after, 2 * letter + after, other + after))
    return " ".join(words)


_TITLE_CHANGES: Mapping[str, Callable[[str, Noise], str]] = {
    "no subtitle": lambda title, noise: title.partition(": ")[0],
    "a typing error": _misspelt,
    "other dashes": lambda title, noise: re.sub(
        r"(?<=\w)[-\u2010\u2011](?=\w)", noise.one(_DASHES), title
    ),
    "quotation marks": lambda title, noise: _QUOTED.sub(noise.one(_QUOTES), title),
    "another case": lambda title, noise: noise.one(
        (title.lower(), title.upper(), title.title(), title.capitalize())
    ),
    "HTML entities": lambda title, noise: title.replace("&", "&amp;").translate(_ENTITIES),
}


def _name(name: str, initials: bool, surname_first: bool) -> str:
    family, comma, given = name.partition(",")
    if not comma:
        *others, family = name.split() or [name]
        given = " ".join(others)
    if initials:
        given = " ".join(f"{part[0]}." for part in re.split(r"[\s.-]+", given) if part)
    given, family = given.strip(), family.strip()
    if not given:
        return family
    return f"{family}, {given}" if surname_first or " " in family else f"{given} {family}"


def _venue(venue: str, noise: Noise) -> str:
    if noise.happens("no venue"):
        return ""
    if noise.happens("venue abbreviated"):
        venue = " ".join(f"{word[:4]}." if len(word) > 5 else word for word in venue.split())
    return latex(venue, noise)


def _year(year: int | None, noise: Noise) -> str:
    if year is None:
        return ""
    return str(year + int(noise.rng.choice((-1, 1))) if noise.happens("year off by one") else year)


def latex(text: str, noise: Noise) -> str:
    r"""Escape text for LaTeX; accents become commands, stay as they are, or get lost."""
    lost, kept = noise.happens("accents lost"), noise.happens(0.4)
    if lost:
        text = "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)
    escaped = re.sub(r"[&%$#_]", r"\\\g<0>", text).replace("~", r"\textasciitilde{}")
    escaped = escaped.replace(r"\&amp;", "&amp;")
    if lost or kept:
        return escaped
    letters = (each for each in set(escaped) if each.isalpha() and not each.isascii())
    return escaped.translate({ord(each): _ACCENTS.unicode_to_latex(each) for each in letters})
