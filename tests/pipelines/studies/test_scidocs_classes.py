"""Classes of papers: the frequent values, the rarest of a paper's own, and fair parts."""

import numpy as np

from recsys.pipelines.studies.embedding_probes import (
    Labelled,
    category_values,
    classes_of,
    parts_of,
)
from recsys.records import Paper
from tests.rows import each_row


@each_row(
    ("values", "how", "names", "expected"),
    [
        # Values are counted whatever their case.
        ([["Ice"], ["ice "], ["fire"], []], {}, ["ice", "fire"], [0, 0, 1, -1]),
        # A paper is of its rarest class.
        ([["x"], ["x"], ["x", "y"], ["y", "x"]], {}, ["x", "y"], [0, 0, 1, 1]),
        # Few and small classes are kept out.
        ([["a"], ["a"], ["b"], ["b"], ["c"]], {"most": 2}, ["a", "b"], [0, 0, 1, 1, -1]),
        ([["a"], ["a"], ["a"], ["b"], ["b"]], {"least": 3}, ["a"], [0, 0, 0, -1, -1]),
        # x has three papers, but two of them are y's.
        (
            [["x", "y"], ["x", "y"], ["x"], ["z"], ["z"]],
            {"least": 2},
            ["y", "z"],
            [0, 0, -1, 1, 1],
        ),
    ],
)
def test_classes_are_frequent_values_and_papers_of_the_rarest(
    values: list[list[str]], how: dict[str, int], names: list[str], expected: list[int]
) -> None:
    found = classes_of(values, **{"most": 9, "least": 1, **how})
    assert (list(found.names), found.labels.tolist()) == (names, expected)


def test_the_label_of_most_papers_gives_the_categories() -> None:
    papers = [
        Paper("a", "A", labels={"doc_type": "Article", "field": ["x", 3], "rare": "r"}),
        Paper("b", "B", labels={"doc_type": "Review", "field": "y"}),
        Paper("c", "C", labels={"doc_type": "Review", "field": []}, keyphrases=("k",)),
    ]
    assert category_values(papers) == ("field", [("x",), ("y",), ()])
    assert category_values([Paper("a", "A", labels={"doc_type": "Article"})]) == ("", [()])
    assert category_values([Paper("a", "A", keyphrases=("k", "l"))]) == ("keyphrases", [("k", "l")])


def test_parts_divide_each_class() -> None:
    ids = [f"p{i}" for i in range(160)]
    labelled = Labelled(("x", "y"), np.array([0] * 100 + [1] * 40 + [-1] * 20))
    parts = parts_of(ids, labelled, np.random.default_rng(0))
    counts = {part: np.bincount(each.labels).tolist() for part, each in parts.items()}
    assert counts == {"train": [70, 28], "val": [15, 6], "test": [15, 6]}
    found = [each for part in parts.values() for each in part.ids]
    assert sorted(found) == sorted(ids[:140])
    right = dict(zip(ids, labelled.labels.tolist(), strict=True))
    for part in parts.values():
        assert [right[each] for each in part.ids] == part.labels.tolist()
