"""Invent papers that cite each other: titles, names, journals and text as real ones are shaped."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from recsys.formats.references.people import Name

LARGEST_LIST, SMALLEST_LIST = 40, 10
OWN_SHARE = 0.4
"""Of the works in a list, those that are among the papers of the folder."""
WORDS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Work:
    """What a list of references tells of a work. doi, arxiv: empty where it has none."""

    key: str
    title: str
    authors: tuple[Name, ...]
    year: int
    venue: str
    kind: str
    volume: int
    number: int
    page: int
    doi: str = ""
    arxiv: str = ""


@dataclass(frozen=True, slots=True)
class Invented:
    """A paper of the folder, and what it cites: works of other papers of the folder, and others."""

    work: Work
    abstract: str
    text: tuple[tuple[str, str], ...]
    cites: tuple[Work, ...]


def invent(number: int, rng: np.random.Generator) -> tuple[Invented, ...]:
    """Invent so many papers, the oldest first; a paper cites only what is not newer.

    `{{key}}` stands in the text where a work is cited.
    """
    titles: set[str] = set()
    years = sorted(int(year) for year in rng.integers(1996, 2024, number))
    works = [_work(f"own{place:04}", year, rng, titles) for place, year in enumerate(years)]
    found = []
    for place, work in enumerate(works):
        length = int(rng.integers(SMALLEST_LIST, LARGEST_LIST + 1))
        own = min(place, round(length * OWN_SHARE))
        cited = [works[row] for row in rng.permutation(place)[:own]]
        cited += [
            _work(f"far{place:04}x{row}", int(rng.integers(1950, work.year + 1)), rng, titles)
            for row in range(length - own)
        ]
        cited = [cited[row] for row in rng.permutation(len(cited))]
        middle = _some(rng, WORDS["middle_sections"])
        headings = ("Introduction", *middle, "Results", "Discussion and Conclusion")
        sections = tuple((heading, _paragraphs(cited, rng)) for heading in headings)
        abstract = " ".join(_sentence(rng) for _ in range(int(rng.integers(5, 10))))
        found.append(Invented(work, abstract, sections, tuple(cited)))
    return tuple(found)


def _work(key: str, year: int, rng: np.random.Generator, titles: set[str]) -> Work:
    title = _title(rng, sorted(titles))
    while title.lower() in titles:
        title = _title(rng, sorted(titles))
    titles.add(title.lower())
    number = int(rng.choice([1, 2, 3, 4, 6, 11], p=[0.2, 0.3, 0.2, 0.15, 0.1, 0.05]))
    authors = []
    for _ in range(number):
        given = _word(rng, "given")
        if rng.random() < 0.25:
            given += f" {_some(rng, 'ABCDEFGHJKLMPRSTW')}."
        authors.append(Name(_word(rng, "family"), given))
    kind = str(rng.choice(["article", "inproceedings", "preprint"], p=[0.55, 0.35, 0.1]))
    if kind == "preprint" and year < 2008:
        kind = "article"
    venues = {"article": "journals", "inproceedings": "meetings", "preprint": "servers"}
    page = int(rng.integers(1, 1800))
    arxiv = f"{year % 100:02}{int(rng.integers(1, 13)):02}.{int(rng.integers(10**4)):04}"
    suffix = f"{key}.{int(rng.integers(10**6))}" if rng.random() < 0.5 else f"s{page}-{key}-y"
    with_doi = kind != "preprint" and rng.random() < 0.5
    return Work(
        key, title, tuple(authors), year, _word(rng, venues[kind]), kind,
        int(rng.integers(1, 90)), int(rng.integers(1, 13)), page,
        f"10.{5000 + int(rng.integers(900))}/{suffix}" if with_doi else "",
        arxiv if kind == "preprint" else "",
    )  # fmt: skip


def _title(rng: np.random.Generator, earlier: Sequence[str]) -> str:
    """Make a title in one of the shapes that titles have; a few continue an earlier one."""
    kinds = {
        "adjective": "adjectives", "other": "adjectives", "noun": "nouns", "things": "nouns",
        "action": "actions", "means": "means", "place": "places", "named": "named",
    }  # fmt: skip
    words: dict[str, object] = {name: _word(rng, kind) for name, kind in kinds.items()}
    words["name"] = _word(rng, "first_syllables") + _word(rng, "last_syllables")
    words["year"], words["scale"] = int(rng.integers(1400, 1990)), int(rng.integers(2, 9))
    if len(earlier) > 40 and rng.random() < 0.04:
        return f"{_some(rng, earlier)} II".capitalize()
    title = _word(rng, "titles").format(**words)
    return title[0].upper() + title[1:]


def _paragraphs(cited: Sequence[Work], rng: np.random.Generator) -> str:
    sentences = []
    for _ in range(int(rng.integers(12, 40))):
        sentence = _sentence(rng)
        if rng.random() < 0.4:
            sentence = f"{sentence[:-1]} {{{{{_some(rng, cited).key}}}}}."
        sentences.append(sentence)
    return " ".join(sentences)


def _sentence(rng: np.random.Generator) -> str:
    return _word(rng, "sentences").format(
        adjective=_word(rng, "adjectives"), noun=_word(rng, "nouns"), means=_word(rng, "means"),
        action=_word(rng, "actions"), number=int(rng.integers(20, 900)),
        share=int(rng.integers(2, 40)),
    )  # fmt: skip


def _some(rng: np.random.Generator, choices: Sequence[_T]) -> _T:
    return choices[int(rng.integers(len(choices)))]


def _word(rng: np.random.Generator, kind: str) -> str:
    return str(_some(rng, WORDS[kind]))
