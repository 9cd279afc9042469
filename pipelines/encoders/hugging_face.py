"""Encoders on the Hugging Face hub that papers compare with, and how each of them is asked.

SPECTER (Cohan et al. 2020) and MIReAD (Razdaibiedina and Brechalov 2023) take BERTs by the vector
of their first token; so does this table, except for models that were trained on the mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass


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


def hub_name(name: str) -> str:
    """Return the name on the hub of a short one of the table; others stay as they are."""
    return HUB_ENCODERS[name].hub if name in HUB_ENCODERS else name


def how_to_ask(name: str) -> HubEncoder:
    """Tell how a model of this name, on the hub or of a folder, is asked: by its last part."""
    last = name.rpartition("/")[2].lower()
    return _BY_FILE.get(last, _SENTENCES if "minilm" in last or "mpnet" in last else _OTHER)


def known_names() -> list[str]:
    """List every name that is in the table, short ones first."""
    return [*HUB_ENCODERS, *(each.hub for each in HUB_ENCODERS.values())]
