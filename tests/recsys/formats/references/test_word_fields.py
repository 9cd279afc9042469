import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.references.word_works import MOST_WORKS, cited_works
from recsys.records import Reference
from tests.rows import each_row

WORK = {"id": "a", "type": "book", "title": "On rivers", "author": [{"literal": "Ada"}]}


def citation(*works: object) -> str:
    items = [{"id": number, "itemData": work} for number, work in enumerate(works)]
    return "ADDIN ZOTERO_ITEM CSL_CITATION " + json.dumps({"citationItems": items}) + " trailing"


def test_a_work_that_is_cited_twice_is_one() -> None:
    other = {**WORK, "title": "On ice", "issued": {"date-parts": [[2001]]}}
    found = cited_works([citation(WORK, other), citation(WORK), "PAGE \\* MERGEFORMAT"])
    assert [(work.title, work.year, work.authors) for work in found] == [
        ("On rivers", None, ("Ada",)),
        ("On ice", 2001, ("Ada",)),
    ]


def test_endnote_tells_all_that_its_record_holds() -> None:
    def record(number: int) -> str:
        return (
            f"<record><rec-number>{number}</rec-number><contributors><authors><author>Lee, Ada"
            "</author><author>Ray, Bo</author></authors></contributors><titles><title>"
            f"<style>On rivers {number} &amp; ice</style></title><secondary-title>Water"
            "</secondary-title></titles><dates><year>2001</year></dates>"
            "<electronic-resource-num>10.1000/R1</electronic-resource-num></record>"
        )

    text = f"<EndNote><Cite>{record(1)}</Cite><Cite>{record(2)}</Cite></EndNote>"
    first, second = cited_works([f" ADDIN EN.CITE {text}"])
    assert first == Reference(
        key="1",
        title="On rivers 1 & ice",
        authors=("Ada Lee", "Bo Ray"),
        year=2001,
        venue="Water",
        doi="10.1000/r1",
        kind="document",
    )
    assert second.title == "On rivers 2 & ice"
    assert cited_works([base64.b64encode(text.encode()).decode()]) == (first, second)


@each_row(
    "field",
    [
        "",
        "CSL_CITATION",
        "CSL_CITATION {",
        "CSL_CITATION []",
        "CSL_CITATION " + "[" * 100_000,
        'CSL_CITATION {"a":' * 50_000,
        'CSL_CITATION {"citationItems": 3}',
        'CSL_CITATION {"citationItems": [3, {"itemData": []}, {"itemData": {"title": 3}}]}',
        "MENDELEY_CITATION_v3_",
        "MENDELEY_CITATION_v3_!!!",
        "<EndNote>" * 400_000,
        "<EndNote><record>" + "<a>" * 100_000 + "</EndNote>",
        '<!DOCTYPE x [<!ENTITY a "b">]><EndNote>&a;</EndNote>',
        "<EndNote><!DOCTYPE a><record/></EndNote>",
        "A" * 4_000_000,
    ],
)
def test_a_field_of_any_other_kind_holds_no_work(field: str) -> None:
    assert cited_works([field]) == ()


def test_works_beyond_all_measure_are_not_kept() -> None:
    works = [{**WORK, "title": f"Work {number}"} for number in range(MOST_WORKS + 10)]
    assert len(cited_works([citation(*works)])) == MOST_WORKS


@given(st.lists(st.text()), st.text())
def test_whatever_a_field_holds_is_read_or_passed_over(fields: list[str], inner: str) -> None:
    more = [f"CSL_CITATION {inner}", f"<EndNote>{inner}</EndNote>", f"MENDELEY_CITATION_v3_{inner}"]
    assert isinstance(cited_works([*fields, *more]), tuple)
