"""`recsys build`, `update` and `corpus` on files as people have them."""

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from recsys.pipelines.corpora.collect import CollectedPapers
from recsys.store.artifacts import sha256
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force
from tests.pipelines.corpora.corpus_files import BIB, RIS, RIVERS, SAND, WOS, write
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.conftest import RunCli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with three files of one corpus."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("refs.bib", BIB), ("papers.ris", RIS), ("savedrecs.txt", WOS)):
        write(tmp_path / name, text)
    return tmp_path


FILES = ("refs.bib", "papers.ris", "savedrecs.txt")


def ids(index: Path) -> list[str]:
    corpus = Corpus.load(in_force(index) / "corpus")
    return [corpus.ids[row] for row in range(len(corpus))]


def made(index: Path) -> dict[str, str]:
    """Hash every file of an index that is made of its papers."""
    root = in_force(index)
    return {
        path.relative_to(root).as_posix(): sha256(path)
        for part in ("corpus", "text", "vectors")
        for path in sorted((root / part).rglob("*"))
        if path.is_file()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_of_three_formats_are_one_index_and_so_is_their_corpus(
    folder: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("build", *FILES, "--out", "field.index")
    assert (done.code, done.out) == (0, "")
    assert "field.index: 3 papers, 3 citations among them." in done.err
    told = run_cli("inspect", "field.index").out
    assert "refs.bib: 2 papers (BibTeX)" in told
    assert "3 papers read as BibTeX, RIS, Web of Science" in told
    assert "3 records merged with others" in told
    assert {RIVERS, SAND} <= set(ids(folder / "field.index"))
    written = run_cli("corpus", *FILES, "--out", "papers.jsonl.gz", "--describe")
    assert written.code == 0
    assert "Saved in papers.jsonl.gz." in written.err
    assert written.out.startswith("3 papers from 1999 to 2005")
    assert run_cli("build", "papers.jsonl.gz", "--out", "again.index", "--quiet").code == 0
    assert made(folder / "again.index") == made(folder / "field.index")
    answer = run_cli(
        "recommend", "--index", "field.index", "--title", "Rivers of ice", "--format", "json"
    )
    assert answer.code == 0 and RIVERS in answer.out


def test_what_was_rejected_is_named_by_file_and_line(folder: Path, run_cli: "RunCli") -> None:
    write(folder / "own.jsonl", '{"id": "a", "title": "Ice"}\njunk\n')
    done = run_cli("build", *FILES, "own.jsonl", "--out", "field.index")
    assert done.code == 0
    [path] = re.findall(r"Rejected lines: see (\S+)\. ", done.err)
    assert "1 line rejected (not JSON: 1)." in done.err
    reject = json.loads(Path(path).read_text("utf-8"))
    assert (reject["file"], reject["line"], reject["reason"]) == ("own.jsonl", 2, "not JSON")
    written = run_cli("corpus", "own.jsonl", "--out", "papers.jsonl")
    assert "Rejected lines: see papers.jsonl.rejects.jsonl." in written.err


REFUSED = {
    "record.mrc": (
        b"00714cam a2200205 a 4500001001300000003000600013005001700019008004100036\x1eon\x1d",
        "is a MARC record. Export RIS or BibTeX",
    ),
    "book.xlsx": (b"PK\3\4" + bytes(22) + b"\x0f\0\0\0xl/workbook.xml", "is an Excel workbook"),
    "photo.jpg": (b"\xff\xd8\xff\xe0" + bytes(99), "is a picture"),
    "page.html": (b"<html><input type=password></html>", "is a log-in page saved as a file"),
    "cut.jsonl.gz": (gzip.compress(b'{"id": "a", "title": "T"}\n' * 99)[:-9], "gzip stream"),
    "empty.ris": (b"", "is empty"),
    "table.csv": (b"alpha;beta\n1;2\n", "table.csv"),
    "junk": (bytes(range(256)), "has no known format"),
}


@each_row("name", REFUSED)
@each_row("command", ["build", "corpus"])
def test_a_file_that_is_refused_is_one_line_and_leaves_nothing(
    folder: Path, run_cli: "RunCli", name: str, command: str
) -> None:
    raw, said = REFUSED[name]
    (folder / name).write_bytes(raw)
    before = names(folder)
    done = run_cli(command, *FILES, name, "--out", "made", "--quiet")
    assert (done.code, done.out) == (1, "")
    assert said in done.err and name in done.err
    assert len(done.err.splitlines()) == 1 and "Traceback" not in done.err
    assert [each for each in names(folder) if each != "made"] == before
    assert not (folder / "made" / "manifest.json").exists()
    (folder / name).unlink()
    shutil.rmtree(folder / "made", ignore_errors=True)


@each_row(
    ("columns", "code", "said"),
    [
        ("title=TI,year=PY", 0, "1 papers"),
        ("title=TI,notes=PX", 2, "is not FIELD=NAME"),
        ("title=TI,year=PX", 1, "has no column 'PX'. Its columns are: 'TI', 'PY', 'Remarks'."),
        ("title=Remark", 1, "has no column 'Remark'. Did you mean 'Remarks'?"),
        ("titel=TI", 2, "is not FIELD=NAME"),
        ("title", 2, "is not FIELD=NAME"),
        ("title=", 2, "is not FIELD=NAME"),
    ],
)
def test_columns_of_a_table_may_be_named(
    folder: Path, run_cli: "RunCli", columns: str, code: int, said: str
) -> None:
    write(folder / "own.csv", "TI;PY;Remarks\nSlow rivers of the plain;2001;read\n")
    for words in (("build", "own.csv"), ("corpus", "own.csv")):
        done = run_cli(*words, "--out", f"{words[0]}.made", "--columns", columns)
        assert done.code == code
        assert said in " ".join(done.err.replace("│", " ").split())
        made = folder / f"{words[0]}.made"
        assert made.exists() == (code == 0)
        shutil.rmtree(made) if made.is_dir() else made.unlink(missing_ok=True)


def test_preprints_stay_apart_if_told(folder: Path, run_cli: "RunCli") -> None:
    entry = "@article{%s, title={A slow river is measured once more}, author={Ash, Ada}, %s}\n"
    write(
        folder / "two.bib",
        entry % ("a", "year=2019, eprint={1901.00001}, archiveprefix={arXiv}, journal={arXiv}")
        + entry % ("b", "year=2020, journal={Journal of Water}, doi={10.5555/once}"),
    )
    one = run_cli("corpus", "two.bib", "--out", "one.jsonl")
    two = run_cli("corpus", "two.bib", "--out", "two.jsonl", "--preprints-apart")
    assert "1 papers read" in one.err and "2 papers read" in two.err


WORDED = RIS.replace("AB  -", "KW  - rivers\nKW  - winter\nAB  -", 1)
BARE = "".join(line for line in RIS.splitlines(True) if "AB  -" not in line)


@each_row(
    ("given", "options", "same", "said"),
    [
        (RIS, ("--titles-only",), BARE, "1 abstracts ignored"),
        (
            WORDED,
            ("--keyphrases", "keyphrases"),
            WORDED.replace("AB  - ", "AB  - rivers, winter. ", 1),
            "1 abstracts are preceded by keyphrases, from keyphrases",
        ),
    ],
)
def test_how_abstracts_are_read_if_told_holds_for_updates_as_well(
    folder: Path, run_cli: "RunCli", given: str, options: tuple[str, ...], same: str, said: str
) -> None:
    """given, options: as which an index is built. same: what builds that index without options."""
    for name, text in (("given.ris", given), ("same.ris", same)):
        write(folder / name, text)
    assert said in run_cli("build", "given.ris", "--out", "one.index", *options).err
    assert run_cli("build", "same.ris", "--out", "two.index", "--quiet").code == 0
    one, two = made(folder / "one.index"), made(folder / "two.index")
    # The rejected lines are of another file.
    assert {name for name in two if one[name] != two[name]} <= {"corpus/rejects.jsonl"}

    again = run_cli("build", "given.ris", "--out", "one.index", *options)
    assert "is up to date" in again.err
    other = run_cli("build", "given.ris", "--out", "one.index")
    assert other.code == 1 and "index of other papers or options" in other.err
    for source in ("given.ris", "papers.ris"):
        update = run_cli("update", "one.index", source)
        assert update.code == 0 and "papers: none changed" in update.err
    for name in ("one.index", "two.index"):
        shutil.rmtree(folder / name)


def test_keywords_of_a_draft_are_read_where_those_of_papers_are(
    folder: Path, run_cli: "RunCli"
) -> None:
    write(folder / "worded.ris", RIS.replace("AB  -", "KW  - rivers\nAB  -", 1))
    write(folder / "draft.md", "---\ntitle: Sand\nkeywords: [rivers, ice]\n---\nOn sand.\n")
    for name, options in (("with", ["--keyphrases", "keyphrases"]), ("without", [])):
        assert run_cli("build", "worded.ris", "--out", f"{name}.index", *options).code == 0
        asked = run_cli("recommend", "draft.md", "--index", f"{name}.index")
        assert ("2 keyphrases" in asked.err + asked.out) == (name == "with")


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.jsonl.gz"])
def test_an_interrupted_corpus_leaves_what_was_there(
    folder: Path, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write(folder / name, "precious")
    before = names(folder)
    batches = CollectedPapers.to_batches

    def interrupted(papers: CollectedPapers) -> Iterator[pa.RecordBatch]:
        yield from batches(papers)
        raise KeyboardInterrupt

    monkeypatch.setattr(CollectedPapers, "to_batches", interrupted)
    done = run_cli("corpus", *FILES, "--out", name)
    assert done.code == 130 and "interrupted" in done.err
    assert names(folder) == before and (folder / name).read_text() == "precious"
