import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from recsys.errors import CorpusError
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.corpora.source_intake import REJECTS
from recsys.pipelines.index.citation_links import LinkCounts
from recsys.pipelines.index.ingest import ingest


def write(folder: Path, *records: Mapping[str, object] | bytes) -> Path:
    path = folder / "papers.jsonl"
    path.write_bytes(
        b"".join(
            (item if isinstance(item, bytes) else json.dumps(item).encode()) + b"\n"
            for item in records
        )
    )
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    return folder


MESSY: tuple[Mapping[str, object] | bytes, ...] = (
    {"id": "b", "title": "B", "abstract": "the b", "year": 2001, "references": ["a", "a", "z"]},
    {"id": "a", "title": "A", "abstract": "the a", "year": 2000, "references": ["a", "b"]},
    b"junk",
    {"id": "b", "title": "again"},
    {"id": "c", "title": "C", "references": ["b", "b", "b", "c", "x", "y"]},
    {"id": "d", "title": "D", "abstract": "the " * 9000, "year": 99999},
    {"id": "e", "title": "", "abstract": "x"},
    {"title": "no id"},
    {"id": "f", "title": "Über die Theorie der Zahlen", "abstract": "und", "year": "1900"},
    b'{"id": "g", "title": "\xff", "abstract": "the g", "year": 1999}',
    b"",
)


def test_everything_odd_is_counted_and_told(tmp_path: Path, out: Path) -> None:
    report = ingest(source_files([write(tmp_path, *MESSY)]), out)
    # b -> a, a -> b, c -> b; b repeats a once, c repeats b twice.
    assert report.found == LinkCounts(links=3, outside=3, to_self=2, repeated=3)
    assert report.lines() == [
        "6 papers read as recsys; 1 without abstract, 2 without year, 1 with an impossible year, "
        "1 not in English, 1 with a truncated abstract, 1 with broken UTF-8",
        "other languages (guessed): German: 1",
        "3 citations among them; references left out: 3 outside the corpus, 2 to the paper itself, "
        "3 repeated",
        "4 lines rejected (duplicate id: 1, empty title: 1, missing id: 1, not JSON: 1)",
    ]
    rejects = [json.loads(line) for line in (out / REJECTS).read_text("utf-8").splitlines()]
    assert [(item["line"], item["reason"]) for item in rejects] == [
        (3, "not JSON"),
        (4, "duplicate id"),
        (7, "empty title"),
        (8, "missing id"),
    ]
    assert [item["excerpt"] for item in rejects[:2]] == ["junk", "b: again"]


def test_no_usable_paper_is_an_error_with_reasons(tmp_path: Path, out: Path) -> None:
    source = write(tmp_path, {"id": "a", "title": ""}, {"id": None, "title": "T"}, b"junk")
    with pytest.raises(CorpusError, match=r"no usable paper \(empty title: 1, .*not JSON: 1\)"):
        ingest(source_files([source]), out)


def test_a_truncated_gzip_file_is_refused(tmp_path: Path, out: Path) -> None:
    lines = b"".join(b'{"id": "p%d", "title": "T"}\n' % n for n in range(3000))
    source = tmp_path / "papers.jsonl.gz"
    source.write_bytes(gzip.compress(lines)[:-200])
    with pytest.raises(CorpusError, match=r"line \d+ is the last good one"):
        ingest(source_files([source]), out)
    assert list(out.iterdir()) == []
