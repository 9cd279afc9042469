"""Reports about clicks: every format has the figures, pages need nothing else."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.measures import Interval
from recsys.eval.report.page import FORMATS, Page
from recsys.eval.studies.clicks import pages as study_pages
from recsys.eval.studies.clicks.click_evaluation import ClickEvaluation, evaluate_runs
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.click_pictures import (
    Dot,
    bands,
    calibration,
    dots,
    propensity_curves,
)
from recsys.eval.studies.clicks.estimators import Options
from recsys.eval.studies.clicks.pages import (
    ONLY_CLICKED,
    evaluation_page,
    propensity_page,
)
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.simulation import CLICK_MODELS, simulate
from recsys.eval.studies.clicks.studies import (
    CoverageRow,
    Gain,
    Learned,
    LearningStudy,
    Recovered,
    System,
)
from recsys.eval.trec import Run
from tests.eval.page_tags import tags_of
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row

NASTY = "<b>R&D</b> $x$ 100 %"
FACTS = {"command": f"recsys study clicks-evaluate '{NASTY}'", "seed": "0"}
WORLD = invented_world(20, 5, np.random.default_rng(1))
TRUTH = np.array([1, 0.5, 0.4, 0.3, 0.2])
KNOWN = Propensities("swap experiment", TRUTH, 0.9 * TRUTH, 1.1 * TRUTH, 400)


@pytest.fixture(scope="module")
def log() -> ClickLog:
    return simulate(WORLD, CLICK_MODELS["position"](5, 1.0), 400, rng=np.random.default_rng(2))


@pytest.fixture(scope="module")
def evaluation(log: ClickLog) -> ClickEvaluation:
    run: Run = {
        query: {WORLD.papers[paper]: float(chance) for paper, chance in zip(*row, strict=True)}
        for query, *row in zip(WORLD.queries, WORLD.pool, WORLD.relevance, strict=True)
    }
    runs = {NASTY: run, "short": {"q1": dict.fromkeys(run["q1"], 7.0)}}
    options, rng = Options(samples=20), np.random.default_rng(3)
    return evaluate_runs(log, KNOWN, runs, rng=rng, options=options)


@pytest.fixture(scope="module")
def page(evaluation: ClickEvaluation) -> Page:
    return evaluation_page(evaluation, FACTS)


def recovered(model: str, factor: float) -> Recovered:
    values = TRUTH * factor
    found = Propensities("swap experiment", values, values * 0.9, values * 1.1, 1000)
    return Recovered(model, "swap", TRUTH, found)


def row(function: str, estimator: str, measure: str, values: tuple[float, ...]) -> CoverageRow:
    intervals = tuple(Interval(value, value - 0.1, value + 0.1) for value in values)
    return CoverageRow(function, estimator, measure, 0.5, intervals)


def learning() -> LearningStudy:
    weighted, naive = System("LightGBM", "true propensities", 1.0), System("LightGBM", "none", 1.0)
    systems = (System("display order"), System("LightGBM", "relevance itself"), weighted, naive)
    return LearningStudy(
        2010, {"train": 6, "validation": 2, "test": 4}, 100, 50,
        tuple(Learned(each, Interval(0.6, 0.55, 0.65), (0.59, 0.61)) for each in systems),
        (Gain(weighted, Interval(0.04, 0.02, 0.06), (0.05, -0.01), 0.0002, 0.75, 0.25),),
    )  # fmt: skip


def assert_whole(page: str) -> None:
    tags = tags_of(page)
    assert tags.stack == []
    ids = [attributes["id"] for _, attributes in tags.opened if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', page)) <= set(ids)
    assert not {"script", "link", "img"} & {tag for tag, _ in tags.opened}


@each_row("name", FORMATS)
def test_every_format_has_every_system_and_its_figures(name: str, page: Page) -> None:
    text = FORMATS[name](page)
    assert "display order" in text and "short" in text
    figure = page.figures["systems"]["short"]["figures"]["SNIPS"]["nDCG"]["value"]
    assert (f"{figure:.3f}" if name != "json" else f"{figure}") in text
    assert (NASTY in text) is (name in ("table", "json"))


def test_a_page_is_whole_and_shows_all_pictures(page: Page) -> None:
    text = FORMATS["html"](page)
    assert_whole(text)
    wanted = {name for section in page.sections for name in section.pictures}
    assert set(page.draw()) == wanted
    assert text.count("<figure>") == len(wanted) == 5
    assert "recsys study clicks-evaluate" in text and "<b>" not in text


def test_programs_get_the_whole_evaluation_and_estimators_stand_below_one_another(
    page: Page,
) -> None:
    value = json.loads(FORMATS["json"](page))
    assert value["schema"] == "recsys.click-evaluation/1"
    assert value["propensities"] == TRUTH.tolist()
    assert {"systems", "differences", "curves", "calibration", "notes"} <= set(value)
    assert value["systems"]["short"]["clicks"] == value["systems"]["display order"]["clicks"]
    text = FORMATS["markdown"](page)
    estimators = ["naive", "SNIPS", "clipped SNIPS", "IPS", "clipped IPS", "doubly robust"]
    places = [text.index(f"| display order | {name} |") for name in estimators]
    assert places == sorted(places)


def test_an_estimate_stands_beside_the_truth(log: ClickLog) -> None:
    truth = Propensities("truth", 2 * TRUTH * np.array([1, 0.8, 1, 1, 1]))
    page = propensity_page(KNOWN, log, FACTS, truth=truth)
    assert "| 2 | 0.500 (0.450-0.550) | 2.00 | 0.400 | +25.0 % |" in FORMATS["markdown"](page)
    assert "The largest relative error is 25.0 %." in FORMATS["markdown"](page)
    second = json.loads(FORMATS["json"](page))["positions"][1]
    assert second == pytest.approx(
        {"position": 2, "propensity": 0.5, "low": 0.45, "high": 0.55, "truth": 0.4}
    )
    for write in FORMATS.values():
        assert "0.5" in write(page)
    assert_whole(FORMATS["html"](page))


def test_an_estimate_may_lack_intervals_and_truth_and_a_log_of_clicked_lists_is_warned_of(
    log: ClickLog,
) -> None:
    page = propensity_page(Propensities("em", TRUTH), log, {})
    assert "| 5 | 0.200 | 5.00 |" in FORMATS["markdown"](page)
    assert ONLY_CLICKED not in FORMATS["markdown"](page)
    assert "truth" not in json.loads(FORMATS["json"](page))["positions"][0]
    clicked = propensity_page(KNOWN, log.take(np.flatnonzero(log.clicked.any(1))), {})
    assert ONLY_CLICKED in FORMATS["markdown"](clicked)
    assert json.loads(FORMATS["json"](clicked))["notes"] == [ONLY_CLICKED]
    with pytest.raises(InputError, match="Position 4 is not one of the 3"):
        propensity_page(KNOWN, log, {}, truth=Propensities("truth", TRUTH[:3]))


def test_coverage_shows_bias_error_and_share() -> None:
    rows = [
        row("shown", "naive", "P@1", (0.8, 0.9)),
        row("shown", "SNIPS", "nDCG", (0.45, 0.55)),
        row("shown", "naive", "nDCG", (0.55, 0.75)),
    ]
    section = study_pages.coverage_section(rows, 5)
    assert "none is above 5" in section.text
    assert [table.name for table in section.tables] == ["coverage-ndcg", "coverage-p-1"]
    lines = [[cell.text for cell in line] for line in section.tables[0].rows]
    assert lines[0] == ["shown", "SNIPS", "0.500", "+0.0000", "0.0500", "0.2000", "100.0 %"]
    assert lines[1] == ["shown", "naive", "0.500", "+0.1500", "0.1803", "0.2000", "50.0 %"]
    assert set(study_pages.coverage_pictures(rows)) == set(section.pictures)
    figures = study_pages.coverage_figures(rows)
    assert figures[2]["bias"] == pytest.approx(0.15) and figures[2]["logs"] == 2


def test_learning_shows_gains_and_every_seed() -> None:
    section = study_pages.learning_section(learning())
    gain, systems = section.tables
    assert [cell.text for cell in gain.rows[0]] == [
        "1", "LightGBM", "true propensities", "+0.040", "<0.001", "75 %", "25 %", "1 of 2",
    ]  # fmt: skip
    assert [cell.text for cell in systems.rows[0]] == [
        "",
        "display order",
        "",
        "0.600",
        "0.590 0.610",
    ]
    drawn = study_pages.learning_pictures(learning())
    assert tuple(drawn) == section.pictures == ("learning-eta-1",)


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_pictures_name_what_they_show_and_take_the_colour_of_the_page(
    evaluation: ClickEvaluation,
) -> None:
    rows = [
        Dot("first", "naive", Interval(0.2, 0.1, 0.3)),
        Dot("second", "SNIPS", Interval(0.4, 0.35, 0.45), (0.3, 0.5)),
    ]
    curve = evaluation.curves["short"]
    drawn = {
        propensity_curves([KNOWN, Propensities("em", TRUTH)], TRUTH): {"em", "truth"},
        dots("Dots", rows, xlabel="x", reference=0.3, series=["later"]): {
            *("first", "second", "naive", "SNIPS", "later"),
        },
        bands("Bands", {"short": (curve.at, curve.recall)}, xlabel="k", ylabel="recall@k"): {
            *("short", "k", "recall@k"),
        },
        calibration({"left out": (), NASTY: evaluation.calibration[NASTY]}): {NASTY},
    }
    for svg, names in drawn.items():
        assert names <= set(texts(svg))
        assert "currentColor" in svg and "#010203" not in svg
        assert not re.search(r"(fill|stroke): (#000000|#ffffff|black|white)", svg)
    assert "left out" not in texts(list(drawn)[-1])
