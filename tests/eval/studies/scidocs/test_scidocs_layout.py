"""The directory of SciDocs: read as written, and every way in which it can be wrong."""

from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.scidocs.scidocs_layout import (
    Classes,
    Task,
    read_classes,
    read_judgements,
    suite_papers,
    suite_root,
    tasks_in,
    write_classes,
    write_judgements,
)


def test_tasks_are_known_by_their_folders(tmp_path: Path) -> None:
    root = tmp_path / "scidocs" / "data"
    for name in ("cocite", "mag", "recomm", "other"):
        (root / name).mkdir(parents=True)
    assert suite_root(root) == suite_root(root.parent) == root
    assert tasks_in(root) == (Task.MAG, Task.CO_CITE, Task.RECOMM)


def test_what_is_no_suite_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scidocs").mkdir()
    with pytest.raises(InputError, match=r"holds none of mag, mesh, coview, coread, cite, cocite"):
        suite_root(tmp_path / "scidocs")
    with pytest.raises(InputError, match=r"There is no directory .* Did you mean 'scidocs'"):
        suite_root(tmp_path / "sci-docs")
    with pytest.raises(InputError, match="Check the path"):
        suite_root(tmp_path / "no" / "where")


def test_judgements_are_read_as_written(tmp_path: Path) -> None:
    judgements = {"q": {"b": 1, "a": 0}, "p": {"c": 0}}
    write_judgements(tmp_path, Task.CO_VIEW, "val", judgements)
    text = (tmp_path / "coview" / "val.qrel").read_text(encoding="utf-8")
    assert text == "q 0 b 1\nq 0 a 0\np 0 c 0\n"
    assert read_judgements(tmp_path, Task.CO_VIEW, "val") == judgements
    with pytest.raises(InputError, match=r"The id 'p 1' cannot stand in val\.qrel"):
        write_judgements(tmp_path, Task.CO_VIEW, "val", {"p 1": {"a": 1}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "test.qrel is empty"),
        ("q 0 a 1\nq 0 a 0\n", "test.qrel:2: the paper 'a' appears twice"),
        ("q 0 a\n", "test.qrel:1: 3 columns instead of 4"),
        ("q 0 a 1\nq 0 b x\n", "test.qrel:2: the relevance 'x'"),
        ("q 0 a 2\n", "'a' has relevance 2 for 'q'"),
    ],
)
def test_wrong_judgements_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "cite").mkdir()
    (tmp_path / "cite" / "test.qrel").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_judgements(tmp_path, Task.CITE, "test")


def test_classes_are_read_as_written(tmp_path: Path) -> None:
    classes = Classes(("a", 'b,"'), np.array([3, 0]))
    write_classes(tmp_path, Task.MAG, "train", classes)
    text = (tmp_path / "mag" / "train.csv").read_text(encoding="utf-8")
    assert text == 'pid,class_label\na,3\n"b,""",0\n'
    found = read_classes(tmp_path, Task.MAG, "train")
    assert (found.ids, found.labels.tolist()) == (("a", 'b,"'), [3, 0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no column 'pid', but none"),
        (b"id,label\na,1\n", "has no column 'pid', but id, label"),
        (b"pid,class_label\n", "holds no paper"),
        (b"pid,class_label\na,1\nb,x\n", "line 3: the class 'x' is no whole number"),
        (b"pid,class_label\na,1.5\n", "line 2: the class '1.5'"),
        (b"pid,class_label\na\n", "line 2: there are 1 columns"),
        (b"pid,class_label\n\xff,1\n", "cannot be read"),
    ],
)
def test_wrong_classes_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "mag").mkdir()
    (tmp_path / "mag" / "train.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_classes(tmp_path, Task.MAG, "train")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no file .*mag/val\.csv"):
        read_classes(tmp_path, Task.MAG, "val")
    with pytest.raises(InputError, match=r"There is no file .*cite/val\.qrel"):
        read_judgements(tmp_path, Task.CITE, "val")


def test_wrong_metadata_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no texts"):
        next(suite_papers(tmp_path))
    path = tmp_path / "paper_metadata_recomm.json"
    for text, message in (("{", "is not JSON"), ('{"a": 1}', "no object of papers")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            next(suite_papers(tmp_path))
