"""Write what the pages take from the code; `make docs` runs this first."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.made.commands import commands
from docs.made.features import features
from docs.made.layers import picture, read_folders
from docs.made.marked_pages import splice
from docs.made.online_sources import online_sources

DOCS = Path(__file__).parents[1]
BLOCKS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "how-it-works/features.md": ("features", features),
    "reference/commands.md": ("commands", commands),
    "reference/online.md": ("online-sources", online_sources),
}
"""Page -> the block in it, between its marks, and what writes the block."""
FILES: Mapping[str, Callable[[], str]] = {
    "_static/layers.svg": lambda: picture(read_folders()),
}
"""Files that are written as a whole."""


def made() -> dict[Path, str]:
    """Return the files as they should be."""
    found = {DOCS / name: write() for name, write in FILES.items()}
    for name, (block, write) in BLOCKS.items():
        page = DOCS / name
        found[page] = splice(page.read_text(encoding="utf-8"), block, write())
    return found


def main() -> int:
    """Write the files that are not as they should be; return the exit code."""
    for path, text in made().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stderr.write(f"written: {path.relative_to(DOCS.parent)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
