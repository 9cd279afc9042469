"""The page of probes: what it shows, and what is written into a folder."""

import json
import re
import sys
from pathlib import Path

import pytest

from recsys.errors import InputError, MissingExtraError
from recsys.eval.report.page import FORMATS
from recsys.eval.studies.probes.probe_results import SEEN, UNSEEN
from recsys.eval.studies.probes.report_probes import check_folder, probe_page, write_folder
from tests.eval.studies.probes.invented_probes import invented_group, invented_result


def test_the_tables_show_every_probe_and_who_beats_whom() -> None:
    text = FORMATS["table"](probe_page(invented_result(), {}))
    assert re.search(r"a +good +0\.985 ± 0\.013\^b +0\.985 ± 0\.013\n", text)
    assert re.search(r"b +poor +0\.735 ± 0\.013 +0\.735 ± 0\.013\n", text)
    # The most frequent of three equal classes: accuracy 1/3, its F1 1/2, divided by three.
    assert re.search(r"most frequent class +0\.333 +0\.167\n", text)
    # 6 differences, all of one sign: p is 2 / 2^6.
    assert re.search(r"good +poor +\+0\.250 \(.*\) +\+0\.250 \(.*\) +0\.031\n", text)
    assert re.search(r"poor +0\.800 \(0\.700-0\.900\) +0\.500 +0\.625 +4 +0\.125\n", text)
    assert re.search(r"good +0\.750 \(0\.650-0\.850\) +0\.800 \(0\.700-0\.900\)\n", text)
    assert re.search(r"chance +0\.304 +0\.500\n", text)
    assert "84 of 276 pairs share a class" in text
    assert "map of 12 papers" in " ".join(text.split())


def test_seen_and_unseen_classes_have_tables_and_maps_of_their_own() -> None:
    found = invented_result(invented_group(SEEN), invented_group(UNSEEN))
    page = probe_page(found, {})
    text = FORMATS["table"](page)
    for name in (SEEN, UNSEEN):
        assert text.count(f"24 papers of 3 {name} classes.") == 4
    assert list(found.maps()) == [
        f"map-{name}-{group}-classes" for group in (SEEN, UNSEEN) for name in ("good", "poor")
    ]
    names = [table.name for table in page.tables()]
    assert len(names) == len(set(names))


def test_every_format_is_written_and_json_has_all_figures() -> None:
    page = probe_page(invented_result(), {"seed": "7"})
    for write in FORMATS.values():
        assert "good" in write(page)
    value = json.loads(FORMATS["json"](page))
    assert value["schema"] == "recsys.probes/1"
    assert value["notes"] == ["poor has no vector of 1 of 25 papers."]
    [group] = value["groups"]
    assert (group["name"], group["papers"]) == ("all", 24)
    assert group["classes"] == {"Beetles": 8, "Clouds": 8, "Ferns": 8}
    assert group["linear"]["poor"]["accuracy"] == pytest.approx([0.75, 0.74, 0.73, 0.72])
    assert group["contrasts"][0]["p"] == pytest.approx(1 / 32)
    assert group["purity"] == {"good": {"10": 0.9}, "poor": {"10": 0.8}}
    assert group["dense"]["good"]["completeness"] == 0.625
    assert group["pairs"]["good"]["average_precision"] == 0.75
    assert group["intervals"]["poor"]["auc"] == pytest.approx([0.7, 0.9])
    assert group["intervals"]["poor"]["purity"]["10"] == pytest.approx([0.7, 0.9])


def test_the_folder_holds_page_figures_maps_and_what_was_told(tmp_path: Path) -> None:
    folder, found = tmp_path / "out", invented_result()
    check_folder(folder)
    write_folder(folder, found, probe_page(found, {}))
    maps = [f"map-{name}{end}" for name in ("good", "poor") for end in _ENDS]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*maps, "probes.html", "probes.json", "told.jsonl"]
    )
    lines = [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()]
    assert len(lines) == 24
    assert lines[1] == {
        "group": "all",
        "paper_id": "p01",
        "class": "Clouds",
        "told": {"good": ["Clouds"], "poor": ["Ferns"]},
    }


_ENDS = (".svg", "-light.png", "-dark.png")


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name, what in (("file", "is a file"), ("no/out", "no folder")):
        with pytest.raises(InputError, match=what):
            check_folder(tmp_path / name)
    group = invented_group(embeddings=("../a b", ".. a/b"))
    assert list(invented_result(group).maps()) == ["map-..-a-b", "map-..-a-b-1"]


def test_without_matplotlib_the_missing_extra_is_named_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"citerec\[report\]"):
        check_folder(tmp_path / "out")
    assert not (tmp_path / "out").exists()
