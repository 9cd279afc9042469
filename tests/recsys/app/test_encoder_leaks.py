"""An encoder of one's own is not asked what it has learned, from the outside."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app.cache import cache_folder
from recsys.models.encoder import SeenQueries
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.studies.encoders.train_encoder import EncoderOptions, train_encoder
from recsys.pipelines.studies.encoders.training import Run
from recsys.pipelines.studies.encoders.triplets import Reading, Sample
from tests.pipelines.studies.encoders.small_sources import (
    LOOP,
    related_papers,
    write_related_split,
    write_tiny_bert,
)

if TYPE_CHECKING:
    from tests.conftest import RunCli

TRAIN, DEV, ASKED = 36, 24, 5
"""Queries of the invented split, and those of dev that say when to stop."""


@dataclass(frozen=True, slots=True)
class Own:
    """papers, split: files. index: built with `start`. encoder: trained from that on its citations.

    with_it: an index built with that one.
    """

    papers: Path
    split: Path
    start: Path
    index: Path
    encoder: Path
    with_it: Path


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Own:
    folder = tmp_path_factory.mktemp("own")
    names = ("papers.jsonl", "split.json", "start", "start.index", "own", "own.index")
    made = Own(*(folder / name for name in names))
    made.papers.write_text("\n".join(map(json.dumps, related_papers())), encoding="utf-8")
    write_related_split(made.split)
    start = str(write_tiny_bert(made.start))
    first = BuildOptions(encoder=start, precision="f32")
    build([made.papers], made.index, first, cache=cache_folder())
    options = EncoderOptions(start=start, loop=LOOP, device="cpu")
    reading = Reading(sample=Sample(queries=ASKED))
    train_encoder(made.index, made.split, options, made.encoder, reading, Run())
    then = replace(first, encoder=str(made.encoder))
    build([made.papers], made.with_it, then, cache=cache_folder())
    return made


@pytest.mark.parametrize(
    ("part", "systems", "said"),
    [
        ("train", "bm25", None),
        ("dev", "embedding", f"was stopped on {ASKED} of these {DEV} queries"),
        ("test", "bm25,embedding", None),
    ],
)
def test_an_encoder_is_asked_what_it_has_not_learned(
    own: Own, run_cli: "RunCli", tmp_path: Path, part: str, systems: str, said: str | None
) -> None:
    asked = ("evaluate", own.with_it, "--split", own.split, "--jobs", 1, "--part", part)
    done = run_cli(*asked, "--systems", systems, "--out", tmp_path / "x")
    assert done.code == 0 and "queries; 95 %" in done.out
    assert (said or "") in done.err
    assert ("The encoder" in done.err) == (said is not None)


def test_an_encoder_is_not_evaluated_on_what_it_has_learned(
    own: Own, run_cli: "RunCli", tmp_path: Path
) -> None:
    asked = ("evaluate", own.with_it, "--split", own.split, "--jobs", 1, "--part", "train")
    done = run_cli(*asked, "--systems", "embedding", "--out", tmp_path / "x")
    assert done.code == 1
    assert f"encoder of this index was trained on {TRAIN} of these {TRAIN} train" in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_ranker_is_told_to_trust_an_encoder_of_its_queries_too_much(
    own: Own, run_cli: "RunCli", tmp_path: Path
) -> None:
    index = Path(shutil.copytree(own.with_it, tmp_path / "own.index"))
    done = run_cli("train", "ranker", index, "--split", own.split)
    assert done.code == 0
    assert f"has learned from {TRAIN} of the {TRAIN + DEV} papers of train and dev" in done.err


def test_who_starts_from_an_encoder_has_learned_what_it_has(
    own: Own, run_cli: "RunCli", tmp_path: Path
) -> None:
    split = json.loads(own.split.read_text())
    later, out = tmp_path / "later.json", tmp_path / "more"
    later.write_text(json.dumps({"train": split["dev"], "dev": split["test"], "test": []}))
    given = ("train", "encoder", own.index, "--split", later, "--from", own.encoder, "--out", out)
    assert run_cli(*given, "--max-minutes", 0, "--device", "cpu").code == 0
    found, before = SeenQueries.load(out), SeenQueries.load(own.encoder)
    assert found is not None and before is not None
    # It was stopped before it learned more.
    assert found.train == before.train and len(before.train) == TRAIN
    assert found.dev > before.dev and len(before.dev) == ASKED


def test_an_index_of_an_encoder_that_was_trained_again_is_another(
    own: Own, run_cli: "RunCli", tmp_path: Path
) -> None:
    encoder, index = tmp_path / "own", tmp_path / "own.index"
    shutil.copytree(own.start, encoder)
    asked = ("build", own.papers, "--encoder", encoder, "--precision", "f32", "--out", index)
    assert run_cli(*asked).code == 0
    assert "is up to date" in run_cli(*asked).err
    shutil.rmtree(encoder)
    shutil.copytree(own.encoder, encoder)
    refused = run_cli(*asked)
    assert refused.code == 1 and "other papers or options" in refused.err
    assert run_cli(*asked, "--force").code == 0
    assert "is up to date" in run_cli(*asked).err
