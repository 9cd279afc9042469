"""`recsys recommend` as people call it: drafts and lists of papers in, filtered lists out."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recsys.formats.answers import FORMATS
from recsys.formats.references.reference_formats import read_bibliography

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli

PAPER = r"""
\documentclass{article}
\title{Rivers and glaciers,\\ measured again}
\author{Ada Rivers \and Grace Glaciers}
\begin{document}
\begin{abstract}
We measure rivers with an instrument for glaciers~\cite{first,gone}.
\end{abstract}
\input{body}
\bibliography{refs}
\end{document}
"""
BODY = r"Earlier surveys~\citep[see][p.~3]{second} differ."
REFERENCES = r"""
@article{first, title = {On {Rivers} in Survey 3}, author = {Rivers, Ada}, year = 2003}
@article{second, title = {On glaciers in survey 5}, author = {Ada Glaciers}, year = 2005}
@book{gone, title = {Something that nobody indexed}, author = {Nemo, N.}, year = 1999}
@article{uncited, title = {On deserts in survey 4}, author = {Deserts, Ada}, year = 2004}
"""

Ask = Callable[..., "CliResult"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "paper.tex").write_text(PAPER, encoding="utf-8")
    (tmp_path / "body.tex").write_text(BODY, encoding="utf-8")
    (tmp_path / "refs.bib").write_text(REFERENCES, encoding="utf-8")
    return tmp_path


@pytest.fixture
def ask(built: "Built", run_cli: "RunCli") -> Ask:
    def recommend(*arguments: object, stdin: bytes = b"") -> "CliResult":
        return run_cli("recommend", *arguments, "--index", built.index, stdin=stdin)

    return recommend


def answered(done: "CliResult") -> list[dict[str, Any]]:
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def ids(done: "CliResult") -> list[str]:
    return [item["id"] for item in answered(done)]


def test_a_latex_paper_is_answered_with_what_it_misses(folder: Path, ask: Ask) -> None:
    done = ask(folder / "paper.tex", "--format", "jsonl", "-k", 40)
    understood = done.err.splitlines()[0]
    assert "Understood: title, abstract (8 words), 2 authors (1 in the corpus)" in understood
    assert "3 references: 2 matched, 1 not in the corpus. Option -v lists" in understood
    assert not {"rivers-03", "glaciers-05"} & set(ids(done))
    assert "deserts-04" in ids(done)  # Known to the bibliography, but not cited.


def test_what_is_not_in_the_corpus_is_listed_on_request(folder: Path, ask: Ask) -> None:
    assert "nobody indexed" not in ask(folder / "paper.tex").err
    listed = ask(folder / "paper.tex", "-v").err.splitlines()
    assert "Not in the corpus: reference gone: N. Nemo, 1999, Something that nobody indexed" in (
        listed
    )


def test_title_and_abstract_of_the_command_line_go_first(folder: Path, ask: Ask) -> None:
    own = ask(folder / "paper.tex", "--format", "jsonl")
    other = ask(folder / "paper.tex", "--title", "Deserts", "--abstract", "", "--format", "jsonl")
    assert ids(own) != ids(other)
    assert "no abstract" in other.err


@pytest.mark.parametrize("given", ["deserts.bib", "deserts-06"])
def test_seeds_alone_ask_for_more_of_their_kind(given: str, folder: Path, ask: Ask) -> None:
    (folder / "deserts.bib").write_text("@misc{a, title = {On deserts in survey 6}, year = 2006}")
    seed = folder / given if given.endswith(".bib") else given
    for arguments in (("--seeds", seed), (seed,)):
        found = ids(ask(*arguments, "--format", "jsonl", "-k", 5))
        assert "deserts-06" not in found
        assert sum("deserts" in paper for paper in found) >= 3


def test_disliked_papers_and_their_like_sink(ask: Ask) -> None:
    draft = ("--title", "Rivers and deserts", "--format", "jsonl", "-k", 50)
    before = ids(ask(*draft))
    after = ids(ask(*draft, "--not-like", "deserts-07", "--not-like", "deserts-08"))
    assert not {"deserts-07", "deserts-08"} & set(after)

    def mean_rank(found: list[str], topic: str) -> float:
        places = [i for i, paper in enumerate(found) if topic in paper and paper[-2:] not in "0708"]
        return sum(places) / len(places)

    assert mean_rank(after, "deserts") > mean_rank(before, "deserts")


def test_papers_of_the_library_are_marked_or_left_out(folder: Path, ask: Ask) -> None:
    draft = ("--title", "Deserts in survey", "--library", folder / "refs.bib", "-k", 40)
    marked = answered(ask(*draft, "--format", "jsonl"))
    own = {item["id"] for item in marked if "library" in {each["kind"] for each in item["reasons"]}}
    assert own == {"rivers-03", "glaciers-05", "deserts-04"}
    rest = ask(*draft, "--exclude-library", "--format", "jsonl")
    assert not own & set(ids(rest))
    assert "3 removed by --exclude-library" in rest.err


def test_every_filter_counts_what_it_removed(ask: Ask) -> None:
    done = ask("--title", "Rivers", "--min-year", 2006, "--exclude-author", "A. Glaciers",
               "--format", "jsonl", "-k", 40)  # fmt: skip
    assert all(item["year"] >= 2006 for item in answered(done))
    assert not any("glaciers" in paper for paper in ids(done))
    assert re.search(r"\d+ removed by --min-year 2006, \d+ removed by --exclude-author", done.err)


def test_an_answer_of_nothing_says_which_filter_to_loosen(ask: Ask) -> None:
    done = ask("--title", "Rivers", "--venue", "No such*")
    assert (done.code, done.out) == (3, "")
    assert "--venue" in done.err.splitlines()[-1]


def test_diversity_changes_the_order_and_no_chance(ask: Ask) -> None:
    draft = ("--title", "Rivers and glaciers", "--format", "jsonl", "-k", 30)
    plain, spread = answered(ask(*draft)), answered(ask(*draft, "--mmr", 0.8))
    assert [item["id"] for item in plain] != [item["id"] for item in spread]
    chances = {item["id"]: item["probability"] for item in plain}
    assert all(
        chances.get(item["id"], item["probability"]) == item["probability"] for item in spread
    )


@pytest.mark.parametrize("name", ["bibtex", "ris", "csl-json", "csv", "html"])
def test_what_is_exported_is_found_again(name: str, folder: Path, ask: Ask) -> None:
    suffix = {"bibtex": ".bib", "csl-json": ".json"}.get(name, f".{name}")
    out = folder / f"new{suffix}"
    recommended = ids(ask(folder / "paper.tex", "--format", "jsonl", "-k", 8))
    assert ask(folder / "paper.tex", "--format", name, "--out", out, "-k", 8).code == 0
    assert len(read_bibliography(out).references) == 8
    again = ask(folder / "paper.tex", "--library", out, "--format", "json", "-k", 8)
    assert "8 library papers: 8 matched." in again.err
    answer = json.loads(again.out)
    assert [item["id"] for item in answer["recommendations"]] == recommended


def test_every_format_of_an_answer_can_be_written(ask: Ask) -> None:
    for form in FORMATS:
        done = ask("--title", "Rivers", "--format", form, "-k", 2)
        assert done.code == 0 and done.out.strip()


def test_a_word_that_is_no_file_and_no_paper_is_refused(folder: Path, ask: Ask) -> None:
    done = ask("--seeds", folder / "ref")
    assert done.code == 1
    assert f"There is no file {folder / 'ref'}" in done.err.splitlines()[-1]
    assert ask("no-such-paper").code == 1
    unknown = ask("10.1234/unknown")
    assert unknown.code == 1
    assert "none of its references is in the corpus" in unknown.err
