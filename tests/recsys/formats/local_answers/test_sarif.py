"""SARIF 2.1.0: what the standard asks of the objects that are written here."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from recsys.formats.answers import render_local
from recsys.records import Gap, LocalAnswer, Sentence, Span
from recsys.store.artifacts import VERSION
from tests.recsys.formats.local_answers.made_answers import ITEMS, recommended, small_answer
from tests.rows import each_row

# The properties that the standard's schema knows of each object that occurs here.
KNOWN = {
    "log": {"$schema", "version", "runs"},
    "run": {"tool", "invocations", "columnKind", "results", "properties"},
    "driver": {"name", "version", "rules"},
    "rule": {"id", "shortDescription", "defaultConfiguration"},
    "result": {
        "ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints",
        "properties", "rank",
    },
    "physical": {"artifactLocation", "region"},
    "region": {"startLine", "startColumn", "endLine", "endColumn", "snippet"},
}  # fmt: skip


def log_of(answer: LocalAnswer) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render_local(answer, "sarif"))
    check(log)
    return log


def check(log: dict[str, Any]) -> None:
    assert log["version"] == "2.1.0" and set(log) == KNOWN["log"]
    [run] = log["runs"]
    assert set(run) == KNOWN["run"] and run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert set(driver) == KNOWN["driver"] and driver["version"] == VERSION
    assert all(set(rule) == KNOWN["rule"] for rule in driver["rules"])
    assert [rule["id"] for rule in driver["rules"]] == ["missing-citation", "needs-citation"]
    assert run["invocations"][0]["executionSuccessful"] is True
    for result in run["results"]:
        assert set(result) <= KNOWN["result"]
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == "note"
        assert -1 <= result.get("rank", -1) <= 100
        assert not set("{}") & set(result["message"]["text"])
        check_place(result["locations"][0])


def check_place(location: dict[str, Any]) -> None:
    physical = location["physicalLocation"]
    assert set(physical) <= KNOWN["physical"]
    uri = physical["artifactLocation"]["uri"]
    assert not set(uri) & set(' "<>\\^`{|}#?\n')
    region = physical.get("region")
    if region is not None:
        assert set(region) <= KNOWN["region"]
        assert (1, 1) <= (region["startLine"], region["startColumn"])
        ends = [(region[f"{end}Line"], region[f"{end}Column"]) for end in ("start", "end")]
        assert ends == sorted(ends)


def test_messages_hold_neither_placeholders_nor_links() -> None:
    paper = replace(ITEMS[0].paper, title="On {0} and [a](http://b.org)")
    gap = Gap(Sentence("It [x](1) is {1}."), 3, None, None, (recommended(paper),))
    [result] = log_of(LocalAnswer((gap,), draft="a.md"))["runs"][0]["results"]
    assert "(0) and [a] (http" in result["message"]["text"]
    assert "](" not in result["message"]["text"]


@each_row("unit", ["page", "paragraph"])
def test_files_without_lines_have_no_region(unit: str) -> None:
    gap = Gap(Sentence("A.", span=Span(7, 1, 7, 3)), 1)
    [result] = log_of(LocalAnswer((gap,), draft="a.pdf", unit=unit))["runs"][0]["results"]
    assert result["locations"] == [
        {
            "physicalLocation": {"artifactLocation": {"uri": "a.pdf"}},
            "logicalLocations": [{"fullyQualifiedName": f"{unit} 7"}],
        }
    ]


@each_row(
    ("draft", "uri"),
    [
        ("my paper.tex", "my%20paper.tex"),
        ("a:b/100%.tex", "a%3Ab/100%25.tex"),
        ("é.tex", "%C3%A9.tex"),
        ("../paper.tex", "../paper.tex"),
        ("/elsewhere/paper.tex", "file:///elsewhere/paper.tex"),
        (str(Path.cwd() / "inside" / "paper.tex"), "inside/paper.tex"),
    ],
)
def test_addresses_are_relative_where_they_can_be(draft: str, uri: str) -> None:
    gap = Gap(Sentence("A.", span=Span(1, 1, 1, 3)), 1)
    [result] = log_of(LocalAnswer((gap,), draft=draft))["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": uri}


def test_a_fingerprint_outlives_a_moved_line() -> None:
    gap = small_answer().gaps[1]
    moved = replace(gap, sentence=replace(gap.sentence, span=Span(90, 1, 90, 24)))
    prints = [
        log_of(LocalAnswer((each,), draft="a.tex"))["runs"][0]["results"][0]["partialFingerprints"]
        for each in (gap, moved)
    ]
    assert prints[0] == prints[1]
