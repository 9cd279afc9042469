"""Texts as tokens: split once, computed in batches of nearly equal length."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import Tensor

from recsys.models.encoder import TOKENIZER, Text, load_tokenizer, segments
from recsys.pipelines.encoders.checkpoints import Checkpoint
from recsys.pipelines.encoders.export_encoder import Settings
from recsys.progress import Progress, silent
from recsys.store.arrays import Longs, Ragged, Rows, slices

_SHARD = 2048


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts of nearly equal length. ids: (b, s) int64. mask: (b, s), 1 for tokens, 0 for padding.

    mask is None where nothing is padded.
    """

    ids: Tensor
    mask: Tensor | None


def tokenise(
    texts: Sequence[Text],
    checkpoint: Checkpoint,
    settings: Settings,
    *,
    progress: Progress = silent,
) -> Ragged:
    """Split texts as the exported encoder does: row -> token ids, special ones included."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / TOKENIZER
        path.write_text(checkpoint.tokenizer, encoding="utf-8")
        tokenizer = load_tokenizer(path, settings.max_length)
    lengths, parts = [], []
    for begin in range(0, len(texts), _SHARD):
        progress("split texts", begin, len(texts))
        some = (
            segments(text, settings.joiner, settings.max_length)
            for text in texts[begin : begin + _SHARD]
        )
        inputs = [each if len(each) > 1 else each[0] for each in some]
        ids = [encoding.ids for encoding in tokenizer.encode_batch_fast(inputs)]
        lengths += [len(each) for each in ids]
        parts.append(np.fromiter(chain.from_iterable(ids), np.int32))
    progress("split texts", len(texts), len(texts))
    starts = np.cumsum([0, *lengths], dtype=np.int64)
    return Ragged(starts, np.concatenate([np.empty(0, np.int32), *parts]))


def batches(
    tokens: Ragged, rows: Rows, *, budget: int, pad: int, device: str
) -> tuple[list[Batch], Longs]:
    """Put texts into batches, longest first, and say where each one is: (batches, (len(rows),)).

    Args:
        tokens: row -> token ids.
        rows: which texts; the result's i-th number is the place of `rows[i]` among all batches'.
        budget: tokens of a batch at most, padding included; one text at least.
        pad: what is padded with.
        device: where the tensors are put.
    """
    lengths = tokens.lengths(rows)
    order = np.argsort(-lengths, kind="stable")
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows))
    made, begin = [], 0
    while begin < len(rows):
        longest = max(int(lengths[order[begin]]), 1)
        some = order[begin : begin + max(budget // longest, 1)]
        made.append(_batch(tokens, rows[some], longest, pad, device))
        begin += len(some)
    return made, place


def _batch(tokens: Ragged, rows: Rows, longest: int, pad: int, device: str) -> Batch:
    lengths = tokens.lengths(rows)
    _, values = slices(tokens.starts[rows], lengths, tokens.values)
    filled = np.arange(longest) < lengths[:, None]
    ids = np.full(filled.shape, pad, np.int64)
    ids[filled] = values
    mask = None if filled.all() else torch.from_numpy(filled.astype(np.int64)).to(device)
    return Batch(torch.from_numpy(ids).to(device), mask)
