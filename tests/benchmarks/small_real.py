"""A few invented corpora that stand for the real ones of which made corpora are made."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.made_corpus import DRAFTS

TOPICS = ("rivers", "glaciers", "volcanoes", "deserts")


def write_real(data: Path, *, papers: int = 24) -> Path:
    """Write a corpus for each topic, every sixth paper of it without an abstract."""
    for topic in TOPICS:
        folder = data / topic
        folder.mkdir(parents=True)
        with gzip.open(folder / "papers.jsonl.gz", "wt", encoding="utf-8") as file:
            for number in range(papers):
                paper = {
                    "id": f"{topic}-{number}",
                    "title": f"On {topic} with instrument {number} of survey {number % 5}",
                    "abstract": abstract(topic, number) if number % 6 else None,
                    "year": 2000 + number,
                    "authors": ["Ada Bo"],
                    "venue": f"Journal of {topic.title()}",
                    "references": [],
                }
                file.write(json.dumps(paper) + "\n")
    return data


def abstract(topic: str, number: int) -> str:
    """Write four sentences, 32 words."""
    return (
        f"We measure {topic} again, here with instrument {number}. "
        f"All the {topic} of survey {number % 5} move slowly. "
        f"Earlier work on {topic} saw {number % 7} of them only. "
        f"What {topic} do next is told by method {number % 3} alone."
    )


@dataclass(frozen=True, slots=True)
class Made:
    """A made corpus with an index, what building it took, and how many later papers there are."""

    corpus: Path
    index: Path
    costs: dict[str, Any]
    size: int
    later: int

    def split(self, folder: Path) -> Path:
        """Write a split: of the last ten drafts, five are dev and five are test queries."""
        lines = (self.corpus / DRAFTS).read_text(encoding="utf-8").splitlines()[-10:]
        queries = [json.loads(line)["id"] for line in lines]
        path = folder / "split.json"
        path.write_text(json.dumps({"train": [], "dev": queries[:5], "test": queries[5:]}))
        return path
