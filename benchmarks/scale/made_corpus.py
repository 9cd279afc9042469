"""Make a corpus of any size out of real papers, in the order of their years, a piece at a time.

What is written is a file of papers, their vectors as `recsys build --embeddings` reads them, and
drafts to ask. The same seed gives the same bytes. Memory holds the real papers, the links, and a
few hundred made papers.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from benchmarks.scale.corpus_plan import Plan, plan_corpus
from benchmarks.scale.invented_names import growing_choice, invented_author
from benchmarks.scale.made_links import LinkMaker
from benchmarks.scale.made_texts import make_texts
from benchmarks.scale.made_vectors import mix_vectors
from benchmarks.scale.real_sources import RealPapers
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Rows
from recsys.store.npy_rows import write_rows

PAPERS, VECTORS, IDS, DRAFTS = "papers.jsonl.gz", "vectors.npy", "vectors.ids.txt", "drafts.jsonl"
AT_ONCE = 500
OUTSIDE = 0.25
"""Of the references, those to works that the corpus does not hold."""
OTHER_AUTHORS = 2.6
"""Authors beside the first, on average."""
KNOWN_AUTHORS = 6
"""Authors of a field for each of its papers, most of whom never write: then 1.8 a paper do, each
twice on average, as in visualization, and one in a hundred often."""
OWN_VENUE = 0.6
"""How often a paper has the venue of the real one; else one that is frequent in all corpora."""
MOST_DRAFTS, DRAFT_LINKS = 256, 5
"""Drafts are the newest papers that have an abstract and cite so many of the corpus."""
_OF_TEXTS, _OF_LINKS, _OF_NAMES, _OF_VECTORS = range(1, 5)
# Below this prime, no two products with the factor are alike, and none tells which came first.
_PRIME, _FACTOR = 1_000_000_007, 387_420_489

Made = dict[str, Any]


def make_corpus(
    real: RealPapers, papers: int, folder: Path, *, seed: int = 0, progress: Progress = silent
) -> None:
    """Write so many papers, their vectors and drafts into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = plan_corpus(real, papers, seed)
    drafts: list[Made] = []
    with (folder / PAPERS).open("wb") as raw, gzip.GzipFile("", "wb", 4, raw, mtime=0) as file:
        done = 0
        for piece in made_papers(plan):
            _write_lines(file, piece)
            drafts = [*drafts, *filter(_is_draft, piece)][-MOST_DRAFTS:]
            done += len(piece)
            progress("make papers", done, papers)
    with (folder / DRAFTS).open("wb") as plain:
        _write_lines(plain, map(_draft, drafts))
    with (folder / IDS).open("w", encoding="utf-8", newline="\n") as ids:
        ids.writelines(f"{paper_id(row)}\n" for row in range(papers))
    write_rows(folder / VECTORS, (papers, real.vectors.shape[1]), made_vectors(plan))


def made_papers(plan: Plan) -> Iterator[list[Made]]:
    """Make the papers in order, a list at a time, as a line of the file tells them."""
    links = LinkMaker(plan.real, plan.pairs[:, 0], plan.years)
    for begin in range(0, len(plan), AT_ONCE):
        pairs = plan.pairs[begin : begin + AT_ONCE]
        cited = links.make(begin, pairs, plan.rng(_OF_LINKS, begin))
        texts = make_texts(plan.real, pairs, begin, plan.rng(_OF_TEXTS, begin))
        rng = plan.rng(_OF_NAMES, begin)
        authors, venues = _authors(plan, begin, pairs, rng), _venues(plan.real, pairs, rng)
        references = _references(cited, len(plan), rng)
        yield [
            {
                "id": paper_id(row),
                "title": text.title,
                "abstract": text.abstract,
                "year": year,
                "authors": names,
                "venue": venue,
                "doi": f"10.{5000 + row % 997}/{paper_id(row).lower()}",
                "references": listed,
            }
            for row, text, year, names, venue, listed in zip(
                range(begin, begin + len(pairs)),
                texts,
                plan.years[begin : begin + AT_ONCE].tolist(),
                authors,
                venues,
                references,
                strict=True,
            )
        ]


def made_vectors(plan: Plan) -> Iterator[Floats]:
    """Make the vectors of the papers, in order."""
    for begin in range(0, len(plan), AT_ONCE):
        pairs = plan.pairs[begin : begin + AT_ONCE]
        yield mix_vectors(plan.real, pairs, plan.rng(_OF_VECTORS, begin))


def paper_id(row: int) -> str:
    """Name a paper; rows behind the last are works that the corpus does not hold."""
    return f"W{(row + 1) * _FACTOR % _PRIME}"


def _authors(plan: Plan, begin: int, pairs: Rows, rng: np.random.Generator) -> list[list[str]]:
    counts = 1 + rng.poisson(OTHER_AUTHORS, len(pairs))
    fields = np.repeat(plan.field_of[pairs[:, 0]], counts).astype(np.int64)
    papers = np.repeat(np.arange(begin, begin + len(pairs)) + 1, counts)
    known = 3 + KNOWN_AUTHORS * papers * plan.shares[fields]
    numbers = growing_choice(known, rng) * len(plan.shares) + fields
    names = [invented_author(number) for number in numbers.tolist()]
    ends = np.cumsum(counts).tolist()
    return [
        list(dict.fromkeys(names[end - count : end]))
        for end, count in zip(ends, counts.tolist(), strict=True)
    ]


def _venues(real: RealPapers, pairs: Rows, rng: np.random.Generator) -> list[str]:
    # The logarithm of a place is uniform: Zipf's law.
    places = len(real.common_venues) ** rng.random(len(pairs)) - 1
    own = rng.random(len(pairs)) < OWN_VENUE
    return [
        real.venues[first] if kept and real.venues[first] else real.common_venues[place]
        for first, kept, place in zip(
            pairs[:, 0].tolist(), own.tolist(), places.astype(np.int64).tolist(), strict=True
        )
    ]


def _references(cited: list[Rows], papers: int, rng: np.random.Generator) -> list[list[str]]:
    """Write rows as ids, and add works outside, few of which are cited often."""
    share = OUTSIDE / (1 - OUTSIDE)
    counts = rng.poisson([share * len(rows) for rows in cited])
    outside = papers + growing_choice(np.full(counts.sum(), 2 * papers), rng)
    parts = np.split(outside, np.cumsum(counts)[:-1])
    return [
        [paper_id(row) for row in dict.fromkeys([*rows.tolist(), *others.tolist()])]
        for rows, others in zip(cited, parts, strict=True)
    ]


def _is_draft(paper: Made) -> bool:
    return paper["abstract"] is not None and len(paper["references"]) >= DRAFT_LINKS


def _draft(paper: Made) -> Made:
    kept = ("id", "title", "abstract", "year", "authors", "venue")
    return {name: paper[name] for name in kept}


def _write_lines(file: IO[bytes] | gzip.GzipFile, values: Iterable[Made]) -> None:
    lines = (json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    file.write("".join(lines).encode())
