"""Papers that citing sentences mean are found by any of their names, else by title and author."""

from pathlib import Path

import pyarrow as pa
import pytest

from recsys.passages import Context
from recsys.pipelines.corpora.paper_names import NOBODY
from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index.columns import write_columns
from recsys.pipelines.local.store_contexts import ContextWorks
from recsys.records import Reference
from recsys.store.corpus import Corpus
from tests.rows import each_row

PAPERS = (
    {"id": "a", "title": "Owls of the moor", "authors": ["Ann Fox"], "year": 2001},
    {
        "id": "b",
        "title": "Voles of the marsh",
        "doi": "10.1000/B",
        "aliases": ["corpusid:5", "two"],
    },
    {"id": "c", "title": "Mice of the hills", "aliases": ["two", "cite:fox a|2003|12|7"]},
    {"id": "10.1000/D", "title": "Shrews of the field", "year": 2004},
)


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> ContextWorks:
    folder: Path = tmp_path_factory.mktemp("corpus")
    rows = [{name: paper.get(name) for name in SCHEMA.names} for paper in PAPERS]
    write_columns(folder, pa.Table.from_pylist(rows, SCHEMA))
    return ContextWorks.of(Corpus.load(folder))


ROWS = {"10.1000/D": 0, "a": 1, "b": 2, "c": 3, None: NOBODY}


@each_row(
    ("name", "work", "paper"),
    [
        ("a", None, "a"),
        ("10.1000/b", None, "b"),
        ("10.1000/B", None, "b"),
        ("10.1000/d", None, "10.1000/D"),
        ("corpusid:5", None, "b"),
        ("two", None, None),  # It is the name of two papers.
        ("x", None, None),
        ("x", Reference(id="x", pmid="9", doi="10.1000/b"), "b"),
        ("", Reference(title="Owls of the Moor.", authors=("A. Fox",)), "a"),
        ("", Reference(title="Owls of the moor", year=2002), "a"),
        ("", Reference(title="Owls of the moor", authors=("B. Ant",)), None),
        ("", Reference(authors=("A. Fox",), year=2003, volume="12", page="7-9"), "c"),
        ("", Reference(title="Something else", year=2001), None),
    ],
)
def test_a_paper_is_found(
    name: str, work: Reference | None, paper: str | None, works: ContextWorks
) -> None:
    cited, citing = works.rows([Context("a", name, "said", "", None, work)])
    assert (cited.tolist(), citing.tolist()) == ([ROWS[paper]], [1])


def test_nothing_is_found_of_nothing(works: ContextWorks) -> None:
    assert [rows.tolist() for rows in works.rows([])] == [[], []]
