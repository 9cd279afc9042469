"""Which files somebody means by files, folders and libraries."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.errors import CorpusError
from recsys.pipelines.corpora.source_files import SourceFile, hash_of, is_pdf, source_files
from recsys.store.artifacts import sha256
from tests.recsys.formats.exports.zotero_maker import Library

if TYPE_CHECKING:
    pass


def touched(*paths: Path) -> list[Path]:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return list(paths)


def test_named_files_come_in_their_order_each_once(tmp_path: Path) -> None:
    b, a = touched(tmp_path / "b.bib", tmp_path / "a.bib")
    again = tmp_path / "." / "b.bib"
    link = tmp_path / "link.bib"
    link.symlink_to(b)
    assert source_files([b, a, again, link]) == [SourceFile(b, True), SourceFile(a, True)]


def test_a_folder_is_its_files_by_name_with_all_below(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    files = touched(
        folder / "b.gz",
        folder / "a" / "z.gz",
        folder / "a" / "deep" / "y.gz",
        folder / ".hidden",
        folder / ".git" / "config",
    )
    b, z, y = files[:3]
    assert source_files([folder]) == [SourceFile(each, False) for each in (b, z, y)]


def test_what_is_not_there_is_told_with_what_is(tmp_path: Path) -> None:
    touched(tmp_path / "savedrecs.txt")
    with pytest.raises(CorpusError, match="There is no file of papers") as caught:
        source_files([tmp_path / "savedrec.txt"])
    assert "savedrecs.txt" in caught.value.hint
    with pytest.raises(CorpusError, match="There is no file of papers"):
        source_files([tmp_path / "none" / "x"])
    with pytest.raises(CorpusError, match="No files are named"):
        source_files([])


def test_a_folder_without_files_is_told(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    touched(tmp_path / ".hidden")
    with pytest.raises(CorpusError, match="holds no files"):
        source_files([tmp_path])


def test_what_can_be_read_but_once_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in (tmp_path / "pipe", Path("-"), Path("/dev/null")):
        with pytest.raises(CorpusError, match="is not a regular file"):
            source_files([source])


def test_a_pipe_or_a_dead_link_in_a_folder_is_no_file(tmp_path: Path) -> None:
    (a,) = touched(tmp_path / "a")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "manifest.json")
    (tmp_path / "dead").symlink_to(tmp_path / "gone")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert source_files([tmp_path]) == [SourceFile(a, False)]


def test_a_pdf_is_known_by_its_bytes(tmp_path: Path) -> None:
    pdf, text, empty = tmp_path / "a.dat", tmp_path / "b.pdf", tmp_path / "c.pdf"
    pdf.write_bytes(b"\n%PDF-1.5\n")
    text.write_bytes(b"@article{a, title={T}}")
    empty.write_bytes(b"")
    assert [is_pdf(each) for each in (pdf, text, empty)] == [True, False, True]
    assert is_pdf(tmp_path / "gone.pdf")


def test_the_hash_is_that_of_the_contents_in_their_order(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"1")
    b.write_bytes(b"2")
    files = source_files([a, b])
    assert hash_of(files[:1]) == sha256(a)
    assert len({hash_of(files), hash_of(files[::-1]), hash_of(files[:1])}) == 3
    before = hash_of(files)
    b.rename(tmp_path / "c")
    assert hash_of(source_files([a, tmp_path / "c"])) == before  # Names do not count.


def test_what_is_made_of_a_folder_is_none_of_its_files(tmp_path: Path) -> None:
    """The second build of `recsys build . --out my.index` reads what the first one did."""
    a, out, beside, near = touched(
        tmp_path / "a.bib",
        tmp_path / "papers.jsonl",
        tmp_path / "papers.jsonl.rejects.jsonl",
        tmp_path / "papers.jsonl.old",
    )
    touched(tmp_path / "my.index" / "unfinished" / "build" / "x.json")
    inside = touched(tmp_path / "sub" / "my.index" / "x.json")
    files = [each.path for each in source_files([tmp_path], out=tmp_path / "my.index")]
    assert files == [a, out, near, beside, *inside]
    touched(tmp_path / "my.index" / "manifest.json")
    files = [each.path for each in source_files([tmp_path / "."], out=out)]
    assert {a, near, *inside} <= set(files)
    assert not {out, beside} & set(files)
    assert source_files([out], out=out) == [SourceFile(out, True)]


def test_a_library_has_another_hash_once_it_has_another_pdf(tmp_path: Path) -> None:
    Library(tmp_path).add("journalArticle", {"title": "Rivers", "date": "2001"})
    files = source_files([tmp_path])
    before = hash_of(files)
    assert hash_of(files) == before
    pdf = tmp_path / "storage" / "ABCD2345" / "rivers.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(b"%PDF-1.4")
    assert hash_of(files) != before
