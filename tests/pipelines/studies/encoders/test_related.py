"""SPECTER's own files: what is read of them, and what is wrong with others."""

import json
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.models.encoder import SeenQueries, digests_of
from recsys.pipelines.studies.encoders.related import read_related
from recsys.pipelines.studies.encoders.triplets import Draw, Reading
from tests.rows import each_row

METADATA = {
    "q": {"title": "A  query ", "abstract": "About it.", "paper_id": "q"},
    "c": {"title": " Cited ", "abstract": None},
    "s": {"title": "Cited by cited"},
    "o": {"title": "Other", "year": 2000},
    "untitled": {"title": "", "abstract": "Words."},
    "v": {"title": "Another query", "abstract": ""},
}
COUNTS = {
    "q": {"c": {"count": 5}, "s": {"count": 1}, "untitled": {"count": 5}, "away": {"count": 5}},
    "v": {"c": {"count": 9}, "o": {"count": 6.5}, "s": {"count": 2}, "v": {"count": 99}},
    "untitled": {"c": {"count": 5}},
}


def write_folder(folder: Path, **texts: str) -> Path:
    """Write a folder; texts: file name without ending -> other content."""
    folder.mkdir(exist_ok=True)
    usual = {"metadata.json": json.dumps(METADATA), "data.json": json.dumps(COUNTS)}
    usual |= {"train.txt": "q\nuntitled\n\nq\nnobody\n", "val.txt": "v\n"}
    for name, text in usual.items():
        (folder / name).write_text(texts.get(name.partition(".")[0], text), encoding="utf-8")
    return folder


def test_papers_and_counts_are_read(tmp_path: Path) -> None:
    source = read_related(write_folder(tmp_path / "data"), Reading())
    # Ids in order: c o q s v; the untitled one takes no part.
    assert source.name == "data" and len(source.hashes) == 5
    assert source.texts == [
        ("Cited", ""),
        ("Other", ""),
        ("A  query", "About it."),
        ("Cited by cited", ""),
        ("Another query", ""),
    ]
    query, dev = (set(digests_of([paper])) for paper in (("q", "A query"), ("v", "Another query")))
    assert source.seen == SeenQueries(frozenset(query), frozenset(dev))
    sampler = source.sampler
    assert sampler.base.queries.tolist() == [2]
    assert (sampler.related[0].tolist(), sampler.counts.tolist()) == ([0, 3], [5, 1])
    drawn = sampler.epoch(np.random.default_rng(0), Draw())
    assert set(drawn.positive.tolist()) == {0} and set(drawn.negative.tolist()) == {1, 3, 4}
    # Of v's counts 9, 6.5, 2, the first two are above 2 + 7 / 2.
    assert source.judge.queries.tolist() == [4]
    assert sorted(source.judge.gold[0].tolist()) == [0, 1]
    assert source.judge.recalls(np.eye(5, dtype=np.float32)).tolist() == [1.0]
    bare = read_related(tmp_path / "data", Reading(fields=()))
    assert {abstract for _, abstract in bare.texts} == {None}


@each_row(
    ("name", "text", "said"),
    [
        ("metadata", "[]", "holds no JSON object"),
        ("metadata", '{"q": "A query"}', "not of the shape of metadata"),
        ("metadata", "{", "is not JSON"),
        ("data", '{"q": {"c": 5}}', "not of the shape of counts"),
        ("data", '{"q": {"c": {"count": NaN}}}', "not of the shape of counts"),
        ("data", '{"q": 3}', "not of the shape of counts"),
        ("train", "", "names 0 queries"),
        ("val", "nobody", "names 1 queries, none with a title and a related paper"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    folder = write_folder(tmp_path / "data", **{name: text})
    with pytest.raises(InputError, match=said):
        read_related(folder, Reading())


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "data")
    (folder / "val.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-16"):
        read_related(folder, Reading())
    (folder / "val.txt").rename(folder / "vals.txt")
    with pytest.raises(InputError, match=r"Did you mean 'vals\.txt'"):
        read_related(folder, Reading())
