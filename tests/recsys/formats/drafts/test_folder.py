from pathlib import Path

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts.draft_files import folder_of
from recsys.formats.drafts.draft_formats import open_draft
from tests.rows import each_row

BIB = "@article{a, title={Lichen on walls}}"


def paper(at: Path) -> Path:
    at.mkdir(parents=True, exist_ok=True)
    path = at / "paper.tex"
    path.write_text(r"\title{Walls}\cite{a}\bibliography{../refs}", encoding="utf-8")
    (at.parent / "refs.bib").write_text(BIB, encoding="utf-8")
    return path


def test_a_bibliography_above_is_not_read_and_the_note_says_how_it_would_be(tmp_path: Path) -> None:
    found = open_draft(paper(tmp_path / "tex")).manuscript
    assert found.references == ()
    assert "--root DIR" in found.notes[1]
    assert found.notes[-1] == "1 citation, none could be looked up: 'a'."


@each_row(
    ("repository", "draft", "cited"),
    [
        (".git", "a/tex", ["a"]),
        (".hg", "a/tex", ["a"]),
        (".svn", "a/tex", ["a"]),
        ("t/.git", "t", []),
    ],
)
def test_what_lies_in_the_draft_s_repository_is_read_and_nothing_above(
    tmp_path: Path, repository: str, draft: str, cited: list[str]
) -> None:
    here = tmp_path / str(repository).replace("/", "-")
    (here / repository).mkdir(parents=True)
    found = open_draft(paper(here / draft)).manuscript
    assert [work.key for work in found.references] == cited


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "repository"
    (inside / ".git").mkdir(parents=True)
    path = paper(inside / "tex")
    (tmp_path / "secret.bib").write_text(BIB, encoding="utf-8")
    (inside / "refs.bib").unlink()
    (inside / "refs.bib").symlink_to(tmp_path / "secret.bib")
    assert open_draft(path).manuscript.references == ()


def test_a_draft_outside_of_the_given_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(DraftError, match="is outside of"):
        folder_of(paper(tmp_path / "tex"), tmp_path / "other")
