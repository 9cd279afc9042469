"""A small corpus of papers that no page was made for: long, bare, from the right to the left."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.built_index import ROOT

NAME = "odd"
ARABIC = "\u062a\u0635\u0648\u0631 \u0627\u0644\u0628\u064a\u0627\u0646\u0627\u062a"
WORD = "Donaudampfschifffahrt" * 12
"""Letters without a place to break the line."""
_ODD: dict[str, dict[str, Any]] = {
    "crowd": {"title": "Rivers, by a crowd", "authors": [f"Nobody{n}, Ann B." for n in range(300)]},
    "right-to-left": {"title": ARABIC, "authors": [ARABIC], "venue": ARABIC, "abstract": ARABIC},
    "one-word": {"title": WORD, "authors": [WORD], "venue": WORD, "abstract": WORD},
    "bare": {"title": "Rivers", "year": None},
    "marked-up": {"title": "<b>Rivers</b> & <script>alert(1)</script> $x^2$ {\\em y}"},
    "long": {"title": "Rivers and " * 120, "abstract": "We measure rivers. " * 900},
    "hostile-link": {"title": "Rivers that link", "url": "javascript:alert(1)"},
    "id/with ?&#=+%": {"title": "Rivers with an id of signs"},
}
"""Papers by id; what is not said of one is that of a plain paper."""


def odd_papers() -> list[dict[str, Any]]:
    """List the papers; each cites the one before it."""
    ids = list(_ODD)
    return [
        {"id": key, "year": 2001 + at, "references": ids[max(0, at - 1) : at], **_ODD[key]}
        for at, key in enumerate(ids)
    ]


def build_odd(folder: Path) -> Path:
    """Build their index."""
    papers, index = folder / "odd.jsonl", folder / f"{NAME}.index"
    lines = [json.dumps(paper) for paper in odd_papers()]
    papers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "tests.run_recsys", "build", str(papers), "--out", str(index)]
    subprocess.run([*command, "--quiet"], cwd=ROOT, check=True)
    return index
