"""The papers that are probed: labels, names of files, and who has a vector."""

from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings
from recsys.pipelines.studies.embedding_probes import (
    ProbeOptions,
    classes,
    named_files,
    probe,
    read_values,
    shared_papers,
)
from recsys.protocols import silent
from tests.pipelines.small_probe import small_probe


def embeddings(*ids: str) -> Embeddings:
    return Embeddings(ids, np.ones((len(ids), 2), np.float32))


def test_labels_are_read_by_name(tmp_path: Path) -> None:
    papers = small_probe(tmp_path).papers
    fields = read_values(papers, "labels.field", silent)
    assert len(fields) == 80
    assert [fields[each] for each in ("p01", "p02", "p10")] == [
        ("Clouds", "Rare"),
        ("Ferns",),
        ("FERNS",),
    ]
    assert read_values(papers, "venue", silent)["p03"] == ("Journal of Rivers",)
    assert read_values(papers, "labels.doc_type", silent)["p03"] == ("Article",)


@pytest.mark.parametrize("label", ["labels.fields", "field", "labels.page", "keyphrases"])
def test_a_label_that_no_paper_has_is_refused_with_those_there_are(
    label: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=f"No paper of .* has '{label}'") as caught:
        read_values(small_probe(tmp_path).papers, label, silent)
    assert "venue, labels.field, labels.doc_type" in caught.value.hint
    if "field" in label:
        assert "Did you mean 'labels.field'?" in caught.value.what


def test_files_are_named_by_themselves_or_by_the_user(tmp_path: Path) -> None:
    odd = tmp_path / "a=b.jsonl"
    odd.touch()
    found = named_files(["x/minilm.npy", "y/v.jsonl.gz", "mine=z.parquet", str(odd), "n="])
    assert found == {
        "minilm": Path("x/minilm.npy"),
        "v": Path("y/v.jsonl.gz"),
        "mine": Path("z.parquet"),
        "a=b": odd,
        "n": Path(),
    }
    with pytest.raises(InputError, match=r"Two embeddings are called 'v'.*NAME=FILE"):
        named_files(["x/v.npy", "y/v.npy"])


def test_there_must_be_an_embedding(tmp_path: Path) -> None:
    papers = small_probe(tmp_path).papers
    with pytest.raises(InputError, match="no embeddings"):
        probe(papers, {}, ProbeOptions("venue"))


def test_papers_with_every_vector_are_kept_and_the_others_counted() -> None:
    values = {name: ["x"] for name in "dbca"}
    found = shared_papers(values, {"one": embeddings(*"abcx"), "two": embeddings(*"dcba")}, "venue")
    assert found[0] == ("a", "b", "c")
    assert found[1] == (
        "one has no vector of 1 of 4 papers.",
        "A paper that misses one is left out of all.",
    )
    assert shared_papers(values, {"two": embeddings(*"dcba")}, "venue")[1] == ()


def test_vectors_of_other_papers_are_refused_with_both_sorts_of_ids() -> None:
    values = {"W2": ["x"], "W1": ["y"]}
    with pytest.raises(
        InputError, match=r"0 of the 2 papers with venue: its ids are such as 'a', theirs .* 'W1'"
    ):
        shared_papers(values, {"one": embeddings("a", "b")}, "venue")
    both = {"one": embeddings("W1"), "two": embeddings("W2")}
    with pytest.raises(InputError, match="No paper has a vector of every embedding"):
        shared_papers(values, both, "venue")


def test_classes_are_spelled_as_they_mostly_are() -> None:
    values = [["CHI"], ["chi "], ["CHI", "Rare"], ["VIS"], ["vis"], ["vis"], ["Rare"]]
    found = classes(values, "venue", most=9, least=2)
    assert found.names == ("CHI", "vis", "Rare")
    assert found.labels.tolist() == [0, 0, 2, 1, 1, 1, 2]


def test_one_class_is_not_enough() -> None:
    with pytest.raises(InputError, match="1 classes of venue have at least 3 of these 5 papers"):
        classes([["a"]] * 3 + [["b"]] * 2, "venue", most=9, least=3)
