"""A corpus of invented papers with venues and categories, to make a suite of."""

import json
from pathlib import Path

from recsys.store.collection import Collection
from tests.pipelines.studies.clicks.related_papers import (
    Invented,
    related_collection,
    related_papers,
)


def suite_papers() -> Invented:
    """Give each topic a venue, and each paper a category that is odd or even."""
    return [
        paper
        | {
            "abstract": f"About {paper['title']}.",
            "venue": f"Journal of {str(paper['id']).partition('-')[0]}",
            "labels": json.dumps({"doc_type": "Article", "category": [("even", "odd")[i % 2]]}),
        }
        for i, paper in enumerate(related_papers())
    ]


def suite_collection(folder: Path) -> Collection:
    """Index the papers below a folder."""
    return related_collection(folder, suite_papers())
