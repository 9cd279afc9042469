"""A tiny world: some forty papers, a random encoder of a few kilobytes, a split, two drafts.

Nothing here needs torch, and nothing computes in the process that forks: whoever writes a world
does it in a child.
"""

import atexit
import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from recsys.pipelines.encoders.checkpoints import read_checkpoint
from recsys.pipelines.encoders.export_encoder import (
    Precision,
    choose_settings,
    encoder_fingerprint,
    export_encoder,
)
from recsys.pipelines.index.build import BuildOptions, build
from recsys.records import Answer
from tests.pipelines.small_index import invented_papers, write_small_split
from tests.torture.children import done

SHAPE = {
    "model_type": "bert",
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
}
DRAFTS: Sequence[str] = (
    "Rivers and glaciers, measured again\n\nWe measure rivers with an instrument for glaciers.",
    "Deserts in another survey\n\nOn deserts and volcanoes, again with instrument 2.",
)
PAPERS, OTHERS, SPLIT, CACHE, ENCODER = (
    "papers.jsonl",
    "others.jsonl",
    "split.json",
    "cache",
    "tiny",
)
INDEX = "x.index"


def write_world(folder: Path) -> None:
    """Write papers, other papers, a split, and an encoder that is exported into a cache."""
    papers = invented_papers()
    write_lines(folder / PAPERS, papers)
    write_lines(folder / OTHERS, _others(papers))
    write_small_split(folder / SPLIT)
    write_encoder(folder / ENCODER, papers)
    export_into(folder / CACHE, folder / ENCODER)


def write_lines(path: Path, papers: Sequence[object]) -> None:
    """Write papers as JSON lines."""
    path.write_text("".join(json.dumps(paper) + "\n" for paper in papers), encoding="utf-8")


def build_world(folder: Path, out: Path, papers: str = PAPERS, *, force: bool = False) -> None:
    """Build an index of a world's papers with its tiny encoder."""
    options = BuildOptions(
        encoder=str(folder / ENCODER), precision="f32", vectors="annoy", force=force
    )
    build([folder / papers], out, options, cache=folder / CACHE)


def copy_small_world(shared: Path) -> None:
    """Copy a world with its index, which is built once for all tortures of a process."""
    shutil.copytree(_small_world(), shared, dirs_exist_ok=True)


@cache
def _small_world() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="torture-world-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done(partial(write_world, folder))
    done(partial(build_world, folder, folder / INDEX))
    return folder


def answers_of(index: Path, k: int = 10) -> list[list[list[Any]]]:
    """Open an index and answer the drafts: ids, scores and probabilities."""
    import recsys

    recommender = recsys.load(index)
    return [told(recommender.recommend(draft, k)) for draft in DRAFTS]


def told(answer: Answer) -> list[list[Any]]:
    """Take what must not change out of an answer."""
    return [[each.paper.id, each.score, each.probability] for each in answer.recommendations]


def write_encoder(folder: Path, papers: Sequence[dict[str, object]]) -> None:
    """Write a random BERT that knows the words of the papers."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    text = " ".join(f"{paper['title']} {paper.get('abstract', '')}" for paper in papers)
    words = sorted(set("".join(c if c.isalnum() else " " for c in text.lower()).split()))
    known = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(SHAPE | {"vocab_size": len(known)}))
    save_file(_weights(len(known)), folder / "model.safetensors")


def export_into(cache: Path, checkpoint: Path, precision: Precision = "f32") -> Path:
    """Export the tiny encoder to where a build looks for it: torch is not needed then."""
    read = read_checkpoint(str(checkpoint))
    key = encoder_fingerprint(read, choose_settings(read, None, precision))
    folder = cache / "encoders" / f"{checkpoint.name}-{precision}-{key}"
    return export_encoder(str(checkpoint), folder, precision=precision, verify=False)


def _others(papers: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Say nearly the same in another order of rows, so that a mixture is neither of the two."""
    kept = {str(paper["id"]): paper for paper in papers[:-7]}
    names = {name: hashlib.sha256(name.encode()).hexdigest()[:8] for name in kept}
    return [
        paper
        | {"id": names[name], "title": f"{paper['title']} revisited {at % 5}"}
        | {"references": [names[each] for each in kept if each in cited(paper)]}
        for at, (name, paper) in enumerate(kept.items())
    ]


def cited(paper: dict[str, object]) -> list[str]:
    references = paper.get("references", [])
    return list(references) if isinstance(references, list) else []


def _weights(words: int) -> dict[str, Any]:
    """Draw the weights of a BERT of that shape."""
    rng = np.random.default_rng(0)
    width, inner = 16, 32
    shapes = {
        "embeddings.word_embeddings.weight": (words, width),
        "embeddings.position_embeddings.weight": (64, width),
        "embeddings.token_type_embeddings.weight": (2, width),
        "embeddings.LayerNorm.weight": (width,),
        "embeddings.LayerNorm.bias": (width,),
    }
    layer = "encoder.layer.0"
    for name, rows, columns in (
        *((f"attention.self.{part}", width, width) for part in ("query", "key", "value")),
        ("attention.output.dense", width, width),
        ("intermediate.dense", inner, width),
        ("output.dense", width, inner),
    ):
        shapes |= {f"{layer}.{name}.weight": (rows, columns), f"{layer}.{name}.bias": (rows,)}
    for name in ("attention.output.LayerNorm", "output.LayerNorm"):
        shapes |= {f"{layer}.{name}.weight": (width,), f"{layer}.{name}.bias": (width,)}
    return {
        name: rng.normal(1.0 if "LayerNorm.weight" in name else 0.0, 0.2, shape).astype("f4")
        for name, shape in shapes.items()
    }
