import json
from dataclasses import asdict
from pathlib import Path

from recsys.formats.papers.external_ids import paper_of
from recsys.formats.papers.paper_formats import BY_NAME, OWN
from recsys.formats.references.bibliography import work_of
from recsys.records import Paper


def test_what_identifies_a_work_becomes_an_alias() -> None:
    golden = json.loads(Path(__file__).with_name("paper_of_reference.json").read_text("utf-8"))
    paper = asdict(paper_of(work_of(golden["work"])))
    assert (
        json.loads(json.dumps({name: value for name, value in paper.items() if value}))
        == (golden["paper"])
    )


def test_our_own_papers_have_the_aliases_that_they_say() -> None:
    record = {"id": "p1", "title": "T", "doi": "10.1234/AB", "aliases": ["pmid:7", "p1", "pmid:7"]}
    paper = paper_of(BY_NAME[OWN].reference_of(record), own=True)
    assert paper == Paper("p1", "T", doi="10.1234/AB", aliases=("pmid:7",))
