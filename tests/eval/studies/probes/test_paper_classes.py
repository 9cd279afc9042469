"""Seen and unseen classes: chosen by name, and kept in files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.probes.probe_results import is_unseen, read_class_names, write_class_names

NAMES = [f"Journal {number}" for number in range(2000)]


@given(st.text(), st.integers(0, 99), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_keeps_what_is_unseen(name: str, seed: int, one: float, two: float) -> None:
    small, large = sorted((one, two))
    assert is_unseen(name, share=small, seed=seed) <= is_unseen(name, share=large, seed=seed)
    assert not is_unseen(name, share=0, seed=seed)
    assert is_unseen(name, share=1, seed=seed)


def test_names_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "seen.txt"
    write_class_names(path, ["Physics", "Ärzteblatt", " CHI "])
    assert path.read_text(encoding="utf-8") == " CHI \nPhysics\nÄrzteblatt\n"
    assert read_class_names(path) == {"physics", "ärzteblatt", "chi"}
    with pytest.raises(InputError, match="not a line"):
        write_class_names(path, ["two\nlines"])


def test_a_file_without_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "seen.txt"
    path.write_text("\n \n", encoding="utf-8")
    with pytest.raises(InputError, match="has no name of a class"):
        read_class_names(path)
    with pytest.raises(InputError, match=r"no file .* Did you mean 'seen.txt'"):
        read_class_names(tmp_path / "sen.txt")
