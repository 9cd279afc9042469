"""Abstracts that begin with keyphrases, of all files that are read."""

from pathlib import Path

import pytest

from recsys.pipelines.corpora.collect import Reading
from tests.pipelines.corpora.corpus_files import json_lines, read

PAPERS = (
    {"id": "a", "title": "Ringing", "abstract": "We ring.", "keyphrases": ["Bells", "ropes."]},
    {"id": "b", "title": "Roping", "keyphrases": ["ropes"], "labels": {"tags": "ignored"}},
    {"id": "c", "title": "Towers", "abstract": "They stand.", "labels": {"tags": ["tall"]}},
)


@pytest.mark.parametrize(
    ("reading", "abstracts", "count"),
    [
        (Reading(), ["We ring.", None, "They stand."], ("", 0)),
        (
            Reading(keyphrases="keyphrases"),
            ["Bells, ropes. We ring.", "ropes.", "They stand."],
            ("keyphrases", 2),
        ),
        (
            Reading(keyphrases="labels.tags"),
            ["We ring.", "ignored.", "tall. They stand."],
            ("labels.tags", 2),
        ),
        (
            Reading(keyphrases="keyphrases", titles_only=True),
            ["Bells, ropes.", "ropes.", None],
            ("keyphrases", 2),
        ),
        (
            Reading(keyphrases="labels.none"),
            ["We ring.", None, "They stand."],
            ("labels.none", 0),
        ),
    ],
)
def test_abstracts_begin_with_the_keyphrases_that_were_asked_for(
    tmp_path: Path, reading: Reading, abstracts: list[str | None], count: tuple[str, int]
) -> None:
    papers, report = read(
        json_lines(tmp_path / "papers.jsonl", PAPERS), reading=reading, folder=tmp_path
    )
    assert [papers[each]["abstract"] for each in "abc"] == abstracts
    assert (report.led_by, report.keyphrases.get(report.led_by, 0)) == count
    told = [line for line in report.loss_lines() if "preceded" in line]
    assert told == (
        [f"{count[1]} abstracts are preceded by keyphrases, from {count[0]}"] if count[0] else []
    )


@pytest.mark.parametrize(
    ("own", "labels", "told"),
    [
        (2, {}, "2 papers have keyphrases: --keyphrases keyphrases"),
        (
            1,
            {"author_keywords": ["bells"], "other": {"keyword": ["x"]}},
            "2 papers have keyphrases: --keyphrases labels.author_keywords",
        ),
        (
            0,
            {"Key words": "ropes"},
            "2 papers have keyphrases: --keyphrases 'labels.Key words'",
        ),
        (1, {}, None),
        (0, {"keywords_plus": ["bells"], "keywords": []}, None),
        (0, {"tags": ["keywords"]}, None),
    ],
)
def test_keyphrases_that_were_not_asked_for_are_told_if_many_papers_have_them(
    tmp_path: Path, own: int, labels: dict[str, object], told: str | None
) -> None:
    papers = [
        {"id": str(at), "title": f"Title {at}"}
        | ({"keyphrases": ["bells"]} if at < own else {})
        | ({"labels": labels} if at < 2 else {})
        for at in range(40)
    ]
    _, report = read(json_lines(tmp_path / "papers.jsonl", papers), folder=tmp_path)
    assert report.loss_lines() == ([f"{told} uses them"] if told else [])
