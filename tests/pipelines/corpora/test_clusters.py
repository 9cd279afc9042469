"""Works are one by what they agree in; whose given names contradict each other wrote two."""

from pathlib import Path

from recsys.pipelines.corpora.identity import Fact
from recsys.pipelines.corpora.works import NO_SPACE
from tests.pipelines.corpora.corpus_files import json_lines, read
from tests.rows import each_row

TITLE = "Slow rivers of the northern plain"


def fact(authors: str, year: int | None = 2001, title: str = TITLE) -> Fact:
    names = [name for name in authors.split("; ") if name]
    told = {"title": title, "authors": names, "year": year, "doi": None, "venue": None}
    return Fact.of(told | {"names": [], "space": NO_SPACE, "own_id": None, "sealed": False})


@each_row(
    ("one", "other", "expected"),
    [
        (fact("Jianhua Wei"), fact("Wei, Jian-Hua"), True),
        (fact("Jianhua Wei"), fact("J. Wei", 2002), True),
        (fact("Jianhua Wei"), fact("J. Wei", 2004), False),
        (fact("Jianhua Wei"), fact("", 2001), True),
        (fact("Jianhua Wei", title="Rivers"), fact("Wei", title="Rivers"), True),
        (fact("Jianhua Wei"), fact("Jinsong Wei"), False),
        (fact("Jianhua Wei"), fact("Wei, Jinsong; Elm, Bo"), False),
        (fact("Wei, Jianhua; Elm, Bo"), fact("Wei, Jinhua; Elm, B."), True),
        (fact("Winfield Oak"), fact("Winfleld Oak"), True),
        (fact("Oak, MW"), fact("Oak, WM"), True),
    ],
)
def test_works_of_one_title(one: Fact, other: Fact, expected: bool) -> None:
    assert one.may_be(other, preprints=True) is expected


def test_an_identifier_makes_one_paper_of_two_first_authors(tmp_path: Path) -> None:
    for doi, count in (("10.5555/x", 1), (None, 2)):
        files = [
            json_lines(
                tmp_path / f"{author}.jsonl",
                [{"id": author, "title": TITLE, "year": 2001, "authors": [author], "doi": doi}],
            )
            for author in ("Jianhua Wei", "Jinsong Wei")
        ]
        papers, report = read(*files, folder=tmp_path)
        assert len(papers) == count
        assert report.conflicts.get("first author", 0) == 2 - count
