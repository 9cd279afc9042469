"""Programs: what they cost, what they say, what is missing to run them, and what they are asked."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import recsys
from benchmarks.bench import INTERRUPTED, Bench, chosen, program, recsys_program, run_program
from benchmarks.peer import open_peer
from recsys.errors import DraftError, InputError, RecsysError
from recsys.records import Draft
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

BUSY = "import os, time\nwhile time.process_time() < 0.2: pass\nprint(os.environ['WORD'])"


def test_a_program_costs_what_it_uses_alone() -> None:
    ballast = bytearray(300 << 20)
    cost = run_program([sys.executable, "-S", "-c", BUSY], env={"WORD": "done"})
    assert cost.out == "done\n"
    assert 0.2 <= cost.cpu_seconds < 5 and cost.seconds > 0.1
    assert 1 < cost.peak_mib < 100 < len(ballast) >> 20
    assert run_program([sys.executable, "-S", "-c", "bytearray(200 << 20)"]).peak_mib > 200


def test_what_cannot_be_run_or_measured_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RecsysError, match="ended with exit code 3"):
        run_program([sys.executable, "-c", "raise SystemExit(3)"])
    assert recsys_program() == Path(sys.executable).with_name("recsys")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(RecsysError, match="no program recsys in"):
        recsys_program()
    monkeypatch.delattr(os, "wait4")
    with pytest.raises(RecsysError, match="no wait4") as caught:
        run_program([sys.executable, "-c", ""])
    assert caught.value.hint == "Measure on Linux or macOS."


def test_names_are_read_with_commas_and_unknown_ones_are_told_their_neighbour(
    tmp_path: Path,
) -> None:
    assert chosen("build, vis", ("vis", "build")) == ["build", "vis"]
    with pytest.raises(InputError, match=r"no choice 'viss'\. Did you mean 'vis'\?"):
        chosen("viss", ("vis", "build"))
    (tmp_path / "vis").mkdir()
    with pytest.raises(InputError, match="Did you mean 'vis'"):
        Bench(tmp_path, tmp_path / "work").papers("viss")


@each_row(
    ("error", "code", "told"),
    [
        (DraftError("It is empty.", "Write it."), 1, "error: It is empty. Write it.\n"),
        (FileExistsError(17, "File exists", "/a"), 1, "error: File exists: /a\n"),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted\n"),
    ],
)
def test_an_error_is_one_line_and_a_code(
    error: BaseException, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(number: int) -> None:
        raise error

    assert program("benchmarks.x", fail)(["7"]) == code
    assert capsys.readouterr().err == told


@pytest.mark.slow  # It opens another program's encoder.
def test_the_peer_gives_nearly_the_same_answer(built: "Built") -> None:
    ours, peer = recsys.load(built.index), open_peer(built.index)
    draft = Draft("Glaciers and what they carry", "We measure how fast ice moves in valleys.")
    vectors = [each.encoder.encode([(draft.title, draft.abstract)])[0] for each in (ours, peer)]
    assert vectors[0] @ vectors[1] > 0.98, "one is rounded to 8 bits"
    features = np.random.default_rng(0).random((9, len(ours.ranker.feature_names)), np.float32)
    np.testing.assert_allclose(ours.ranker.score(features), peer.ranker.score(features), atol=1e-4)
    answers = [each.recommend(draft, 10).recommendations for each in (ours, peer)]
    one, other = ({item.paper.id for item in each} for each in answers)
    assert len(one & other) >= 8
