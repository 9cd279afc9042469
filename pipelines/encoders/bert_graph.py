"""Draw a BERT encoder as an ONNX graph: token ids in, pooled unit vectors out.

The graph has no attention mask and no padding: every row of a batch has the same number of tokens,
so a mean over tokens is a plain mean. Position and segment embeddings are added up beforehand, and
query, key and value share one matrix product. MPNet (Song et al. 2020) is a BERT without segments
whose attention knows how far tokens stand from each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

FUSED = "com.microsoft"
OPSET, IR_VERSION = 18, 10
INPUT, OUTPUT = "input_ids", "vectors"
DISTANCES = "encoder.relative_attention_bias.weight"
"""Of an MPNet: (32, heads), what is added to attention at a distance, by bucket."""
_FARTHEST = 128
ACTIVATIONS = {"gelu": "Gelu", "gelu_new": "FastGelu", "gelu_pytorch_tanh": "FastGelu"}

Weights: TypeAlias = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Shape:
    """What the weights do not say themselves."""

    layers: int
    heads: int
    epsilon: float
    activation: str
    first_position: int


@dataclass(slots=True)
class Graph:
    """Collects nodes and constants; every method returns the name of the value it adds.

    nearness: what attention adds for the places of two tokens, where it knows them: the name of
    (1, heads, s, s) float32 values.
    """

    nodes: "list[NodeProto]" = field(default_factory=list)
    constants: "list[TensorProto]" = field(default_factory=list)
    taps: list[str] = field(default_factory=list)
    nearness: str | None = None

    def constant(self, value: NDArray[Any] | np.generic) -> str:
        """Add a constant."""
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def split(
        self, op: str, *inputs: str, parts: int, domain: str = "", **settings: float
    ) -> list[str]:
        """Add a node with several outputs."""
        from onnx import helper

        outputs = [f"{op}.{len(self.nodes)}.{part}" for part in range(parts)]
        node = helper.make_node(op, list(inputs), outputs, domain=domain)
        node.attribute.extend(helper.make_attribute(name, v) for name, v in settings.items())
        self.nodes.append(node)
        return outputs

    def op(self, op: str, *inputs: str, domain: str = "", **settings: float) -> str:
        """Add a node with one output."""
        return self.split(op, *inputs, parts=1, domain=domain, **settings)[0]


Linear: TypeAlias = Callable[[Graph, str, str, Floats, Floats], str]
"""(graph, place, input, weight (out, in), bias (out,)) -> output. Places: "3.qkv", "3.up" ..."""

Embed: TypeAlias = Callable[[Graph, Floats], str]
"""(graph, table (words, d)) -> the embeddings of the input ids."""


def exact_linear(graph: Graph, place: str, x: str, weight: Floats, bias: Floats) -> str:
    """Multiply in f32."""
    product = graph.op("MatMul", x, graph.constant(weight.T))
    return graph.op("Add", product, graph.constant(bias))


def tapped_linear(graph: Graph, place: str, x: str, weight: Floats, bias: Floats) -> str:
    """Multiply in f32, and return the input as one more output of the model, named `place`."""
    from onnx import helper

    graph.nodes.append(helper.make_node("Identity", [x], [place]))
    graph.taps.append(place)
    return exact_linear(graph, place, x, weight, bias)


def exact_embed(graph: Graph, table: Floats) -> str:
    """Look words up in f32."""
    return graph.op("Gather", graph.constant(table), INPUT)


def draw(
    weights: Weights,
    shape: Shape,
    pooling: str,
    *,
    linear: Linear = exact_linear,
    embed: Embed = exact_embed,
) -> "ModelProto":
    """Draw the encoder: input_ids (n, s) int32 -> vectors (n, d) float32, L2-normalised.

    Args:
        weights: named as in `BertModel.state_dict()`.
        pooling: "cls" or "mean".
        linear: how products are drawn.
        embed: how words are looked up.
    """
    graph = Graph()
    own = _below(weights, "embeddings.")
    table = own["position_embeddings.weight"][shape.first_position :]
    if "token_type_embeddings.weight" in own:
        table = table + own["token_type_embeddings.weight"][0]
    words = embed(graph, own["word_embeddings.weight"])
    zero = graph.constant(np.array([0]))
    length = graph.op("Shape", INPUT, start=1, end=2)
    places = graph.op("Slice", graph.constant(table), zero, length, zero)
    x = _normalise(graph, graph.op("Add", words, places), _below(own, "LayerNorm."), shape)
    if DISTANCES in weights:
        longest = len(weights["embeddings.position_embeddings.weight"]) - shape.first_position
        graph.nearness = _nearness(graph, weights[DISTANCES], longest)
    for layer in range(shape.layers):
        x = _layer(graph, x, _below(weights, f"encoder.layer.{layer}."), shape, layer, linear)
    if pooling == "cls":
        pooled = graph.op("Gather", x, graph.constant(np.int64(0)), axis=1)
    else:
        pooled = graph.op("ReduceMean", x, graph.constant(np.array([1])), keepdims=0)
    graph.op("LpNormalization", pooled, axis=-1, p=2)
    graph.nodes[-1].output[0] = OUTPUT
    from onnx import TensorProto, helper

    ids = helper.make_tensor_value_info(INPUT, TensorProto.INT32, ["n", "s"])
    vectors = helper.make_tensor_value_info(
        OUTPUT, TensorProto.FLOAT, ["n", weights["embeddings.word_embeddings.weight"].shape[1]]
    )
    tapped = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in graph.taps]
    drawn = helper.make_graph(graph.nodes, "encoder", [ids], [vectors, *tapped], graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(drawn, opset_imports=opsets, ir_version=IR_VERSION)


def _below(weights: Weights, prefix: str) -> Weights:
    return {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}


def _nearness(graph: Graph, table: Floats, longest: int) -> str:
    """Draw what every two places of the input add to attention.

    Args:
        table: (buckets, heads) of learned values.
        longest: tokens of an input, at most.
    """
    far = np.arange(1 - longest, longest)
    values = graph.constant(table[distance_buckets(far, len(table))].T)
    zero, one = graph.constant(np.int64(0)), graph.constant(np.int64(1))
    length = graph.op("Squeeze", graph.op("Shape", INPUT, start=1, end=2))
    places = graph.op("Range", zero, length, one)
    rows, columns = (
        graph.op("Unsqueeze", places, graph.constant(np.array([axis]))) for axis in (1, 0)
    )
    apart = graph.op("Sub", graph.op("Add", columns, graph.constant(np.int64(longest - 1))), rows)
    found = graph.op("Gather", values, apart, axis=1)
    return graph.op("Unsqueeze", found, graph.constant(np.array([0])))


def distance_buckets(distances: NDArray[np.int64], buckets: int) -> NDArray[np.int64]:
    """Put distances between tokens into buckets, as T5 and MPNet do.

    Half of the buckets are for later tokens. Of each half, half are for one distance each, the
    others grow by its logarithm up to 128, and the last one has all beyond (Raffel et al. 2020).

    Args:
        distances: of the seen token from the one that looks, negative before it.
        buckets: how many there are.
    """
    half = buckets // 2
    exact = half // 2
    far = np.abs(distances)
    growth = np.log(np.maximum(far, 1) / exact) / np.log(_FARTHEST / exact)
    wide = np.minimum(exact + (growth * (half - exact)).astype(np.int64), half - 1)
    found: NDArray[np.int64] = np.where(far < exact, far, wide) + half * (distances > 0)
    return found


def _layer(graph: Graph, x: str, own: Weights, shape: Shape, layer: int, linear: Linear) -> str:
    def dense(place: str, value: str, name: str) -> str:
        weight, bias = own[f"{name}.weight"], own[f"{name}.bias"]
        return linear(graph, f"{layer}.{place}", value, weight, bias)

    packed = linear(graph, f"{layer}.qkv", x, _stack(own, "weight"), _stack(own, "bias"))
    queries = graph.split("Split", packed, parts=3, axis=-1, num_outputs=3)
    added = ("", "", graph.nearness) if graph.nearness else ()
    seen = graph.op("MultiHeadAttention", *queries, *added, num_heads=shape.heads, domain=FUSED)
    seen = graph.op("Add", dense("mix", seen, "attention.output.dense"), x)
    x = _normalise(graph, seen, _below(own, "attention.output.LayerNorm."), shape)
    wide = graph.op(shape.activation, dense("up", x, "intermediate.dense"), domain=FUSED)
    narrow = graph.op("Add", dense("down", wide, "output.dense"), x)
    return _normalise(graph, narrow, _below(own, "output.LayerNorm."), shape)


def _stack(own: Weights, part: str) -> Floats:
    return np.concatenate([own[f"attention.self.{n}.{part}"] for n in ("query", "key", "value")])


def _normalise(graph: Graph, x: str, own: Weights, shape: Shape) -> str:
    # com.microsoft.SkipLayerNormalization would save the Add, and takes eight times as long on CPU.
    scale, shift = graph.constant(own["weight"]), graph.constant(own["bias"])
    return graph.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=shape.epsilon)


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


def quantized_linear(samples: Mapping[str, Floats]) -> Linear:
    """Draw products in int8; samples: place -> (t, in) inputs that `tapped_linear` let out."""

    def draw_one(graph: Graph, place: str, x: str, weight: Floats, bias: Floats) -> str:
        inputs = samples[place]
        if place.endswith("down"):
            # Draw a product whose input has one scale per token: its maximum is step 255.
            zero = zero_point(inputs)
            steps, scales = quantize_rows(weight)
            one, zero_name = graph.constant(np.float32(1)), graph.constant(np.uint8(zero))
            top = graph.op("ReduceMax", x, graph.constant(np.array([-1])), keepdims=1)
            top = graph.op("Max", top, graph.constant(_TINY))
            scale = graph.op("Mul", top, graph.constant(np.float32(1 / (255 - zero))))
            rounded = graph.op("QuantizeLinear", graph.op("Div", x, scale), one, zero_name)
            fixed = (scales, np.uint8(zero), np.zeros(len(scales), np.int8))
            matrix, rest = graph.constant(steps.T), [graph.constant(np.asarray(c)) for c in fixed]
            product = graph.op("MatMulIntegerToFloat", rounded, matrix, one, *rest, domain=FUSED)
            return graph.op("Add", graph.op("Mul", product, scale), graph.constant(bias))
        factors = smoothing(inputs, weight)
        x = graph.op("Mul", x, graph.constant(1 / factors))
        steps, scales = quantize_rows(weight * factors)
        constants = (steps.T, scales, np.zeros(len(scales), np.int8), bias)
        names = [graph.constant(value) for value in constants]
        return graph.op("DynamicQuantizeMatMul", x, *names, domain=FUSED)

    return draw_one
