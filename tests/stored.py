"""Corpora on disk, as a build leaves them: for tests of what reads whole columns."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index.columns import write_columns
from recsys.records import Paper
from recsys.store.corpus import Corpus
from recsys.store.stored_papers import PARTS, RECORDS


def store(papers: Sequence[Paper], folder: Path) -> Corpus:
    """Write the columns of papers with ascending ids to a new folder, and open them."""
    names = [name for name in SCHEMA.names if name != "labels"]
    records = [
        {name: getattr(paper, name) for name in names} | {"labels": json.dumps(dict(paper.labels))}
        for paper in papers
    ]
    return store_rows(folder, records)


def store_rows(folder: Path, rows: Sequence[Mapping[str, object]]) -> Corpus:
    """Write rows of SCHEMA to a new folder, and open them; what a row lacks is unknown."""
    folder.mkdir(parents=True)
    write_columns(folder, pa.Table.from_pylist([dict(row) for row in rows], SCHEMA).to_batches())
    return Corpus.load(folder)


def is_stored(name: str) -> bool:
    """Tell the files of what is stored of papers, which an update may leave in several parts."""
    return name in (PARTS, RECORDS) or name.startswith(("papers.", "shown."))
