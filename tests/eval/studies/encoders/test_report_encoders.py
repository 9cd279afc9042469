"""The page of a comparison of encoders."""

import json
import re
from pathlib import Path

import pytest

from recsys.eval.report.page import FORMATS
from recsys.eval.studies.encoders.report_encoders import (
    ACCURACY,
    RECALL,
    encoders_page,
    maps,
)
from recsys.eval.studies.probes.maps import write_with_maps
from tests.eval.studies.encoders.invented_encoders import invented_encoders


def test_the_table_has_a_row_each_and_marks_what_differs() -> None:
    text = FORMATS["table"](encoders_page(invented_encoders(), {}))
    header, *rows = text.splitlines()[2:9]
    assert re.split(r" {2,}", header) == [
        "encoder", "R@20", "F1@20", "SciDocs", "accuracy", "papers/s", "MB"
    ]  # fmt: skip
    lines = {row.split()[0]: row for row in rows[1:]}
    best, bounds = "0.550^* (0.450-0.650)", "0.900^* (0.800-1.000)"
    assert re.search(rf"best +{re.escape(best)}.* 0.900 +{re.escape(bounds)} +90.0 +1,111", text)
    assert "0.150^* (0.050-0.250)" in lines["random"] and lines["random"].split()[-2:] == [
        "10.0",
        "123",
    ]
    assert lines["minilm"].count("^") == 0
    assert lines["absent"] == "absent"
    assert "differs from minilm: paired randomisation" in " ".join(text.split())


def test_the_other_tables_tell_changes_and_reasons_and_the_best_is_marked() -> None:
    page = encoders_page(invented_encoders(), {})
    text, every = FORMATS["table"](page), FORMATS["markdown"](page)
    assert re.search(r"best +\+0\.200 \(\+0\.\d+ to \+0\.\d+\) +<0\.001\n", text)
    assert re.search(r"random +-0\.200 \(-", text)
    assert re.search(r"\| best \| \+0\.400 \(.*\) \| &lt;0\.001 \|", every)
    assert "Compared: each query's own F1@20." in every
    names = [table.name for table in page.tables()]
    assert names == ["encoders", "meanings", *(f"differences-{end}" for end in _COMPARED), "notes"]
    assert "absent" in text and "No such encoder. Name another." in text
    assert "One is missing." in text
    best = next(line for line in every.splitlines() if line.startswith("| best | **"))
    assert best.count("**") == 6 and "| 90.0 | 1,111 |" in best


_COMPARED = ("r-20", "f1-20", "accuracy")


def test_every_format_is_written_and_json_has_all_figures() -> None:
    page = encoders_page(invented_encoders(), {"seed": "7"})
    for write in FORMATS.values():
        assert "other/sample" in write(page)
    value = json.loads(FORMATS["json"](page))
    assert (value["schema"], value["reference"]) == ("recsys.encoders/1", "minilm")
    rows = {row["name"]: row for row in value["rows"]}
    assert rows["best"]["figures"][RECALL]["value"] == pytest.approx(0.55)
    assert rows["best"]["figures"]["SciDocs"] == {"value": 0.9, "low": None, "high": None}
    assert rows["best"]["differences"][ACCURACY]["p"] < 0.001
    assert rows["absent"]["failed"] == ["No such encoder. Name another."]


def test_the_folder_holds_page_figures_and_maps(tmp_path: Path) -> None:
    found = invented_encoders()
    write_with_maps(tmp_path, "encoders", encoders_page(found, {}), maps(found))
    names = [f"map-{name}" for name in ("minilm", "best", "random")]
    assert list(maps(found)) == names
    ends = (".svg", "-light.png", "-dark.png")
    expected = [*(f"{name}{end}" for name in names for end in ends), "encoders.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*expected, "encoders.json"])
    page = (tmp_path / "encoders.html").read_text(encoding="utf-8")
    assert page.count("<svg ") == 3 and "<script" not in page
