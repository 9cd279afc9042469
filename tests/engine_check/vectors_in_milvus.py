"""Search by Milvus as people meet it: commands as processes, in files and on a server."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from recsys.indexes.milvus.milvus_places import TOKEN, URI
from tests.built_index import ROOT
from tests.indexes.milvus.lite_server import lite_server
from tests.indexes.small_indexes import random_vectors

PAPERS = 2000
"""So many that the engine is asked for the 200 nearest, and not all are compared."""
READERS = 3


def check_vectors_in_milvus_files(work: Path) -> str:
    """Build, ask by several processes at once, update, ask again."""
    answers = _asked_around_an_update(work, {})
    return f"{READERS} processes at once read files: {answers} papers each, as an exact search does"


def check_vectors_on_a_milvus_server(work: Path) -> str:
    """Do the same on a server, while a copy of the index from before goes on answering."""
    with lite_server(work) as address:
        answers = _asked_around_an_update(work, {URI: address, TOKEN: "root:secret"})
        held = (work / "searched.index").rglob("*")
        assert not any(b"secret" in path.read_bytes() for path in held if path.is_file())
    gone = _run(work, {URI: address}, *_question(work, "searched.index"))
    assert gone.returncode == 1 and "does not answer" in gone.stderr, gone.stderr
    return f"{READERS} processes at once read a server: {answers} papers each; then it went"


def _asked_around_an_update(work: Path, env: dict[str, str]) -> int:
    """Compare with an exact search before and after an update; count the papers of an answer."""
    _write(work)
    made = ("--embeddings", "vectors.npy", "--quiet")
    for backend, index in (("exact", "exact.index"), ("milvus", "searched.index")):
        build = ("build", "papers.jsonl", *made, "--vectors", backend, "--out", index)
        _well(work, env, *build)
    before = _compared(work, env)
    _well(work, env, "update", "exact.index", "--remove", "gone.txt", "--quiet")
    subprocess.run(["cp", "-r", "searched.index", "copy.index"], cwd=work, check=True)
    _well(work, env, "update", "searched.index", "--remove", "gone.txt", "--quiet")
    _well(work, env, "inspect", "searched.index", "--verify")
    assert _compared(work, env) != before
    assert _well(work, env, *_question(work, "copy.index")) == before
    return len(json.loads(before)["recommendations"])


def _compared(work: Path, env: dict[str, str]) -> str:
    """Ask by several processes at once; return the answer, which is that of the exact search."""
    readers = [_started(work, env, *_question(work, "searched.index")) for _ in range(READERS)]
    exact = _well(work, env, *_question(work, "exact.index"))
    for reader in readers:
        out, err = reader.communicate()
        assert reader.returncode == 0, err
        assert _papers(out) == _papers(exact)
    return out


def _papers(answer: str) -> list[tuple[str, float]]:
    told = json.loads(answer)["recommendations"]
    return [(each["id"], round(each["score"], 4)) for each in told]


def _question(work: Path, index: str) -> tuple[str, ...]:
    draft = str(ROOT / "examples" / "draft.json")
    return ("recommend", draft, "--index", str(work / index), "--format", "json", "--quiet")


def _write(work: Path) -> None:
    """Write papers and vectors; some are to go."""
    rng, ids = np.random.default_rng(0), [f"p{at:04}" for at in range(PAPERS)]
    papers = (
        {
            "id": name,
            "title": f"On {rng.integers(99)} graphs",
            "year": int(rng.integers(1990, 2020)),
            "references": [ids[each] for each in rng.integers(0, PAPERS, 5)],
        }
        for name in ids
    )
    (work / "papers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in papers))
    np.save(work / "vectors.npy", random_vectors(PAPERS, dim=384))
    (work / "vectors.ids.txt").write_text("".join(f"{name}\n" for name in ids))
    (work / "gone.txt").write_text("".join(f"{name}\n" for name in ids[::40]))


def _started(work: Path, env: dict[str, str], *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.run_recsys", *words],
        cwd=work,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(work: Path, env: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    process = _started(work, env, *words)
    out, err = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def _well(work: Path, env: dict[str, str], *words: str) -> str:
    done = _run(work, env, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout
