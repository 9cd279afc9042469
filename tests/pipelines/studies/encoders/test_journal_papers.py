"""Which papers an encoder learns to tell the classes of."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.probes.probe_results import is_unseen
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.studies.encoders.train_journal import (
    ClassOptions,
    ClassPapers,
    class_papers,
    read_class_papers,
)
from recsys.records import Paper
from recsys.store.artifacts import CORPUS, INDEX_KIND, INDEX_SCHEMA, seal
from tests.pipelines.studies.encoders.small_journals import (
    EACH,
    journal_papers,
    write_journal_papers,
)
from tests.pipelines.studies.encoders.small_sources import FIELDS

OPTIONS = ClassOptions(least=EACH, dev=0.25)


def chosen(options: ClassOptions = OPTIONS) -> ClassPapers:
    return class_papers(Path("papers.jsonl"), journal_papers(), options)


def test_each_class_is_dealt_out_to_learning_and_dev() -> None:
    papers = chosen()
    assert papers.names == tuple(f"Journal of {field.title()}" for field in sorted(FIELDS))
    assert np.bincount(papers.labels).tolist() == [EACH] * 6
    assert np.bincount(papers.labels[papers.dev]).tolist() == [5] * 6
    both = np.concatenate([papers.learned, papers.dev])
    assert sorted(both.tolist()) == list(range(6 * EACH))
    assert papers.learned.dtype == papers.dev.dtype == np.int32
    assert (np.diff(papers.learned) > 0).all() and (np.diff(papers.dev) > 0).all()


def test_large_classes_are_cut_and_small_ones_left_out() -> None:
    papers = chosen(replace(OPTIONS, most=9))
    assert np.bincount(papers.labels).tolist() == [9] * 6
    assert np.bincount(papers.labels[papers.dev]).tolist() == [2] * 6
    least = chosen(replace(OPTIONS, most=3, dev=0.01))
    assert np.bincount(least.labels[least.dev]).tolist() == [1] * 6
    other = chosen(replace(OPTIONS, most=9, seed=1))
    assert papers.texts != other.texts  # By chance.
    few = [*journal_papers(), Paper("x", "A title", venue="Rare")]
    assert "Rare" not in class_papers(Path("f"), few, replace(OPTIONS, least=2)).names
    with pytest.raises(InputError, match="0 classes of venue have at least 21"):
        chosen(replace(OPTIONS, least=EACH + 1))


def test_a_paper_of_an_unseen_class_is_left_out_whatever_else_it_is_of() -> None:
    options = ClassOptions("labels.field", least=2, unseen=0.5)
    unseen = {name for name in (*FIELDS, "any") if is_unseen(name, share=0.5, seed=0)}
    assert unseen and "any" not in unseen  # Which all papers have.
    papers = chosen(options)
    own = {each.title: each.labels["field"] for each in journal_papers()}
    for title, _ in papers.texts:
        names = own[title]
        assert isinstance(names, list) and not unseen & set(names)


def test_a_file_and_an_index_are_read(tmp_path: Path) -> None:
    path = write_journal_papers(tmp_path / "papers.jsonl")
    papers = read_class_papers(path, OPTIONS)
    assert (papers.name, papers.texts) == ("papers.jsonl", chosen().texts)
    assert np.array_equal(papers.labels, chosen().labels)
    changed = read_class_papers(path, replace(OPTIONS, seed=3))
    assert papers.hashes[0] == changed.hashes[0] and papers.hashes[1] != changed.hashes[1]
    index = tmp_path / "index"
    (index / CORPUS).mkdir(parents=True)
    ingest(source_files([path]), index / CORPUS)
    seal(index, INDEX_KIND, INDEX_SCHEMA, {})
    indexed = read_class_papers(index, OPTIONS)
    assert (indexed.name, indexed.texts, indexed.names) == ("index", papers.texts, papers.names)
