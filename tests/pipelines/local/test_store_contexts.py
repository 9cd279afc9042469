"""Citing sentences come into an index, stay through updates, and are told where they cannot."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from recsys.app.cache import cache_folder
from recsys.errors import (
    ArtifactCorrupt,
    ArtifactMismatch,
    InputError,
)
from recsys.indexes.opening import open_collection, with_contexts
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.corpora.paper_names import NOBODY
from recsys.pipelines.corpora.works import SCHEMA as WORKS_SCHEMA
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.index.columns import write_columns
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.pipelines.local import store_contexts
from recsys.pipelines.local.store_contexts import ContextWorks, add_contexts, encode_texts
from recsys.records import Context, Reference
from recsys.store.arrays import Floats
from recsys.store.artifacts import CONTEXTS, CORPUS, ENCODER, load_manifest, seal, verify
from recsys.store.contexts import KIND, SCHEMA, WORDS, Contexts
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force, pin
from tests.hashing_encoder import HashingEncoder
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built


SAID = "Rivers carry more sand than before [CITE]."


def write(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def context(citing: str, cited: str, text: str = SAID) -> dict[str, object]:
    return {"citing": citing, "cited": cited, "text": text, "section": "Related work"}


def opened(index: Path) -> tuple[Corpus, Contexts]:
    folder = in_force(index)
    corpus = Corpus.load(folder / CORPUS)
    return corpus, Contexts.load(folder / CONTEXTS, len(corpus))


def told(index: Path) -> list[tuple[str, str, str]]:
    """List (citing, cited, text) as an index holds them."""
    corpus, found = opened(index)
    ids = corpus.ids
    texts = found.texts(range(len(found)))
    rows = zip(found.citing.tolist(), found.cited.tolist(), texts, strict=True)
    return [(ids[citing], ids[cited], text) for citing, cited, text in rows]


@pytest.fixture(scope="module")
def index(built: "Built", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with three contexts; tests copy it."""
    folder = tmp_path_factory.mktemp("contexts")
    index = built.without_models(folder)
    file = write(
        folder / "contexts.jsonl",
        context("rivers-05", "rivers-03"),
        context("rivers-07", "rivers-03", "Sand is found in rivers <cite>1</cite> and seas."),
        context("rivers-05", "glaciers-02"),
        context("rivers-05", "rivers-03"),
        context("rivers-05", "nobody"),
        context("rivers-02", "rivers-05"),
        context("rivers-02", "rivers-02"),
        context("rivers-05", "rivers-04", "[CITE]"),
    )
    report = add_contexts(index, [file])
    assert "3 contexts are in the index now." in report.told
    assert report.lines()[:4] == [
        "7 contexts read; 3 of them are new",
        "left out, because the index does not hold them: cited paper: 1",
        "left out: given twice: 1, of a paper older than what it cites: 1, of a paper on itself: 1",
        "not read: no sentence around the mark: 1",
    ]
    return index


@pytest.fixture
def own(index: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(index, tmp_path / "own.index"))


PLAIN = "Rivers carry more sand than before."


def test_contexts_are_stored_with_their_vectors(index: Path) -> None:
    assert told(index) == [
        ("rivers-05", "glaciers-02", PLAIN),
        ("rivers-05", "rivers-03", PLAIN),
        ("rivers-07", "rivers-03", "Sand is found in rivers and seas."),
    ]
    corpus, found = opened(index)
    assert found.sections([0]) == ["Related work"]
    row = corpus.row("rivers-03")
    assert row is not None and found.of(row, 2007).tolist() == [1]
    encoder = OnnxEncoder.load(in_force(index) / ENCODER, threads=1)
    expected = encoder.encode([(text, None) for *_, text in told(index)])
    np.testing.assert_allclose(found.vectors(slice(None)), expected, atol=0.01)
    verify(in_force(index), pin(index).manifest())


def test_more_contexts_are_added_to_those_that_are_there(own: Path, tmp_path: Path) -> None:
    before = opened(own)[1].vectors(slice(None))
    more = write(
        tmp_path / "more.jsonl",
        context("deserts-05", "deserts-03"),
        context("rivers-05", "rivers-03"),
    )
    report = add_contexts(own, [more])
    assert report.told[0] == "2 contexts read; 1 of them are new"
    assert report.told[-1] == "4 contexts are in the index now."
    assert told(own)[0][:2] == ("deserts-05", "deserts-03")
    np.testing.assert_array_equal(opened(own)[1].vectors(slice(1, 4)), before)


def test_papers_are_found_by_title_where_no_name_is_told(own: Path, tmp_path: Path) -> None:
    cited = {"paperId": "0" * 40, "title": "On Deserts in Survey 3.", "year": 2003}
    cited |= {"authors": [{"name": "Ada Deserts"}]}
    citing = {"title": "On volcanoes in survey 7", "year": 2007}
    data = [{"contexts": [SAID], "citedPaper": cited}]
    answer = {"offset": 0, "citingPaperInfo": citing, "data": data}
    (tmp_path / "answer.json").write_text(json.dumps(answer, indent=1))
    add_contexts(own, [tmp_path / "answer.json"])
    assert ("volcanoes-07", "deserts-03", PLAIN) in told(own)


@pytest.mark.parametrize(
    ("records", "what"),
    [
        ([context("x", "y"), context("rivers-05", "z")], "None of the 2 contexts.*'y', 'x', 'z'"),
        ([context("rivers-03", "rivers-05")], "older than what it cites: 1"),
        ([context("rivers-05", "rivers-03", "[CITE]")], "hold no contexts: no sentence"),
    ],
)
def test_files_of_which_nothing_is_left_are_refused(
    records: Sequence[dict[str, object]], what: str, built: "Built", tmp_path: Path
) -> None:
    index = built.without_models(tmp_path)
    before = in_force(index)
    with pytest.raises(InputError, match=what) as caught:
        add_contexts(index, [write(tmp_path / "file.jsonl", *records)])
    assert caught.value.hint and in_force(index) == before
    assert not (index / "unfinished").exists()


def test_an_update_carries_contexts_to_new_rows(own: Path, tmp_path: Path) -> None:
    before = {pair: opened(own)[1].vectors(at) for at, pair in enumerate_pairs(own)}
    new = write(tmp_path / "new.jsonl", {"id": "aaa", "title": "Sand", "year": 2020})
    (tmp_path / "gone").write_text("glaciers-02\n")
    report = update(own, [new], UpdateOptions(remove=tmp_path / "gone"))
    assert any(line.startswith("contexts: 2 kept, 1 gone") for line in report.lines())
    pairs = [each[:2] for each in told(own)]
    assert pairs == [("rivers-05", "rivers-03"), ("rivers-07", "rivers-03")]
    for at, pair in enumerate_pairs(own):
        np.testing.assert_array_equal(opened(own)[1].vectors(at), before[pair])
    verify(in_force(own), pin(own).manifest())


def enumerate_pairs(index: Path) -> list[tuple[slice, tuple[str, str]]]:
    return [(slice(at, at + 1), each[:2]) for at, each in enumerate(told(index))]


def test_a_build_over_an_index_says_that_contexts_went(
    own: Path, built: "Built", tmp_path: Path
) -> None:
    report = build([built.papers], own, BuildOptions(force=True), cache=cache_folder())
    assert any("contexts" in line and "add them again" in line for line in report.lines())


def test_a_killed_run_goes_on_without_reading_again(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    index = built.without_models(tmp_path)
    file = write(tmp_path / "file.jsonl", context("rivers-05", "rivers-03"))
    before = in_force(index)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(store_contexts, "encode_texts", killed)
        add_contexts(index, [file])
    assert in_force(index) == before
    monkeypatch.setattr(store_contexts, "read_contexts", killed)
    assert add_contexts(index, [file]).told[-1].startswith("1 contexts are")
    assert not (index / "unfinished").exists()


class Failing(HashingEncoder):
    """Is killed after some texts."""

    left = 3

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().encode(texts)


def test_a_killed_encoding_goes_on_where_it_stopped(tmp_path: Path) -> None:
    texts = pa.array([f"sentence {number} of rivers" for number in range(10)])
    expected = encode_texts(HashingEncoder(), texts, tmp_path / "whole", shard=2)
    with pytest.raises(KeyboardInterrupt):
        encode_texts(Failing(), texts, tmp_path / "work", shard=2)
    counts: list[int] = []
    work, told = tmp_path / "work", lambda _, done, __: counts.append(done)
    codes, scales = encode_texts(HashingEncoder(), texts, work, shard=2, progress=told)
    assert counts == [6, 8, 10]
    np.testing.assert_array_equal(codes, expected[0])
    np.testing.assert_array_equal(scales, expected[1])
    others = encode_texts(HashingEncoder(), texts.slice(1), tmp_path / "work", shard=2)
    assert len(others[0]) == 9


def test_contexts_that_do_not_fit_are_refused(own: Path) -> None:
    folder = in_force(own) / CONTEXTS
    said = load_manifest(folder, KIND, SCHEMA).config
    for schema, config, error, message in (
        (SCHEMA + 1, said, ArtifactMismatch, f"reads schema {SCHEMA}.*Build it again with this"),
        (SCHEMA, {**said, "encoder": "another"}, ArtifactMismatch, "another encoder"),
        (SCHEMA, said, ArtifactCorrupt, "is damaged"),
    ):
        if error is ArtifactCorrupt:  # The words of other contexts.
            np.save(folder / WORDS / "terms.starts.npy", np.zeros(2, np.int64))
        seal(folder, KIND, schema, config)
        with pytest.raises(error, match=message):
            with_contexts(open_collection(own))


# Papers that citing sentences mean are found by any of their names, else by title and author.

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
    rows = [{name: paper.get(name) for name in WORKS_SCHEMA.names} for paper in PAPERS]
    write_columns(folder, pa.Table.from_pylist(rows, WORKS_SCHEMA).to_batches())
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
    assert [rows.tolist() for rows in works.rows([])] == [[], []]
    cited, citing = works.rows([Context("a", name, "said", "", None, work)])
    assert (cited.tolist(), citing.tolist()) == ([ROWS[paper]], [1])
