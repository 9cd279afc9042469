"""What older versions stored of words is read as if this one had stored it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt
from recsys.indexes.bm25 import Bm25Index
from recsys.indexes.older_words import IMPACTS, is_older, open_older_words
from recsys.store.terms import FREQUENCIES, NORMS, TermStore

PHRASES = st.lists(
    st.sampled_from(["ant", "bee", "cat", "dog", "elk", "the", "fox " * 60]), max_size=9
).map(" ".join)
TEXTS = st.lists(st.tuples(PHRASES, st.none() | PHRASES), min_size=1, max_size=12)


def older(folder: Path, store: TermStore, *, frequencies: bool) -> Path:
    """Store words as versions did that stored their weights, with or without frequencies."""
    store.save(folder)
    owners = np.repeat(np.arange(len(store.terms)), np.diff(store.terms.starts)).astype(np.int32)
    np.save(folder / IMPACTS, store.impacts(np.arange(len(owners)), owners))
    (folder / NORMS).unlink()
    if not frequencies:
        (folder / FREQUENCIES).unlink()
    return folder


@given(TEXTS, st.booleans())
def test_weights_tell_what_they_were_computed_from(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[tuple[str, str | None]],
    frequencies: bool,
) -> None:
    store = TermStore.build(texts)
    folder = older(tmp_path_factory.mktemp("older"), store, frequencies=frequencies)
    assert is_older(folder)
    found, index = open_older_words(folder, len(texts))
    assert found.frequencies.dtype == store.frequencies.dtype
    assert found.frequencies.tolist() == store.frequencies.tolist()
    assert found.norms.tolist() == store.norms.tolist()
    built = Bm25Index.build(store)
    for title, abstract in texts:
        query = store.query(title, abstract)
        ours, theirs = (each.search(query, len(texts)) for each in (built, index))
        assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]


def test_thousands_of_one_word_are_counted_wrong_by_one_at_most(tmp_path: Path) -> None:
    texts = [("ant " * 2 + "fox " * 1400, "fox " * 801), ("ant bee", None), ("bee fox", "cat")]
    store = TermStore.build(texts)
    found, index = open_older_words(older(tmp_path, store, frequencies=False), len(texts))
    counted, real = (each.frequencies.astype(int) for each in (found, store))
    assert np.abs(counted - real).max() <= 1 and real.max() > 2000
    query = store.query("fox", "ant bee")
    assert index.search(query, 3)[0].tolist() == Bm25Index.build(store).search(query, 3)[0].tolist()


def test_postings_without_levels_are_made_anew(tmp_path: Path) -> None:
    store = TermStore.build([("ant bee", "cat"), ("bee", None)])
    store.save(tmp_path)
    assert is_older(tmp_path)
    found, index = open_older_words(tmp_path, 2)
    expected = Bm25Index.build(store).postings
    assert found.norms.tolist() == store.norms.tolist()
    assert index.postings.levels.tolist() == expected.levels.tolist()
    assert index.postings.rows.tolist() == expected.rows.tolist()


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0, -1.0, 1e30])
def test_numbers_that_are_no_weights_are_damage(value: float, tmp_path: Path) -> None:
    folder = older(
        tmp_path, TermStore.build([("ant bee", "cat"), ("bee", None)]), frequencies=False
    )
    impacts = np.load(folder / IMPACTS)
    impacts[1] = value
    np.save(folder / IMPACTS, impacts)
    with pytest.raises(ArtifactCorrupt, match="no weights of BM25"):
        open_older_words(folder, 2)


def test_words_of_other_papers_are_damage(tmp_path: Path) -> None:
    folder = older(tmp_path, TermStore.build([("ant bee", "cat"), ("bee", None)]), frequencies=True)
    with pytest.raises(ArtifactCorrupt):
        open_older_words(folder, 3)
