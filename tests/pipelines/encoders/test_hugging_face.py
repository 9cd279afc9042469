"""The table of encoders on the hub."""

from pathlib import Path

from recsys.pipelines.encoders.checkpoints import (
    HUB_ENCODERS,
    OLDER_NAMES,
    how_to_ask,
    hub_name,
)
from tests.rows import each_row


def test_the_encoders_of_the_papers_are_in_the_table() -> None:
    papers = {"bert", "scibert", "biobert", "pubmedbert", "citebert", "sentence-bert"}
    assert papers | {"specter", "specter2", "scincl", "miread"} <= HUB_ENCODERS.keys()
    hubs = [each.hub for each in HUB_ENCODERS.values()]
    assert len(set(hubs)) == len(hubs)
    assert all(hub.count("/") == 1 and hub == hub.strip("/ ") for hub in hubs)
    assert set(OLDER_NAMES.values()) <= HUB_ENCODERS.keys()


@each_row("short", HUB_ENCODERS)
def test_a_short_name_and_the_hubs_name_are_asked_alike(short: str) -> None:
    hub = hub_name(short)
    assert hub_name(hub) == hub
    assert how_to_ask(hub) is HUB_ENCODERS[short]
    assert HUB_ENCODERS[short].pooling in ("cls", "mean")


@each_row(
    ("name", "pooling", "joiner", "tokens"),
    [
        ("allenai/specter", "cls", None, 512),
        ("allenai/specter2", "cls", None, 512),
        ("models/specter2_base", "cls", None, 512),
        ("arazd/miread", "cls", None, 512),
        ("microsoft/BiomedNLP-PubMedBERT-base-uncased-abstract", "cls", None, 512),
        ("minilm", "mean", ". ", 256),
        ("models/my-MiniLM-v3", "mean", ". ", 256),
        ("sentence-transformers/bert-base-nli-mean-tokens", "mean", ". ", 128),
        ("someone/else", "mean", None, 512),
    ],
)
def test_a_model_is_asked_by_the_last_part_of_its_name(
    name: str, pooling: str, joiner: str | None, tokens: int
) -> None:
    found = how_to_ask(name)
    assert hub_name(name) == name
    assert (found.pooling, found.joiner, found.tokens) == (pooling, joiner, tokens)


def test_the_page_of_the_encoders_has_the_table() -> None:
    page = Path(__file__).parents[3] / "docs" / "encoders" / "index.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    for short, each in HUB_ENCODERS.items():
        [line] = [line for line in lines if line.startswith(f"| `{short}` | {each.hub}")]
        assert line.endswith(f"| {each.pooling} |")
