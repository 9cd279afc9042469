"""Put the keyphrases of papers before their abstracts, row by row."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from pipelines.corpora.row_stream import RowStream
from recsys.keyphrases import OWN, keyphrases_in, with_keyphrases


def led_by_keyphrases(papers: RowStream, source: str) -> RowStream:
    """Let the abstracts of papers begin with their keyphrases, as they are read.

    Args:
        papers: rows of SCHEMA.
        source: see `recsys.keyphrases.keyphrases_in`.
    """
    return papers.derived("abstract", [_column(source)], lambda batch: led_abstracts(batch, source))


def led_abstracts(batch: pa.RecordBatch, source: str) -> pa.StringArray:
    """Return the abstracts of some papers, each after its keyphrases."""
    abstracts = batch.column("abstract").to_pylist()
    pairs = zip(abstracts, _phrases(batch, source), strict=True)
    led = [with_keyphrases(abstract, phrases) for abstract, phrases in pairs]
    return pa.array(led, batch.schema.field("abstract").type)


def count_with_keyphrases(batch: pa.RecordBatch, source: str) -> int:
    """Count the papers that have some."""
    return sum(map(bool, _phrases(batch, source)))


def all_with_keyphrases(papers: RowStream, source: str) -> int:
    """Count the papers of a stream that have some; reads a column."""
    batches = papers.select([_column(source)]).to_batches()
    return sum(count_with_keyphrases(batch, source) for batch in batches)


def _column(source: str) -> str:
    return OWN if source == OWN else "labels"


def _phrases(batch: pa.RecordBatch, source: str) -> Iterator[tuple[str, ...]]:
    for cell in batch.column(_column(source)).to_pylist():
        own = cell if source == OWN else None
        yield keyphrases_in(source, own, {} if source == OWN else _labels(cell))


def _labels(text: str | None) -> Mapping[str, Any]:
    labels: dict[str, Any] = json.loads(text) if text else {}
    return labels
