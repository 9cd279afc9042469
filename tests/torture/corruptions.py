"""Damage an index in every file and way, and ask it: the same answer, or one clear error.

A different answer counts apart when `recsys inspect --verify` finds the damage; when nothing finds
it, it is a silent wrong answer.
"""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import RecsysError
from tests.torture.children import FOREIGN, MEMORY, OK, REFUSED, Json, Outcome, done, in_child
from tests.torture.damage import (
    DAMAGES,
    SWAP,
    SWAPS,
    WRONG,
    arrays_of,
    damaged,
    files_of,
    make_strange,
    reseal,
)
from tests.torture.runner import Case, Torture, Verdict
from tests.torture.small_world import INDEX, SPLIT, answers_of, copy_small_world

ANSWERS = "answers.json"
STRANGE = "a stranger's"
STRANGERS = 0.2
"""Share of the corruptions whose manifests agree with them."""


def prepare(shared: Path, count: int) -> None:
    """Build an index with a ranker, whose forest is asked, and note its answers."""
    copy_small_world(shared)
    (shared / ANSWERS).write_text(json.dumps(done(partial(_write, shared))), encoding="utf-8")


def _write(shared: Path) -> Json:
    from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker

    index = shared / INDEX
    train_ranker(index, shared / SPLIT, TrainOptions())

    def ask_the_forest(manifest: dict[str, Any]) -> None:
        """Let the forest be asked: so few papers would be scanned."""
        ann = manifest["config"].get("ann", {})
        if "search_k" in ann:
            ann["search_k"] = 12

    reseal(index, ask_the_forest)
    return answers_of(index)


def cases(shared: Path, count: int, seed: int) -> Iterator[Case]:
    """Choose what to damage: every file as often as every other."""
    rng, index = np.random.default_rng(seed), shared / INDEX
    names, arrays = files_of(index), arrays_of(index)
    ways = [name for name, (_, often) in DAMAGES.items() for _ in range(often)] + [SWAP] * SWAPS
    strange = round(count * STRANGERS)
    for number in range(count - strange):
        case: Case = {"file": names[number % len(names)], "seed": int(rng.integers(2**31))}
        case["what"] = ways[int(rng.integers(len(ways)))]
        if case["what"] == SWAP:
            case["other"] = names[int(rng.integers(len(names)))]
        yield case
    pairs = [(name, what) for name in arrays for what in WRONG]
    for number in range(strange):
        name, what = pairs[
            int(rng.integers(len(pairs))) if strange < len(pairs) else number % len(pairs)
        ]
        yield {"file": name, "what": STRANGE, "wrong": what, "at": int(rng.integers(2**20))}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Damage a copy, ask it, let it be verified."""
    expected = json.loads((shared / ANSWERS).read_text(encoding="utf-8"))
    index = Path(shutil.copytree(shared / INDEX, own / INDEX))
    if case["what"] == STRANGE:
        if not make_strange(index, case["file"], case["wrong"], case["at"]):
            return Verdict.of(case, "same answer")
        kind, said = _judged(in_child(partial(asked, index), memory=MEMORY), expected)
        # Other numbers of the right shape make another index: what they say cannot be wrong.
        return Verdict.of(case, "a stranger's answer" if kind == "silent" else kind, said)
    with damaged(index, case) as changed:
        found = in_child(partial(asked, index), memory=MEMORY)
        kind, said = _judged(found, expected)
        if kind in ("silent", "same answer") and changed:
            verified = in_child(partial(verify, index))
            if verified.kind != REFUSED:
                said = verified.said or f"{kind}, and --verify finds nothing"
                kind = "silent" if verified.kind == OK else verified.kind
                return Verdict.of(case, kind, said)
            kind = "found by --verify only" if kind == "silent" else kind
    return Verdict.of(case, kind, said)


def _judged(found: Outcome, expected: Json) -> tuple[str, str]:
    """Name what came of asking: a kind of verdict, and what was said."""
    if found.kind == REFUSED:
        one_line = "\n" not in found.said and len(found.said) < 1_000
        return ("refused", "") if one_line else (FOREIGN, f"not one line: {found.said}")
    if found.kind != OK:
        return found.kind, found.said
    if "named" in found.value:
        return "refused after a failure", found.value["named"]
    return ("same answer" if found.value["answers"] == expected else "silent"), ""


def asked(index: Path) -> dict[str, Any]:
    """Open and answer as the command does: it verifies the index when something fails."""
    from recsys.app.cli.options import damage_named

    failed: list[Exception] = []
    try:
        with damage_named(index):
            try:
                return {"answers": json.loads(json.dumps(answers_of(index)))}
            except RecsysError:
                raise
            except Exception as error:
                failed.append(error)
                raise
    except RecsysError as error:
        if not failed:
            raise
        return {"named": f"{type(failed[0]).__name__}: {failed[0]}; then {error}"}


def verify(index: Path) -> None:
    """Check every hash, as `recsys inspect --verify` does."""
    from recsys.app.inspection import inspect_artifact

    inspect_artifact(index, hashes=True)


CORRUPTIONS = Torture(
    name="corruptions",
    meaning="every file of an index damaged, then asked",
    unit="corruptions",
    count=10_000,
    prepare=prepare,
    cases=cases,
    trial=trial,
)
