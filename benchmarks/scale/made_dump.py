"""Make dumps of any size: records of three kinds in many files, with all that dumps are full of.

Most files are works of OpenAlex; some are papers of Semantic Scholar's datasets, half of which are
works of OpenAlex, too; some, its citations. References are ids, a fifth of them of nothing that is
there; a record in a thousand is broken. The same size gives the same bytes.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs

OPENALEX, PAPERS = 44, 14
"""Of 64 files; the others are citations."""
_WORDS, _PEOPLE, _FAMILIES, _VENUES = 30_000, 400_000, 2_000, 3_000
_TITLE, _ABSTRACT, _AUTHORS, _CITED = 8, 60, 5, 20
_OUTSIDE, _BROKEN, _CROWD = 0.2, 0.001, 0.004
_AT_ONCE = 2000
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split()
_SMALL = "the of and in to for with that we is are this by on from as".split()
# Mixes the bits of a number: the finaliser of SplitMix64, Steele et al. 2014.
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

Bits: TypeAlias = NDArray[np.uint64]
Lines: TypeAlias = Callable[[Longs, int], Iterator[bytes]]


def make_dump(folder: Path, records: int, files: int = 64) -> None:
    """Write so many records into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        first, end = (records * each // files for each in (number, number + 1))
        place = number * 64 // files
        name, lines = _kind(place)
        path = folder / f"{name}-{number:03}.jsonl.gz"
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as file:
            for begin in range(first, end, _AT_ONCE):
                file.writelines(lines(np.arange(begin, min(begin + _AT_ONCE, end)), records))


def _kind(place: int) -> tuple[str, Lines]:
    if place < OPENALEX:
        return "part", _works
    return ("papers", _papers) if place < OPENALEX + PAPERS else ("xcitations", _citations)


def _draws(numbers: Longs, count: int, kind: int) -> Floats:
    """Draw (numbers, count) values from 0 to 1: the same for the same number and kind."""
    places = np.arange(count, dtype=np.uint64)
    mixed: Bits = (numbers.astype(np.uint64)[:, None] << np.uint64(12)) + places
    mixed = (mixed + np.uint64(kind << 56)) * np.uint64(_STEP)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FIRST)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
    high: Bits = (mixed ^ (mixed >> np.uint64(31))) >> np.uint64(40)
    return high.astype(np.float32) / np.float32(1 << 24)


@cache
def _vocabulary() -> Sequence[str]:
    """List words, small ones among the first: those are frequent."""
    return [*_SMALL, *map(_word, range(len(_SYLLABLES), _WORDS))]


@cache
def _word(number: int) -> str:
    word = ""
    while number or not word:
        number, syllable = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[syllable]
    return word


def _texts(draws: Floats) -> list[list[str]]:
    """Write words, of which few are frequent and most are rare."""
    words = _vocabulary()
    numbers = (len(words) ** draws.astype(np.float64)).astype(np.int64).tolist()
    return [[words[each - 1] for each in row] for row in numbers]


def _person(number: int) -> str:
    given, family = divmod(number, _FAMILIES)
    return f"{_word(given + 417).capitalize()} {_word(family + 411).capitalize()}"


def _facts(works: Longs) -> Iterator[dict[str, Any]]:
    """Invent what is known of works: whoever tells of one tells the same."""
    titles = _texts(_draws(works, _TITLE, 1))
    rest = _draws(works, _AUTHORS + 3, 2)
    people = (rest[:, 3:] * _PEOPLE).astype(np.int64).tolist()
    for row, work in enumerate(works.tolist()):
        crowd, count, venue = rest[row, :3].tolist()
        own = " ".join(titles[row]).capitalize()
        yield {
            "title": "Editorial introduction to the special issue" if crowd < _CROWD else own,
            "year": 1970 + work * 7919 % 54,
            "authors": [*map(_person, people[row][: 1 + int(count * _AUTHORS)])],
            "venue": f"Journal of {_word(411 + int(venue * _VENUES))} studies",
            "doi": f"10.5555/made.{work}",
        }


def _lines(works: Longs, records: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    broken = (_draws(works, 1, 3)[:, 0] < _BROKEN).tolist()
    for cut, record in zip(broken, records, strict=True):
        line = json.dumps(record).encode()
        yield (line[: len(line) // 2] if cut else line) + b"\n"


def _works(works: Longs, records: int) -> Iterator[bytes]:
    """Give works of OpenAlex."""
    return _lines(works, _openalex(works, records))


def _openalex(works: Longs, records: int) -> Iterator[dict[str, Any]]:
    texts = _texts(_draws(works, _ABSTRACT, 4))
    draws = _draws(works, _CITED + 1, 5)
    there = records * OPENALEX // 64
    # Beyond what is there, so many as the share of what is outside.
    cited = (draws[:, 1:] * there / (1 - _OUTSIDE)).astype(np.int64)
    cited = np.where(cited < there, cited, cited + 10 * records).tolist()
    for row, facts in enumerate(_facts(works)):
        work = int(works[row])
        index: dict[str, list[int]] = {}
        for place, word in enumerate(texts[row]):
            index.setdefault(word, []).append(place)
        mine = cited[row][: int(draws[row, 0] * _CITED)]
        yield {
            "id": f"https://openalex.org/W{work}",
            "doi": f"https://doi.org/{facts['doi']}" if work % 5 else None,
            "title": facts["title"],
            "publication_year": facts["year"],
            "authorships": [{"author": {"display_name": name}} for name in facts["authors"]],
            "primary_location": {"source": {"display_name": facts["venue"]}},
            "referenced_works": [f"https://openalex.org/W{each}" for each in mine],
            "abstract_inverted_index": index if work % 4 else None,
        }


def _papers(papers: Longs, records: int) -> Iterator[bytes]:
    """Give papers of Semantic Scholar, every other one a work of OpenAlex."""
    return _lines(papers, _semantic_scholar(papers, records))


def _semantic_scholar(papers: Longs, records: int) -> Iterator[dict[str, Any]]:
    works = np.where(papers % 2, papers, papers * 7_919 % max(records * OPENALEX // 64, 1))
    for row, facts in enumerate(_facts(works)):
        yield {
            "corpusid": int(papers[row]),
            "externalids": {"DOI": facts["doi"] if works[row] % 5 else None},
            "title": facts["title"],
            "year": facts["year"],
            "authors": [{"name": name} for name in facts["authors"]],
            "venue": facts["venue"],
        }


def _citations(pairs: Longs, records: int) -> Iterator[bytes]:
    """Give citations among papers of Semantic Scholar."""
    begin, end = records * OPENALEX // 64, records * (OPENALEX + PAPERS) // 64
    drawn = begin + (_draws(pairs, 2, 6) * (end - begin)).astype(np.int64)
    cited = ({"citingcorpusid": one, "citedcorpusid": other} for one, other in drawn.tolist())
    return _lines(pairs, cited)
