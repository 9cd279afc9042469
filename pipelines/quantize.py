"""Int8 layers: symmetric weights per output channel, activations scaled by each input's range.

Some channels of an activation are many times larger than the others and would use up the 256 steps
of its scale. They are divided by a factor that moves into the weights (SmoothQuant, Xiao et al.
2023, eq. 4: s_j = max|X_j|^a / max|W_j|^(1-a)); `a` is chosen for each layer by least error on
sample inputs. Here |X_j| is the geometric mean of maximum and root mean square: less at the mercy
of one token.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pipelines.bert_graph import FUSED, INPUT, Graph
from recsys.protocols import Floats

STRENGTHS = (0.5, 0.65, 0.8, 0.95)
_TINY = np.float32(1e-5)


def quantize_rows(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Round each row to 255 steps: (steps (m, n) int8, scales (m,) float32)."""
    scales = np.maximum(np.abs(matrix).max(axis=1), _TINY) / np.float32(127)
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def choose_smoothing(inputs: Floats, weight: Floats) -> Floats | None:
    """Choose the factors that lose least: (in,) float32, or None when plain rounding does.

    Args:
        inputs: (t, in) sample inputs of the layer.
        weight: (out, in).
    """
    exact = inputs @ weight.T
    candidates = [None, *(_factors(inputs, weight, strength) for strength in STRENGTHS)]
    losses = [_loss(exact, inputs, weight, factors) for factors in candidates]
    return candidates[int(np.argmin(losses))]


def quantized_embed(graph: Graph, table: Floats) -> str:
    """Look words up in int8, one scale per word."""
    from onnx import TensorProto

    steps, scales = quantize_rows(table)
    found = graph.op("Gather", graph.constant(steps), INPUT)
    scale = graph.op("Gather", graph.constant(scales[:, None]), INPUT)
    return graph.op("Mul", graph.op("Cast", found, to=TensorProto.FLOAT), scale)


class QuantizedLinear:
    """Draws int8 products, smoothed as the sample inputs of each place advise.

    samples: place -> (t, in) inputs that `bert_graph.tapped_linear` let out.
    """

    def __init__(self, samples: Mapping[str, Floats]) -> None:
        self.samples = samples

    def __call__(self, graph: Graph, place: str, x: str, weight: Floats, bias: Floats) -> str:
        """Draw one product; see `bert_graph.Linear`."""
        factors = choose_smoothing(self.samples[place], weight)
        if factors is not None:
            x = graph.op("Mul", x, graph.constant(1 / factors))
            weight = weight * factors
        steps, scales = quantize_rows(weight)
        constants = (steps.T, scales, np.zeros(len(scales), np.int8), bias)
        names = [graph.constant(value) for value in constants]
        return graph.op("DynamicQuantizeMatMul", x, *names, domain=FUSED)


def _factors(inputs: Floats, weight: Floats, strength: float) -> Floats:
    sizes = np.sqrt(np.abs(inputs).max(axis=0) * np.sqrt((inputs**2).mean(axis=0)))
    weights = np.maximum(np.abs(weight).max(axis=0), _TINY)
    factors = np.maximum(sizes, _TINY) ** strength / weights ** (1 - strength)
    return np.maximum(factors, _TINY).astype(np.float32)


def _loss(exact: Floats, inputs: Floats, weight: Floats, factors: Floats | None) -> float:
    if factors is not None:
        inputs, weight = inputs / factors, weight * factors
    steps, scales = quantize_rows(weight)
    low, high = min(float(inputs.min()), 0.0), max(float(inputs.max()), 0.0)
    step = max((high - low) / 255, float(_TINY))
    rounded = np.rint(inputs / step) * step
    return float(np.square(rounded @ (steps * scales[:, None]).T - exact).mean())
