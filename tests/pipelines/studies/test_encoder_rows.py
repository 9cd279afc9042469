"""How encoders are named."""

import json
from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.studies.compared_encoders import wanted
from tests.rows import each_row


def test_names_folders_and_files_are_told_apart(tmp_path: Path) -> None:
    folder = tmp_path / "a=b"
    folder.mkdir()
    names = ["minilm", "allenai/specter", str(folder), "mine=one.npy, two.jsonl", "alone=one.npy"]
    found = wanted(names)
    assert [each.name for each in found] == ["minilm", "allenai/specter", "a=b", "mine", "alone"]
    assert [each.encoder for each in found] == ["minilm", "allenai/specter", str(folder)] + [
        None
    ] * 2
    assert found[3].files == (Path("one.npy"), Path("two.jsonl"))
    assert [each.folder for each in found] == ["minilm", "allenai-specter", "a-b", "mine", "alone"]
    assert not any(each.is_baseline for each in found)
    assert wanted(["tfidf-svd"])[0].is_baseline


def test_an_encoder_that_was_trained_says_on_what(tmp_path: Path) -> None:
    def notes(facts: dict[str, object]) -> tuple[str, ...]:
        (tmp_path / TRAINING).write_text(json.dumps(facts))
        return wanted([str(tmp_path)])[0].notes

    sources = {"one.index": ["beef"], "two.index": ["dead"]}
    [told] = notes({"sources": sources})
    assert told.startswith("It has learned from one.index, two.index: ")
    [told] = notes({"sources": sources, "learned_from": ["two.index"]})
    assert told.startswith("It has learned from two.index: ")
    for damaged in ("{", "[]", '{"sources": 1}'):
        (tmp_path / TRAINING).write_text(damaged)
        assert wanted([str(tmp_path), "minilm"])[0].notes == ()


def test_a_baseline_that_has_seen_the_train_queries_says_so() -> None:
    plain, seen = wanted(["tfidf-svd", "nnselect"])
    assert plain.notes == ()
    assert seen.notes and "seen the train queries" in seen.notes[0]


def test_an_encoder_is_another_when_its_files_change(tmp_path: Path) -> None:
    folder, vectors = tmp_path / "own", tmp_path / "v.npy"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"one")
    vectors.write_bytes(b"one")
    both = [wanted([str(folder)])[0], wanted([f"v={vectors}"])[0]]
    before = [each.identity() for each in both]
    (folder / "notes.html").write_text("nothing")
    assert [each.identity() for each in both] == before
    (folder / "model.safetensors").write_bytes(b"two")
    vectors.write_bytes(b"two")
    after = [each.identity() for each in both]
    assert all(one != other for one, other in zip(before, after, strict=True))


@each_row(
    ("names", "message"),
    [
        ([], "no encoders"),
        (["minilm", "minilm"], "'minilm', or nearly so"),
        (["a/b", "a-b"], "'a-b', or nearly so"),
        (["mine=a,b,c"], "names 3 files"),
        (["mine="], "names 0 files"),
        (["minilm", "doc2vek"], r"no encoder 'doc2vek'. Did you mean 'doc2vec'\?"),
    ],
)
def test_what_names_no_encoder_is_refused(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        wanted(names)
