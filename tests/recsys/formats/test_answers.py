import json
from dataclasses import replace

import pytest

from recsys.formats.answers import FORMATS, percent, render
from recsys.records import Answer
from tests.rows import each_row


def test_the_table_is_aligned_text(answer: Answer) -> None:
    assert render(answer, "table") == (
        "  1   93 %  SPECTER: Document-level Representation Learning using Citation-informed"
        " Transformers\n"
        "            Arman Cohan, Sergey Feldman, Iz Beltagy et al. | 2020 | ACL | specter |"
        " https://doi.org/10.18653/v1/2020.acl-main.207 | found by similar text, shared words\n"
        "            - cited by 4 of your 12 nearest papers\n"
        "            - shares the terms citation graph, triplet loss\n"
        "  2  0.4 %  On nothing in particular\n"
        "            x1 | found by shared words\n"
    )


def test_json_is_one_versioned_object(answer: Answer) -> None:
    value = json.loads(render(answer, "json"))
    assert value["schema"] == "recsys.answer/1"
    assert value["understood"] == answer.understood
    assert value["stages"] == {"corpus": 400, "candidates": 2}
    assert [item["rank"] for item in value["recommendations"]] == [1, 2]


def test_json_lines_have_stable_keys_one_paper_per_line(answer: Answer) -> None:
    first, second = map(json.loads, render(answer, "jsonl").splitlines())
    assert first == {
        "schema": "recsys.recommendation/1",
        "draft": None,
        "rank": 1,
        "id": "specter",
        "title": answer.recommendations[0].paper.title,
        "authors": list(answer.recommendations[0].paper.authors),
        "year": 2020,
        "venue": "ACL",
        "doi": "10.18653/v1/2020.acl-main.207",
        "url": "https://doi.org/10.18653/v1/2020.acl-main.207",
        "probability": 0.934,
        "score": 2.5,
        "sources": ["ann", "bm25"],
        "reasons": [
            {"kind": "votes", "text": "cited by 4 of your 12 nearest papers"},
            {"kind": "terms", "text": "shares the terms citation graph, triplet loss"},
        ],
    }
    assert list(second) == list(first)
    assert second["year"] is None


def test_bibtex_has_an_entry_per_paper(answer: Answer) -> None:
    assert render(answer, "bibtex").count("\n@") + 1 == 2


def test_markdown_lists_reasons_below_each_paper(answer: Answer) -> None:
    lines = render(answer, "markdown").splitlines()
    assert lines[:2] == ["# Recommended papers", ""]
    assert lines[2].startswith("1. Arman Cohan") and lines[2].endswith("*ACL*. **93 %**")
    assert lines[3] == "    - cited by 4 of your 12 nearest papers"
    assert lines[5] == "    - found by similar text, shared words"
    assert lines[6].startswith("2. Unknown authors (n.d.). On nothing in particular. **0.")


def test_pages_have_the_title_of_the_draft_and_no_mark_up_of_its_own(answer: Answer) -> None:
    titled = replace(answer, title="Of *bees* & <b>nests</b>")
    first = render(titled, "markdown").splitlines()[0]
    assert first == "# Recommended papers for \u201cOf \\*bees\\* & \\<b\\>nests\\</b\\>\u201d"
    page = render(titled, "html")
    heading = "Recommended papers for \u201cOf *bees* &amp; &lt;b&gt;nests&lt;/b&gt;\u201d"
    assert f"<h1>{heading}</h1>" in page and f"<title>{heading}</title>" in page


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_lets_a_title_steer_the_terminal(answer: Answer, name: str) -> None:
    first = answer.recommendations[0]
    paper = replace(first.paper, title="evil \x1b[2J title", venue="\x9b1A", id="a\x07b\nc")
    hostile = replace(answer, recommendations=(replace(first, paper=paper),))
    printed = render(hostile, name)
    assert not set(printed) & {"\x1b", "\x9b", "\x07"}


@each_row(
    ("probability", "shown"),
    [
        (0, "0 %"),
        (0.0005, "<0.1 %"),
        (0.001, "0.1 %"),
        (0.01, "1.0 %"),
        (0.0744, "7.4 %"),
        (0.0996, "10 %"),
        (0.1, "10 %"),
        (0.5, "50 %"),
        (0.994, ">99 %"),
        (1, "100 %"),
    ],
)
def test_a_chance_is_never_rounded_to_certainty(probability: float, shown: str) -> None:
    assert percent(probability) == shown
