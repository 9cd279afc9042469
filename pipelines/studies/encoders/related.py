"""Read SPECTER's own files: papers, how closely they are related, and which are asked.

A folder with `metadata.json` {id: {"title", "abstract", ...}}, `data.json` {query: {id: {"count":
n}}}, and `train.txt` and `val.txt` with one query id a line. Counts may be of anything: 5 for a
citation and 1 for a citation of a citation, or how often two papers were viewed together.
"""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import InputError, near_miss
from recsys.formats.papers.paper_fields import cleaned
from recsys.models.encoder import SeenQueries, digests_of
from recsys.pipelines.studies.citeomatic.negatives import Sampling, TripletSampler
from recsys.pipelines.studies.encoders.triplets import (
    ABSTRACT,
    MARGIN,
    Judge,
    Reading,
    RelatedSampler,
    Sample,
    Source,
    hashes_of,
    keys,
)
from recsys.store.arrays import Ragged, Rows

METADATA, COUNTS, TRAIN, DEV = "metadata.json", "data.json", "train.txt", "val.txt"
_EMPTY = np.empty(0, np.int32)

Papers: TypeAlias = dict[str, dict[str, Any]]
Related: TypeAlias = Mapping[str, Mapping[str, float]]


def is_related_folder(folder: Path) -> bool:
    """Tell whether a folder looks like SPECTER's files."""
    return (folder / COUNTS).is_file() or (folder / METADATA).is_file()


def read_related(folder: Path, reading: Reading) -> Source:
    """Read a folder. Papers without a title take no part, and nothing is known of their years.

    Dev queries are judged by whether their closest papers are found: those that could be positives.

    Raises:
        InputError: a file is missing, unreadable or of another shape, or names no usable query.
    """
    papers = {
        each: facts for each, facts in _papers(folder / METADATA).items() if _text(facts, "title")
    }
    related = _counts(folder / COUNTS)
    row_of = {each: row for row, each in enumerate(sorted(papers))}
    sampler = _sampler(row_of, related, _queries(folder / TRAIN, row_of, related))
    dev = _sampler(row_of, related, _queries(folder / DEV, row_of, related))
    judge = _judge(dev, reading.sample)
    seen = _seen(papers, list(row_of), sampler.base.queries, judge.queries)
    abstract = ABSTRACT in reading.fields
    texts = [
        (_text(papers[each], "title"), _text(papers[each], "abstract") if abstract else None)
        for each in row_of
    ]
    files = [folder / name for name in (METADATA, COUNTS, TRAIN, DEV)]
    return Source(folder.name, texts, sampler, judge, hashes_of(files, reading), seen)


def _seen(papers: Papers, names: Sequence[str], train: Rows, dev: Rows) -> SeenQueries:
    """Digest queries, with titles as an index of these papers has them."""

    def titled(row: int) -> tuple[str, str]:
        return names[row], cleaned(_text(papers[names[row]], "title"))

    parts = (digests_of(map(titled, rows.tolist())) for rows in (train, dev))
    return SeenQueries(*map(frozenset, parts))


def _sampler(row_of: Mapping[str, int], related: Related, queries: Sequence[str]) -> RelatedSampler:
    rows = np.array(sorted(row_of[query] for query in queries), np.int32)
    names = list(row_of)
    owner, others, counts = [], [], []
    for place, row in enumerate(rows.tolist()):
        for other, count in related[names[row]].items():
            if other in row_of and other != names[row]:
                owner.append(place)
                others.append(row_of[other])
                counts.append(count)
    nothing = Ragged(np.zeros(len(rows) + 1, np.int64), _EMPTY)
    places = np.arange(len(rows), dtype=np.int32)
    every = np.arange(len(row_of), dtype=np.int32)
    base = TripletSampler(
        queries=rows,
        options=Sampling(),
        positives=nothing,
        cited_by_cited=nothing,
        taken=keys(places, rows),
        by_year=every,
        choices=np.full(len(rows), len(every)),
    )
    pairs = np.array(owner, np.int32), np.array(others, np.int32)
    return RelatedSampler.build(base, *pairs, np.array(counts, np.float64), every.astype(np.int64))


def _judge(dev: RelatedSampler, sample: Sample) -> Judge:
    gold = Ragged.from_pairs(*_closest(dev), len(dev.base.queries))
    return Judge.build(dev.base.queries, gold, dev.base.choices, dev.turn, sample)


def _closest(dev: RelatedSampler) -> tuple[Rows, Rows]:
    """List (place, row) of the papers that could be positives of easy triplets."""
    places, rows = dev.related.take(np.arange(len(dev.related), dtype=np.int32))
    starts, ends = dev.related.starts[places], dev.related.starts[places + 1] - 1
    most, least = dev.counts[starts], dev.counts[ends]
    close = (most == least) | (dev.counts > least + MARGIN * (most - least))
    return places[close], rows[close]


def _queries(path: Path, row_of: Mapping[str, int], related: Related) -> list[str]:
    """Read the queries that have a text and a related paper with one."""
    named = dict.fromkeys(line.strip() for line in _read(path).splitlines() if line.strip())
    usable = [
        query
        for query in named
        if query in row_of and any(o in row_of and o != query for o in related.get(query, ()))
    ]
    if not usable:
        raise InputError(
            f"{path} names {len(named)} queries, none with a title and a related paper.",
            f"Name ids that are in {METADATA} and have counts in {COUNTS}.",
        )
    return usable


def _papers(path: Path) -> Papers:
    papers: Papers = _object(path)
    if not all(isinstance(facts, dict) for facts in papers.values()):
        raise InputError(f"{path} is not of the shape of metadata.", _SHAPES[METADATA])
    return papers


def _counts(path: Path) -> Related:
    try:
        counts = {
            query: {other: float(fact["count"]) for other, fact in related.items()}
            for query, related in _object(path).items()
        }
        if not all(isfinite(count) for related in counts.values() for count in related.values()):
            raise ValueError
        return counts
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InputError(f"{path} is not of the shape of counts.", _SHAPES[COUNTS]) from error


_SHAPES = {
    METADATA: 'Write {id: {"title": text, "abstract": text}}.',
    COUNTS: 'Write {query: {id: {"count": number}}}.',
}


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}).", _SHAPES[path.name]) from error
    if not isinstance(value, dict):
        raise InputError(f"{path} holds no JSON object.", _SHAPES[path.name])
    return value


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        siblings = [each.name for each in path.parent.glob("*")]
        raise InputError(
            f"There is no {path}.{near_miss(path.name, siblings)}",
            f"A folder in SPECTER's format holds {METADATA}, {COUNTS}, {TRAIN} and {DEV}.",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read ({error}).", "Give a text file.") from error


def _text(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    return value.strip() if isinstance(value, str) else ""
