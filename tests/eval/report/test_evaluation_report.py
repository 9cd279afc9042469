"""The report: one page that needs nothing, and the same figures in every format."""

import json
import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys.errors import (
    ArtifactCorrupt,
    ArtifactMismatch,
    ArtifactMissing,
    InputError,
    MissingExtraError,
)
from recsys.eval.judge_runs import assess
from recsys.eval.report.evaluation_pictures import (
    DRAWINGS,
    INK,
    draw,
    spread,
    wilson,
    write_pictures,
)
from recsys.eval.report.evaluation_report import SCHEMA, Report, make_report, read_report
from recsys.eval.report.page import FORMATS, as_json, html, latex, markdown
from recsys.eval.run_figures import Assessment, save_assessment
from tests.eval.invented_assessment import FACTS, NASTY, QUERIES, invented
from tests.eval.page_tags import Tags, tags_of
from tests.eval.small_evaluation import write_evaluation
from tests.rows import each_row

QRELS = "q1 0 p1 1\nq1 0 p2 1\nq2 0 p1 1\n"
RUN = "q1 Q0 p1 1 2.0 t\nq1 Q0 p9 2 1.0 t\nq2 Q0 p9 1 1.0 t\n"


@pytest.fixture(scope="module")
def report() -> Report:
    return make_report(invented(), QUERIES)


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return html(report)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An evaluation that was written, but not assessed yet."""
    facts = {"schema": "recsys.evaluation/1", "systems": ["x"], "corpus": {"name": "small"}}
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x.trec").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    queries = {
        query: {
            "title": f"On {query}", "year": 2020, "venue": None, "has_abstract": True, "authors": 1,
            "gold": {paper: {"in_citations": 0, "title": paper} for paper in papers},
        }
        for query, papers in (("q1", ["p1", "p2"]), ("q2", ["p1"]))
    }  # fmt: skip
    (tmp_path / "queries.json").write_text(json.dumps(queries))
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    return tmp_path


@pytest.fixture(scope="module")
def tags(page: str) -> Tags:
    return tags_of(page)


def test_the_page_is_well_formed(tags: Tags) -> None:
    assert tags.stack == []
    assert {"html", "main", "nav", "table", "caption", "svg"} <= {tag for tag, _ in tags.opened}


def test_the_page_needs_no_network_and_no_script(tags: Tags, page: str) -> None:
    used = {tag for tag, _ in tags.opened}
    assert not used & {"script", "link", "img", "iframe", "object", "base"}
    links = [
        value
        for _, attributes in tags.opened
        for name, value in attributes.items()
        if name in ("href", "src", "xlink:href")
    ]
    assert links and all(value and value.startswith("#") for value in links)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert not any(name.startswith("on") for _, each in tags.opened for name in each)


def test_every_id_is_used_once_and_every_reference_leads_somewhere(tags: Tags, page: str) -> None:
    ids = [attributes["id"] for _, attributes in tags.opened if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', page)) <= set(ids)


def test_the_page_serves_dark_rooms_paper_and_screen_readers(tags: Tags, page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    tables = [tag for tag, _ in tags.opened if tag == "table"]
    assert len([tag for tag, _ in tags.opened if tag == "caption"]) == len(tables)
    heads = [attributes for tag, attributes in tags.opened if tag == "th"]
    assert all(attributes.get("scope") in ("col", "row") for attributes in heads)
    assert all(a.get("role") == "img" and a.get("aria-label") for t, a in tags.opened if t == "svg")


def test_titles_and_commands_are_escaped(page: str) -> None:
    assert NASTY not in page and "<b>" not in page
    assert "&lt;b&gt;R&amp;D_100%&lt;/b&gt; $x^2$" in page
    assert "--split &lt;split&gt;.json" in page


@each_row("name", ["html", "markdown"])
def test_the_report_says_how_it_was_made(name: str, report: Report) -> None:
    text = FORMATS[name](report)
    for fact in ("recsys evaluate", "c0ffee", "beef", "numpy 2.3", "seed of the runs", "1,234"):
        assert fact in text


def test_studies_slices_and_single_queries_have_their_sections(report: Report) -> None:
    names = [section.name for section in report.sections]
    assert names == [
        "systems", "significance", "depth", "calibration", "slices", "neighbours", "queries",
    ]  # fmt: skip
    text = markdown(report)
    assert "| 10 | yes | 0.250 | 3.0 |" in text
    assert "Queries on which good\\_one and bad differ most" in text
    assert "A &amp; B\\_C" in text


def test_every_picture_has_its_section() -> None:
    rows = [{"length": 1, "metadata": True, "mean rank": 1.0, "first rank": 1.0, "with any": 0.5}]
    assessment = replace(invented(), facts=FACTS | {"self_citation": rows})
    sections = make_report(assessment, QUERIES).sections
    assert {name for section in sections for name in section.pictures} == set(DRAWINGS)


def test_the_self_citation_study_sets_both_rankers_side_by_side() -> None:
    rows = [
        {"length": 1, "metadata": metadata, "mean rank": rank, "with any": 0.5}
        for metadata, rank in ((True, 1.25), (False, 1.5))
    ]
    assessment = replace(invented(), facts=FACTS | {"self_citation": rows})
    changed = make_report(assessment, QUERIES)
    assert "| 1 | 1.2 | 0.500 | 1.5 | 0.500 |" in markdown(changed)


def test_the_seed_study_sets_gains_beside_figures() -> None:
    without, given = (
        {"R@20": {"value": value, "low": value - 0.1, "high": value + 0.1}} for value in (0.4, 0.5)
    )
    gain = {"R@20": {"value": 0.1, "low": 0.05, "high": 0.15, "p": 0.0001}}
    rows = [
        {"system": "two-stage", "seeds": "0", "queries": 1200, "measures": without, "gains": {}},
        {"system": "two-stage", "seeds": "half", "queries": 1200, "measures": given, "gains": gain},
    ]
    changed = make_report(replace(invented(), facts=FACTS | {"seed_study": rows}), QUERIES)
    assert "seeds" in [section.name for section in changed.sections]
    text = markdown(changed)
    assert "| two-stage | 0 | 0.400 (0.300-0.500) |  |  |" in text
    row = "| two-stage | half | 0.500 (0.400-0.600) | +0.100 (+0.050 to +0.150) | 0.0001 |"
    assert row in text
    assert "1,200 queries" in text
    for render in FORMATS.values():
        assert render(changed)


def test_latex_has_balanced_environments_and_no_raw_title(report: Report) -> None:
    text = latex(report)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 5
    assert NASTY not in text and r"R\&D\_100\%" in text


def test_json_is_versioned_and_holds_the_whole_assessment(report: Report) -> None:
    value = json.loads(as_json(report))
    assert value["schema"] == SCHEMA == "recsys.report/1"
    assert value["titles"] == {"q1": NASTY, "q2": "On rivers"}
    assert value["systems"][1]["measures"]["MRR"]["value"] == 0.75
    assert value["systems"][1]["beats"] == {"MRR": ["bad"]}
    assert {"comparisons", "slices", "reliability", "differences", "facts"} <= set(value)


def test_a_folder_that_was_not_assessed_is_assessed(folder: Path) -> None:
    report = read_report(folder)
    assert report.title == "Citation recommendation on small"
    assert report.assessment.system("x").measures["MRR"].value == 0.5
    assert (folder / "assessment.json").is_file()
    assert read_report(folder).assessment == report.assessment
    for write in FORMATS.values():
        assert "On q1" in write(report) or write is latex


def test_a_missing_folder_names_its_neighbour(folder: Path) -> None:
    with pytest.raises(ArtifactMissing, match=f"Did you mean '{folder.name}'"):
        read_report(folder.with_name(folder.name + "x"))


def test_a_half_written_folder_is_not_reported(folder: Path) -> None:
    (folder / "facts.json").unlink()
    with pytest.raises(ArtifactMissing, match="not a finished evaluation"):
        read_report(folder)


def test_a_folder_without_runs_is_not_reported(folder: Path) -> None:
    (folder / "runs" / "x.trec").unlink()
    with pytest.raises(InputError, match="no run"):
        read_report(folder)


@pytest.mark.parametrize("text", ["{", "[]", '{"q1": 1}'])
def test_damaged_queries_are_said(text: str, folder: Path) -> None:
    read_report(folder)
    (folder / "queries.json").write_text(text)
    with pytest.raises(ArtifactCorrupt, match=r"queries\.json"):
        read_report(folder)


def test_another_schema_is_refused(folder: Path) -> None:
    save_assessment(folder, invented())
    path = folder / "assessment.json"
    path.write_text(path.read_text().replace("recsys.assessment/1", "recsys.assessment/99"))
    with pytest.raises(ArtifactMismatch, match="assessment/99"):
        read_report(folder)


# Pictures: valid SVG, the same every time, fit for light and dark pages.

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def assessment(tmp_path_factory: pytest.TempPathFactory) -> Assessment:
    return assess(write_evaluation(tmp_path_factory.mktemp("hub")), samples=30)


@pytest.fixture(scope="module")
def drawn(assessment: Assessment) -> dict[str, str]:
    return draw(assessment)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_picture_is_drawn_when_its_figures_are_there(drawn: dict[str, str]) -> None:
    assert list(drawn) == list(DRAWINGS)


@each_row("name", DRAWINGS)
def test_a_picture_takes_the_colour_of_its_page(name: str, drawn: dict[str, str]) -> None:
    svg = drawn[name]
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg" and root.attrib["role"] == "img"
    title = root.find(f"{SVG}title")
    assert title is not None and title.text == root.attrib["aria-label"]
    assert "currentColor" in svg and "prefers-color-scheme:dark" in svg
    assert INK not in svg
    # Black would vanish on a dark page, white on a light one.
    assert not re.search(r"(fill|stroke): (#000000|#ffffff|black|white)", svg)
    assert not re.search(r'(href|src)="(?!#)', svg)


def test_pictures_do_not_change_from_one_time_to_the_next(
    assessment: Assessment, drawn: dict[str, str], tmp_path: Path
) -> None:
    paths = write_pictures(tmp_path, assessment)
    assert [path.stem for path in paths] == list(drawn)
    assert {path.stem: path.read_text(encoding="utf-8").rstrip() for path in paths} == {
        name: svg.rstrip() for name, svg in drawn.items()
    }
    assert not any(re.search(r"20\d\d-\d\d-\d\d", svg) for svg in drawn.values())


def test_without_matplotlib_the_missing_extra_is_named(
    assessment: Assessment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"citerec\[report\]"):
        draw(assessment)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_labels_do_not_touch_and_keep_their_order(heights: list[float]) -> None:
    moved = spread(heights, 0.1)
    order = sorted(range(len(heights)), key=lambda place: -heights[place])
    assert all(moved[above] - moved[below] >= 0.1 - 1e-9 for above, below in pairwise(order))
    assert min(moved) >= 0
    if all(heights[above] - heights[below] >= 0.1 for above, below in pairwise(order)):
        assert moved == pytest.approx(heights, abs=1e-12)


@given(st.integers(1, 500), st.data())
def test_the_interval_of_a_share_is_that_of_scipy(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    theirs = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
