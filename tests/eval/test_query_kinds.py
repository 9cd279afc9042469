"""An evaluation of sentences is told apart, measured and spoken of as such."""

import json
from pathlib import Path

import pytest

from recsys.eval.judge_runs import assess
from recsys.eval.recorded_runs import DRAFTS, SENTENCES, posed
from recsys.eval.report.compare import compare
from recsys.eval.report.evaluation_report import read_report
from recsys.eval.report.tables import Table
from tests.eval.small_evaluation import write_evaluation


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    """A small evaluation whose queries are sentences."""
    folder = write_evaluation(tmp_path / "sentences")
    path = folder / "facts.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts |= {"part": "sentence", "known": "title", "masked": True}
    path.write_text(json.dumps(facts), encoding="utf-8")
    path = folder / "queries.json"
    queries = json.loads(path.read_text(encoding="utf-8"))
    told = {name: each | {"names": name < "q3"} for name, each in queries.items()}
    path.write_text(json.dumps(told), encoding="utf-8")
    (folder / "assessment.json").unlink(missing_ok=True)
    return folder


def test_what_is_known_and_hidden_is_said() -> None:
    assert posed({}) == ""
    said = posed({"known": "references", "masked": False})
    assert said.startswith(" Names and years stay in each sentence;")
    assert "other references" in said


def test_systems_are_tested_by_the_measures_of_sentences(sentences: Path) -> None:
    found = assess(sentences, samples=50)
    assert {each.measure for each in found.comparisons} == set(SENTENCES.tested)
    system = found.system("good")
    assert set(system.per_query) == set(SENTENCES.kept)
    ranks = dict(zip(found.queries, system.per_query["MRR"], strict=True))
    assert ranks[system.best[0]] == max(ranks.values())
    assert ranks[system.worst[0]] == min(ranks.values())


def test_the_report_speaks_of_sentences(sentences: Path) -> None:
    report = read_report(sentences)
    assert report.title.startswith("Local citation recommendation on ")
    assert "answer 6 sentences with" in report.lead
    assert report.lead.endswith("each sentence; the draft's title is known.")
    tables = [table for section in report.sections for table in section.tables]
    systems = next(table for table in tables if table.name == "systems")
    assert systems.header[2:5] == SENTENCES.tested
    sliced = next(table for table in tables if table.name == "slice-names")
    assert [row[0].text for row in sliced.rows] == ["a work", "nobody"]
    assert sliced.caption.endswith(": R@10.")
    spoken = [table for table in tables if not table.name.startswith("self-")]
    assert not [text for table in spoken for text in _texts(table) if "quer" in text.lower()]


def _texts(table: Table) -> tuple[str, ...]:
    return (table.caption, table.notes, *table.header)


def test_comparing_runs_of_sentences_shows_their_measures(sentences: Path) -> None:
    runs = [sentences / "runs" / f"{name}.trec" for name in ("good", "poor")]
    found = compare(runs, sentences / "qrels.txt", samples=50)
    assert {each.measure for each in found.assessment.comparisons} == set(SENTENCES.tested)


def test_comparing_passes_over_what_others_call_facts(sentences: Path) -> None:
    (sentences / "facts.json").write_text("[1", encoding="utf-8")
    runs = [sentences / "runs" / "good.trec", sentences / "runs" / "poor.trec"]
    found = compare(runs, sentences / "qrels.txt", samples=50)
    assert {each.measure for each in found.assessment.comparisons} == set(DRAFTS.tested)
