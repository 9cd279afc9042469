"""Read SPECTER's own files: papers, how closely they are related, and which are asked.

A folder with `metadata.json` {id: {"title", "abstract", ...}}, `data.json` {query: {id: {"count":
n}}}, and `train.txt` and `val.txt` with one query id a line. Counts may be of anything: 5 for a
citation and 1 for a citation of a citation, or how often two papers were viewed together.
"""

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.formats.files import json_object, read_text
from recsys.formats.papers.paper_fields import cleaned
from recsys.models.encoder import SeenQueries, digests_of
from recsys.pipelines.studies.citeomatic.negatives import Sampling, TripletSampler, keys
from recsys.pipelines.studies.encoders.triplets import (
    ABSTRACT,
    MARGIN,
    Judge,
    Reading,
    RelatedSampler,
    Source,
)
from recsys.store.arrays import Ragged
from recsys.store.artifacts import fingerprint, sha256

METADATA, COUNTS, TRAIN, DEV = "metadata.json", "data.json", "train.txt", "val.txt"
_SHAPES = {
    METADATA: 'Write {id: {"title": text, "abstract": text}}.',
    COUNTS: 'Write {query: {id: {"count": number}}}.',
}

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
    metadata = json_object(folder / METADATA, _SHAPES[METADATA])
    if not all(isinstance(facts, dict) for facts in metadata.values()):
        raise InputError(f"{folder / METADATA} is not of the shape of metadata.", _SHAPES[METADATA])
    papers = {name: facts for name, facts in sorted(metadata.items()) if _text(facts, "title")}
    row_of = {name: row for row, name in enumerate(papers)}
    try:
        related: Related = {
            query: {other: float(fact["count"]) for other, fact in others.items()}
            for query, others in json_object(folder / COUNTS, _SHAPES[COUNTS]).items()
        }
        if not all(isfinite(count) for others in related.values() for count in others.values()):
            raise ValueError
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InputError(
            f"{folder / COUNTS} is not of the shape of counts.", _SHAPES[COUNTS]
        ) from error
    sampler, dev = (_sampler(folder / file, row_of, related) for file in (TRAIN, DEV))
    places, rows = dev.related.take(np.arange(len(dev.related), dtype=np.int32))
    starts, ends = dev.related.starts[places], dev.related.starts[places + 1] - 1
    most, least = dev.counts[starts], dev.counts[ends]
    close = (most == least) | (dev.counts > least + MARGIN * (most - least))
    gold = Ragged.from_pairs(places[close], rows[close], len(dev.base.queries))
    judge = Judge.build(dev.base.queries, gold, dev.base.choices, dev.turn, reading.sample)
    # Titles are digested as an index of these papers has them.
    told = [(name, cleaned(_text(facts, "title"))) for name, facts in papers.items()]
    asked = ([told[row] for row in each.tolist()] for each in (sampler.base.queries, judge.queries))
    seen = SeenQueries(*(frozenset(digests_of(queries)) for queries in asked))
    abstract = ABSTRACT in reading.fields
    texts = [
        (_text(facts, "title"), _text(facts, "abstract") if abstract else None)
        for facts in papers.values()
    ]
    files = (sha256(folder / name) for name in (METADATA, COUNTS, TRAIN, DEV))
    hashes = (*files, fingerprint(asdict(reading)))
    return Source(folder.name, texts, sampler, judge, hashes, seen)


def _sampler(path: Path, row_of: Mapping[str, int], related: Related) -> RelatedSampler:
    """Relate the queries that a file names, if they have a text and a related paper with one."""
    named = dict.fromkeys(line.strip() for line in read_text(path).splitlines() if line.strip())
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
    rows = np.array(sorted(row_of[query] for query in usable), np.int32)
    names = list(row_of)
    owner, others, counts = [], [], []
    for place, row in enumerate(rows.tolist()):
        for other, count in related[names[row]].items():
            if other in row_of and other != names[row]:
                owner.append(place)
                others.append(row_of[other])
                counts.append(count)
    nothing = Ragged(np.zeros(len(rows) + 1, np.int64), np.empty(0, np.int32))
    every = np.arange(len(row_of), dtype=np.int32)
    base = TripletSampler(
        queries=rows,
        options=Sampling(),
        positives=nothing,
        cited_by_cited=nothing,
        taken=keys(np.arange(len(rows), dtype=np.int32), rows),
        by_year=every,
        choices=np.full(len(rows), len(every)),
    )
    pairs = np.array(owner, np.int32), np.array(others, np.int32)
    return RelatedSampler.build(base, *pairs, np.array(counts, np.float64), every.astype(np.int64))


def _text(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    return value.strip() if isinstance(value, str) else ""
