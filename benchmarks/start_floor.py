"""What it costs to begin: a whole `recsys recommend` against the least that any such process does.

Run as `python -m benchmarks.start_floor INDEX`, it writes JSON to stdout. The floor is a
bare Python that imports numpy, tokenizers and ONNX Runtime, opens the models of the index as the
program does, and ends. Both take turns; compiled modules of Python are there, as after an
installation.
"""

import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import recsys
from recsys.errors import InputError
from recsys.models.encoder import MODEL, TOKENIZER
from recsys.pipelines.jobs.programs import recsys_program, run_program
from recsys.query.query import draft_of
from recsys.ranking.ranker import TreeRanker
from recsys.ranking.stored_trees import TREES
from recsys.recommend import Recommender
from recsys.store.blas import VARIABLES
from recsys.store.collection import Collection
from recsys.store.layout import ENCODER

ROUNDS = 9
REFERENCES = 5
"""References of the draft, at least."""
_COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
_FLOOR = """
import sys
import numpy, onnxruntime
from tokenizers import Tokenizer
model, tokenizer, trees = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.enable_cpu_mem_arena = options.enable_mem_pattern = False
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
with open(tokenizer, "rb") as file:
    Tokenizer.from_buffer(file.read())
onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
with numpy.load(trees) as stored:
    dict(stored)
"""


def measure_start(index: Path, *, rounds: int = ROUNDS) -> dict[str, Any]:
    """Run the program and the floor by turns: median CPU seconds of each, and their ratios."""
    opened = recsys.load(index)
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "draft.json"
        draft.write_text(_draft(opened.collection), encoding="utf-8")
        commands = {"floor": _floor(opened), **_programs(index, draft)}
        taken = _by_turns(commands, rounds)
    medians = {name: statistics.median(seconds) for name, seconds in taken.items()}
    ratios = {name: seconds / medians["floor"] for name, seconds in medians.items()}
    return {"cpu_seconds": medians, "ratio": ratios, "rounds": taken}


def _programs(index: Path, draft: Path) -> dict[str, list[str | Path]]:
    program = recsys_program()
    asked: list[str | Path] = [program, "recommend", draft, "--index", index, "--quiet", "-k", "20"]
    return {
        "table": asked,
        "jsonl": [*asked, "--format", "jsonl"],
        "version": [program, "--version"],
        "help": [program, "--help"],
    }


def _floor(opened: Recommender) -> list[str | Path]:
    encoder, ranker = opened.collection.folder / ENCODER, opened.ranker
    if not isinstance(ranker, TreeRanker) or ranker.folder is None:
        raise InputError("This index answers by no stored ranker.", "Measure another.")
    files = (encoder / MODEL, encoder / TOKENIZER, ranker.folder / TREES)
    return [sys.executable, "-c", _FLOOR, *files]


def _by_turns(commands: Mapping[str, Sequence[str | Path]], rounds: int) -> dict[str, list[float]]:
    """Run each command once for each round, and once before them; return its CPU seconds."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    # As the program has it: products on one thread, which costs less.
    env = _COMPILED | dict.fromkeys(VARIABLES, "1")
    for turn in range(rounds + 1):
        for name, command in commands.items():
            cost = run_program(command, env=env)
            if turn:
                taken[name].append(cost.cpu_seconds)
    return taken


def _draft(collection: Collection) -> str:
    """Write the newest paper that cites enough as a draft."""
    cites = collection.graph.cites
    counts = [len(cites[row]) for row in range(len(collection.corpus))]
    row = max(row for row, count in enumerate(counts) if count >= min(REFERENCES, max(counts)))
    paper = collection.corpus.full_papers([row])[0]
    draft = {name: value for name, value in asdict(draft_of(paper)).items() if value}
    return json.dumps({("id" if name == "paper_id" else name): draft[name] for name in draft})


if __name__ == "__main__":
    json.dump(measure_start(Path(sys.argv[1])), sys.stdout)
