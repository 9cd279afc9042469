import json

from recsys.formats.answers import FORMATS, paper_lines, render, text_row
from recsys.formats.references.shown_facts import bare_doi, paper_link
from recsys.records import Answer, Paper, Recommendation
from tests.rows import each_row


@each_row(
    ("name", "doi"),
    [
        ("10.1109/TVCG.2011.185", "10.1109/TVCG.2011.185"),
        ("https://doi.org/10.1000/ABC", "10.1000/ABC"),
        ("doi:10.1000/182", "10.1000/182"),
        ("10.1002/(SICI)1096(1999)1:2<1::AID-A1>3.0.CO;2-1",) * 2,
        ("W123", None),
        ("10.1000", None),
        ("10.1000/a b", None),
        ("10.1000/x.", None),
        ("see 10.1000/x", None),
        ("pmid:10", None),
        ("", None),
    ],
)
def test_an_id_or_alias_that_is_a_doi_is_the_doi(name: str, doi: str | None) -> None:
    assert bare_doi(Paper(name, "Ice")) == doi
    assert bare_doi(Paper("x", "Ice", aliases=("arxiv:1", name))) == doi


@each_row("name", FORMATS)
@each_row("paper", [Paper("10.1000/Ice", "Ice"), Paper("W1", "Ice", aliases=("10.1000/Ice",))])
def test_every_format_has_the_doi(name: str, paper: Paper) -> None:
    item = Recommendation(1, paper, 1.0, 0.5, ("ann",), ())
    text = render(Answer((item,), "title", {}), name)
    if name == "table":  # What people read has it with -v alone.
        text = text_row(item, *paper_lines(item, verbose=True))
    assert "10.1000/Ice" in text.replace("%2F", "/")
    if name == "json":
        (record,) = json.loads(text)["recommendations"]
        assert record["doi"] == "10.1000/Ice"
        assert record["url"] == "https://doi.org/10.1000/Ice" == paper_link(paper)
