"""Int8 layers: symmetric weights per output channel, activations scaled as they come.

Most products scale the whole activation by its range. A few of its channels are much larger than
the others and would use up the 256 steps, so channels are divided by factors that move into the
weights (SmoothQuant, Xiao et al. 2023, eq. 4: s_j = max|X_j|^a / max|W_j|^(1-a)), with the
geometric mean of maximum and root mean square for max|X_j|: less at the mercy of one token.
The product after the activation function loses most, and gets a scale for each token instead.
Measured on MiniLM, mean cosine with f32: plain 0.9957, smoothed 0.9980, both 0.9992, at one speed.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from recsys.pipelines.encoders.bert_graph import FUSED, INPUT, Graph
from recsys.store.arrays import Floats

STRENGTH = 0.65
"""How much of an outlier moves into the weights; 0.75 gains nothing, 0.85 loses."""

_TINY = np.float32(1e-5)


def quantize_rows(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Round each row to 255 steps: (steps (m, n) int8, scales (m,) float32)."""
    scales = np.maximum(np.abs(matrix).max(axis=1), _TINY) / np.float32(127)
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def smoothing(inputs: Floats, weight: Floats) -> Floats:
    """Return the factors of a product's input channels: (in,) float32, positive.

    Args:
        inputs: (t, in) sample inputs.
        weight: (out, in).
    """
    sizes = np.sqrt(np.abs(inputs).max(axis=0) * np.sqrt(np.square(inputs).mean(axis=0)))
    weights = np.maximum(np.abs(weight).max(axis=0), _TINY)
    factors = np.maximum(sizes, _TINY) ** STRENGTH / weights ** (1 - STRENGTH)
    smooth: Floats = np.maximum(factors, _TINY).astype(np.float32)
    return smooth


def zero_point(inputs: Floats) -> int:
    """Return the step, of 0..255, that stands for zero so that 99 % of the tokens fit.

    Args:
        inputs: (t, in) sample inputs; a token's maximum is step 255.
    """
    below = -inputs.min(axis=1) / np.maximum(inputs.max(axis=1), _TINY)
    ratio = max(float(np.quantile(below, 0.99)), 0.0)
    return min(int(np.ceil(255 * ratio / (1 + ratio))), 128)


def quantized_embed(graph: Graph, table: Floats) -> str:
    """Look words up in int8, one scale per word."""
    from onnx import TensorProto

    steps, scales = quantize_rows(table)
    found = graph.op("Gather", graph.constant(steps), INPUT)
    scale = graph.op("Gather", graph.constant(scales[:, None]), INPUT)
    return graph.op("Mul", graph.op("Cast", found, to=TensorProto.FLOAT), scale)


class QuantizedLinear:
    """Draws int8 products (`bert_graph.Linear`).

    samples: place -> (t, in) inputs that `bert_graph.tapped_linear` let out.
    """

    def __init__(self, samples: Mapping[str, Floats]) -> None:
        self.samples = samples

    def __call__(self, graph: Graph, place: str, x: str, weight: Floats, bias: Floats) -> str:
        """Draw one product."""
        inputs = self.samples[place]
        if place.endswith("down"):
            return _by_token(graph, x, weight, bias, zero_point(inputs))
        factors = smoothing(inputs, weight)
        x = graph.op("Mul", x, graph.constant(1 / factors))
        steps, scales = quantize_rows(weight * factors)
        constants = (steps.T, scales, np.zeros(len(scales), np.int8), bias)
        names = [graph.constant(value) for value in constants]
        return graph.op("DynamicQuantizeMatMul", x, *names, domain=FUSED)


def _by_token(graph: Graph, x: str, weight: Floats, bias: Floats, zero: int) -> str:
    """Draw a product whose input has one scale per token: its maximum is step 255."""
    steps, scales = quantize_rows(weight)
    one, zero_name = graph.constant(np.float32(1)), graph.constant(np.uint8(zero))
    top = graph.op("ReduceMax", x, graph.constant(np.array([-1])), keepdims=1)
    top = graph.op("Max", top, graph.constant(_TINY))
    scale = graph.op("Mul", top, graph.constant(np.float32(1 / (255 - zero))))
    rounded = graph.op("QuantizeLinear", graph.op("Div", x, scale), one, zero_name)
    constants = (scales, np.uint8(zero), np.zeros(len(scales), np.int8))
    matrix, rest = graph.constant(steps.T), [graph.constant(np.asarray(c)) for c in constants]
    product = graph.op("MatMulIntegerToFloat", rounded, matrix, one, *rest, domain=FUSED)
    return graph.op("Add", graph.op("Mul", product, scale), graph.constant(bias))
