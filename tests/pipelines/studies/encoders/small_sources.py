"""Small things to train on: an invented corpus, and a random BERT in a folder."""

import json
import shutil
from pathlib import Path

import numpy as np
import torch
import transformers

from recsys.pipelines.encoders.checkpoints import minilm_folder
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.encoders.train_encoder import EncoderOptions
from recsys.pipelines.studies.encoders.training import LoopOptions, Pace
from recsys.pipelines.studies.encoders.triplets import Reading, Source, source_of
from tests.pipelines.small_index import open_small_collection, write_small_index

READING = Reading()
LOOP = LoopOptions(epochs=2, batch=24, part=9, pace=Pace(rate=8e-3), checks=2, patience=9)
FIELDS = {
    "rivers": "water flood bank stream boat bridge delta mud fish dam",
    "law": "court judge trial crime treaty jury lawyer prison verdict oath",
    "music": "opera violin song rhythm choir piano chord drum melody tune",
    "bread": "flour oven yeast dough baker wheat crust butter salt rye",
    "stars": "planet orbit moon galaxy comet telescope nova sun eclipse sky",
    "horses": "saddle stable gallop pony hoof rider race mare foal bridle",
}
YEARS = range(2000, 2012)


def related_papers() -> list[dict[str, object]]:
    """Papers that cite earlier ones of their field, with which they may share no word."""
    rng = np.random.default_rng(5)
    papers: list[dict[str, object]] = []
    for year in YEARS:
        for field, text in FIELDS.items():
            for number in range(2):
                earlier = [
                    f"{field}-{past}-{other}" for past in YEARS for other in range(2) if past < year
                ]
                cited = rng.permutation(earlier)[:4].tolist()
                title = " ".join(rng.permutation(text.split())[:3].tolist())
                facts = {"title": title, "abstract": f"Notes of {year}.", "year": year}
                papers.append({"id": f"{field}-{year}-{number}", **facts, "references": cited})
    return papers


def write_related_split(path: Path) -> Path:
    """Test on the last year, choose on the two before, train on those from the seventh on."""
    parts = {"train": range(2006, 2009), "dev": range(2009, 2011), "test": range(2011, 2012)}
    split = {
        part: [
            f"{field}-{year}-{number}" for year in years for field in FIELDS for number in (0, 1)
        ]
        for part, years in parts.items()
    }
    path.write_text(json.dumps(split), encoding="utf-8")
    return path


def small_source(folder: Path, reading: Reading = READING) -> Source:
    """Write the papers below a folder, once, and read them as a source."""
    if not (folder / "index").exists():
        write_small_index(folder / "index", related_papers())
        write_related_split(folder / "split.json")
    collection = open_small_collection(folder / "index")
    split = read_split(folder / "split.json", collection)
    return source_of("small", collection, split, reading, ("a hash",))


def write_tiny_bert(folder: Path, *, seed: int = 0) -> Path:
    """Save a BERT of random weights, with the packaged tokenizer."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = transformers.BertConfig(
            vocab_size=30522,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=32,
            max_position_embeddings=64,
        )
        transformers.BertModel(config).save_pretrained(folder)
    shutil.copy(minilm_folder() / "tokenizer.json", folder / "tokenizer.json")
    return folder


def tiny_options(start: Path) -> EncoderOptions:
    """Train all of a tiny BERT for some steps."""
    return EncoderOptions(start=str(start), loop=LOOP, device="cpu")
