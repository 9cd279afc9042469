"""Small corpora out of a large one: some articles, and what they cite.

Many libraries were collected for a few articles. Only these have reference lists there; what they
cite cites nothing, is mostly cited once, and often its title is all that is known of it. So to be
cited says less than elsewhere, and not to be cited says nothing. One round of backward snowballing
(Wohlin 2014) makes such a library of any corpus.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from recsys.pipelines.evaluation.splits import read_parts
from recsys.pipelines.jobs.programs import PAPERS, SPLIT, Bench
from recsys.store.artifacts import replacing, write_json

ARTICLES = 200
"""Of a snowball, at most; with what they cite, some two thousand papers."""
SNOWBALLS = 2
"""Of a corpus. In every second one, titles are all that is known of what is cited."""
LEARNED = ("train", "dev")
"""The parts of a split whose queries become articles."""


def roll_snowballs(bench: Bench, corpus: str) -> list[tuple[Path, Path]]:
    """Make the snowballs of a corpus below the bench's work: index and split of each."""
    place = bench.work / "snowballs"
    inner = Bench(place, place)
    rolled = []
    for number in range(SNOWBALLS):
        name = f"{corpus}-{number}"
        roll(bench, corpus, place / name, seed=number, abstracts=number % 2 == 1)
        rolled.append((inner.built(name), inner.split(name)))
    return rolled


def roll(bench: Bench, corpus: str, out: Path, *, seed: int, abstracts: bool) -> None:
    """Write a snowball as the folder of a corpus; the same seed writes the same bytes.

    Args:
        bench: has the corpus.
        corpus: its name.
        out: the folder.
        seed: of the articles.
        abstracts: whether those of cited papers are kept.
    """
    split = read_parts(bench.split(corpus))
    queries = [paper for part in LEARNED for paper in split[part]]
    drawn = np.random.default_rng(seed).permutation(len(queries))[:ARTICLES]
    articles = {queries[each] for each in drawn.tolist()}
    papers = list(_read(bench.papers(corpus)))
    cited = {each for paper in papers if paper["id"] in articles for each in paper["references"]}
    with replacing(out) as folder:
        with (folder / PAPERS).open("wb") as raw, gzip.GzipFile("", "wb", 4, raw, mtime=0) as file:
            for paper in papers:
                if paper["id"] in articles:
                    file.write(_line(paper))
                elif paper["id"] in cited:
                    text = paper.get("abstract") if abstracts else None
                    file.write(_line({**paper, "abstract": text, "references": []}))
        kept = {part: [each for each in split[part] if each in articles] for part in LEARNED}
        write_json(folder / SPLIT, kept)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _line(paper: dict[str, Any]) -> bytes:
    return json.dumps(paper, ensure_ascii=False).encode() + b"\n"
