"""Cited references as databases write them, and the works that they name: `cited_works.json`."""

import json
from pathlib import Path

from recsys.formats.references.bibliography import work_of

_READ = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
NEWER, OLDER, LINES = (
    {text: work_of(record) for text, record in works.items()} for works in _READ.values()
)
"""Of Scopus in its two spellings, and of the Web of Science."""
