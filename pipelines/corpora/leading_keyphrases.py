"""Put the keyphrases of papers before their abstracts, row by row."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from recsys.keyphrases import LABELS, MADE_OF_CITED, OWN, keyphrases_in, with_keyphrases
from recsys.pipelines.corpora.row_stream import RowStream

_NAMED = re.compile(r"(?i)key[ _-]?(?:word|phrase)")
"""In the name of a label: its values are keyphrases."""


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


def count_with_keyphrases(batch: pa.RecordBatch, source: str) -> Counter[str]:
    """Count the papers that have some, by where; if that is not told, wherever they have them."""
    if source:
        return Counter({source: sum(map(bool, _phrases(batch, source)))})
    counts = Counter({OWN: sum(map(bool, batch.column(OWN).to_pylist()))})
    for text in batch.column("labels").to_pylist():
        if text and _NAMED.search(text):  # Most need not be parsed.
            names = (LABELS + name for name, value in _labels(text).items() if value)
            counts.update(name for name in names if _NAMED.search(name) and name != MADE_OF_CITED)
    return counts


def all_with_keyphrases(papers: RowStream, source: str) -> Counter[str]:
    """Count those of a stream, which is read for it: a column, or two."""
    columns = [_column(source)] if source else [OWN, "labels"]
    batches = papers.select(columns).to_batches()
    return sum((count_with_keyphrases(batch, source) for batch in batches), Counter())


def _column(source: str) -> str:
    return OWN if source == OWN else "labels"


def _phrases(batch: pa.RecordBatch, source: str) -> Iterator[tuple[str, ...]]:
    for cell in batch.column(_column(source)).to_pylist():
        own = cell if source == OWN else None
        yield keyphrases_in(source, own, {} if source == OWN else _labels(cell))


def _labels(text: str | None) -> Mapping[str, Any]:
    labels: dict[str, Any] = json.loads(text) if text else {}
    return labels
