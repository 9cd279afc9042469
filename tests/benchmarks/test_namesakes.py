"""Who is taken for a namesake is counted, by two rules."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import recsys
from benchmarks.bench import Bench
from benchmarks.namesakes import FALSE, OPEN, RULES, TRUE, cut, judged, main, verdict
from recsys.store.names import name_keys
from tests.pipelines.small_index import invented_papers, open_small_index, write_small_index
from tests.rows import each_row

NAMES, INITIALS = RULES


@each_row(
    ("name", "expected"),
    [
        ("Ada Maria van Ash", "A. M. van Ash"),
        ("Ash, Ada-Maria", "Ash, A. M."),
        ("Bo Elm 0001", "B. Elm 0001"),
        ("Hal Daume III", "H. Daume III"),
        ("Plato", "Plato"),
        ("", ""),
    ],
)
def test_given_names_are_cut_to_initials(name: str, expected: str) -> None:
    assert cut(name) == expected


@each_row(
    ("draft", "paper", "expected"),
    [
        ("Ann Lee; Bo Elm", "A. Lee; Elm, Bo", TRUE),
        ("Ann Lee", "A. Lee", OPEN),
        ("A. Lee", "A. Lee", OPEN),
        ("Ann Lee; Bo Elm", "Anton Lee; B. Elm", OPEN),
        ("Ann Lee", "Anton Lee; Bo Elm", FALSE),
    ],
)
def test_names_in_full_tell_what_is_true(draft: str, paper: str, expected: str) -> None:
    assert verdict(*(name_keys(names.split(";")) for names in (draft, paper))) == expected


def test_papers_are_added_up_over_drafts() -> None:
    found = judged(np.array([[3, 1, 5, 4], [0, 0, 2, 0], [5, 1, 0, 6]]))
    assert (found[TRUE], found[FALSE], found[OPEN]) == (8, 2, 7)
    for measure in ("precision", "recall"):
        figure = found[measure]
        assert figure["value"] == 0.8 and 0 <= figure["low"] <= 0.8 <= figure["high"] <= 1


def test_a_corpus_is_measured_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = ("Ada Rivers", "Anton Rivers", "A. Rivers", "B. Rivers", "C. Rivers", "D. Rivers")
    papers = [
        paper | {"authors": [people[number % 2 if number < 30 else number % 6]]}
        for number, paper in enumerate(invented_papers())
    ]
    (tmp_path / "vis").mkdir()
    with gzip.open(tmp_path / "vis" / "papers.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(paper) + "\n" for paper in papers)
    queries = [str(paper["id"]) for paper in papers if paper.get("year", 0) in range(2008, 2012)]
    split = {"train": [], "dev": queries[:6], "test": queries[6:]}
    (tmp_path / "vis" / "split.json").write_text(json.dumps(split), encoding="utf-8")
    (tmp_path / "namesakes.md").write_text("<!-- namesakes -->\n<!-- /namesakes -->\n")
    recommender = open_small_index(write_small_index(tmp_path / "vis.index", papers))
    monkeypatch.setattr(Bench, "built", Bench.index)
    monkeypatch.setattr(recsys, "load", lambda index: recommender)
    places = [text for place in ("--data", "--work", "--docs") for text in (place, str(tmp_path))]
    kept = tmp_path / "kept.json"
    assert main([*places, "--results", str(kept), "--corpora", "vis"]) == 0
    found = json.loads(kept.read_text(encoding="utf-8"))
    half, shown = found["half"]["vis"], found["shown"]["vis"]
    assert (half["papers"], half["drafts"], shown["drafts"]) == (len(papers), 16, 10)
    for way in ("in full", "initials"):
        assert half[way][NAMES][FALSE] == 0 < half[way][INITIALS][FALSE]
        assert half[way][INITIALS]["recall"]["value"] == 1
        assert half[way][NAMES][TRUE] <= half[way][INITIALS][TRUE]
    assert half["in full"][NAMES][TRUE] > half["initials"][NAMES][TRUE] == 0
    for kind in ("authors", "own"):
        assert shown[NAMES][kind][FALSE] == 0 < shown[INITIALS][kind][FALSE]
        assert shown[NAMES][kind]["miscounted"] == shown[INITIALS][kind]["miscounted"] == 0
        assert shown[NAMES][kind][TRUE] > 0
    page = (tmp_path / "namesakes.md").read_text(encoding="utf-8")
    assert "| vis, in full | 1.000 (1.000-1.000) | " in page
