"""Names of papers beside their ids: what they mean, and that a name of two means none."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora.paper_names import NOBODY, PaperNames, other_names

NAMES = st.sampled_from(["10.1/a", "10.1/b", "pmid:1", "W1", "cite:a b|2001|1|2", "\u6cb3"])


def names_of(pairs: list[tuple[str | None, int]]) -> PaperNames:
    names = pa.array([name for name, _ in pairs], pa.large_string())
    return PaperNames.of(names, np.array([row for _, row in pairs], np.int64))


@given(st.lists(st.tuples(NAMES, st.integers(-1, 4)), max_size=12))
def test_names_mean_what_a_dictionary_would_say(pairs: list[tuple[str | None, int]]) -> None:
    owners: dict[str | None, set[int]] = {}
    for name, row in pairs:
        if row >= 0:
            owners.setdefault(name, set()).add(row)
    asked = [name for name, _ in pairs]
    expected = [
        next(iter(owners[name])) if len(owners.get(name, ())) == 1 else NOBODY for name in asked
    ]
    assert names_of(pairs).find(pa.array(asked, pa.string())).tolist() == expected


def test_other_names_are_dois_in_lower_case_and_aliases() -> None:
    papers = pa.table(
        {
            "id": pa.array(["a", "10.1/B", "c"]),
            "doi": pa.array(["10.1/A", None, "10.1/c"]),
            "aliases": pa.array([["x", "Y"], None, []], pa.list_(pa.string())),
        }
    )
    names, rows = other_names(papers)
    pairs = zip(names.to_pylist(), rows.tolist(), strict=True)
    assert [pair for pair in pairs if pair[0] is not None] == [
        ("10.1/a", 0),
        ("10.1/c", 2),
        ("10.1/b", 1),
        ("x", 0),
        ("Y", 0),
    ]


def test_names_of_all_papers_may_be_longer_than_two_gigabytes_together() -> None:
    papers = pa.table({"id": ["10.1/A", "b"], "doi": [None, "10.2/B"], "aliases": [["c"], None]})
    columns = {
        name: pa.chunked_array(2 * papers.column(name).chunks) for name in papers.schema.names
    }
    names, rows = other_names(pa.table(columns))
    assert names.type == pa.large_string()  # Arrow would join no more of short ones.
    told = [name for name in names.to_pylist() if name is not None]
    assert sorted(told) == sorted(2 * ["10.1/a", "10.2/b", "c"])
    assert len(rows) == len(names)
