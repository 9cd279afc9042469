"""What the two stages' chances are worth for sentences is fitted, and stored with what ships."""

import gzip
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import benchmarks.sentence_chances as program
from benchmarks.bench import SPLIT, Bench
from benchmarks.sentence_chances import main
from benchmarks.sentences import SENTENCES
from benchmarks.shipped_local_ranker import SHIPPED
from recsys.app.wiring import data_folder
from recsys.local.local_recommender import LOCAL_RANKER, load_local_ranker
from recsys.local.sentence_gate import SENTENCE_EVIDENCE
from recsys.ranking.ranker import SCHEMA
from recsys.store.artifacts import load_manifest, ranker_folder, verify
from tests.benches import built_already, write_corpora

if TYPE_CHECKING:
    from tests.built_index import Built

NAMES = ("small", "twin")
ARTICLES = {"dev": ("rivers-05", "deserts-06"), "test": ("rivers-07", "deserts-08")}


def write_sentences(folder: Path) -> None:
    """Each article cites what its topic brought in the year before, by a number."""
    articles = []
    for citing in (paper for part in ARTICLES.values() for paper in part):
        topic, age = citing.split("-")
        cited, text = f"{topic}-{int(age) - 1:02}", f"The {topic} were measured with instruments."
        mark = [len(text), len(text) + 1, cited]
        articles.append({"citing": citing, "sentences": [["", 1, f"{text}1", [cited], [mark]]]})
    with gzip.open(folder / SENTENCES, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(article) + "\n" for article in articles)
    (folder / SPLIT).write_text(json.dumps(ARTICLES))


def test_weights_are_fitted_and_how_far_others_are_off_is_told(
    built: "Built",
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_corpora(built, tmp_path, *NAMES)
    for name in NAMES:
        write_sentences(tmp_path / name)
    shutil.copytree(ranker_folder(data_folder(), metadata=True), tmp_path / "left-out" / "ranker")
    shutil.move(tmp_path / "left-out" / "ranker", tmp_path / "left-out" / "all-ranker")
    monkeypatch.setattr(program, "CORPORA", dict.fromkeys(NAMES, "all"))
    monkeypatch.setattr(Bench, "built", built_already)
    out = tmp_path / "local"
    shutil.copytree(SHIPPED, out)
    before = load_local_ranker(out)
    arguments = ["--data", str(tmp_path), "--work", str(tmp_path), "--out", str(out)]
    assert main([*arguments, "--most", "2"]) == 0
    told = capsys.readouterr().err
    assert told.count(" was asked.") == 2 and told.count(" off by ") == 2 * 12
    assert "twin, references, masked, no links: shown " in told
    verify(out, load_manifest(out, LOCAL_RANKER, SCHEMA))
    after = load_local_ranker(out)
    assert after.transfer is not None and after.feature_names == before.feature_names
    assert set(after.transfer.evidence) == set(SENTENCE_EVIDENCE)
