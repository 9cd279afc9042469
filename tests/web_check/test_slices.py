"""A slice of every check that needs neither a browser nor another program: see `make web-check`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.built_index import Built
from tests.rows import THOROUGH
from tests.web_check.__main__ import main
from tests.web_check.agents import note_suite, run_long
from tests.web_check.attacks import PROTOCOL, SIZES, STRANGERS
from tests.web_check.findings import Report, Setting
from tests.web_check.forms import flaw_of_page, try_forms
from tests.web_check.hostile import LIMITS, attack, chosen
from tests.web_check.poison import CANARY, QUESTIONS, paths
from tests.web_check.server import Server, serving

EXAMPLES = 60 if THOROUGH else 24


@pytest.fixture(scope="module")
def server(built: Built) -> Iterator[Server]:
    """Serve the small index: one process for all slices."""
    with serving(built.index, *LIMITS) as server:
        yield server


@pytest.fixture
def setting(built: Built, tmp_path: Path) -> Setting:
    return Setting(index=built.index, out=tmp_path, share=0.01)


def test_a_slice_of_the_attacks_is_refused_and_leaves_nothing(
    server: Server, setting: Setting, tmp_path: Path
) -> None:
    canary = tmp_path / "canary.tex"
    canary.write_text(CANARY, encoding="utf-8")
    report = Report()
    kinds = (STRANGERS, PROTOCOL, QUESTIONS, paths(canary), SIZES)
    step = 1 if THOROUGH else 3  # A third, spread over each kind.
    attacks = [each for kind in kinds for each in chosen(kind, setting)[::step]]
    attack(server, attacks, report)
    assert report.findings == []
    assert report.cases == len(attacks) > 100 / step


def test_a_slice_of_the_forms_is_answered_by_whole_pages(server: Server) -> None:
    report = Report()
    try_forms(server, report, examples=EXAMPLES, seed=17)
    assert report.findings == []
    assert report.cases >= EXAMPLES
    assert server.complaints() == ""


def test_a_page_that_is_not_whole_is_noticed() -> None:
    body = "<body><main><h1>a</h1></main></body>"
    whole = f"<!doctype html><html><head><title>a</title></head>{body}</html>"
    assert flaw_of_page(whole) == ""
    assert "not whole" in flaw_of_page(whole.replace("</main>", ""))
    assert "not whole" in flaw_of_page(whole.replace("</h1>", "</h2>"))
    assert "outline" in flaw_of_page(whole.replace("<h1>a</h1>", ""))
    assert "escaped" in flaw_of_page(whole.replace("<h1>a", "<h1><img src=x onerror=y>"))
    assert "doctype" in flaw_of_page(whole.replace("<!doctype html>", ""))


def test_an_unknown_check_is_refused() -> None:
    with pytest.raises(SystemExit, match="no check 'tickle'; there are hostile, forms"):
        main(["tickle"])


def test_a_slice_of_the_calls_is_answered_and_timed(setting: Setting) -> None:
    report = Report()
    run_long(setting, report)
    assert report.counts == {"answered": 10}
    assert report.findings == []
    assert any(told.startswith("recommend_citations: p50 ") for told in report.figures)


def test_the_summary_of_the_conformance_suite_is_understood() -> None:
    report = Report()
    note_suite("\u2713 ping: 1 passed, 0 failed\n\u2717 prompts-list: 0 passed, 1 failed\n", report)
    assert report.counts == {"scenarios passed": 1, "scenarios not offered": 1}
    assert report.figures == ["passed of the suite: ping"] and not report.findings
    note_suite("nothing", report)
    assert report.findings == ["the suite passed nothing: nothing"]
