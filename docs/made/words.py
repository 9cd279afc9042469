"""Count the words of the pages, as `wc -w` does: `python -m docs.made.words`."""

import sys
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).parents[1]
NOT_SHOWN = ("_build", "notes")
"""Folders of docs whose Markdown is no page of the site."""
LIMITS: Mapping[str, int] = {"results": 10_000, "": 39_500}
"""Words of all pages in a folder at most; the folder without a name is all of docs."""


def pages() -> list[Path]:
    """List the pages of the site."""
    return [
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path.relative_to(DOCS).parts[0] not in NOT_SHOWN
    ]


def words_in(folder: str) -> dict[str, int]:
    """Count the words of each page of a folder; the marks and tables of programs count, too."""
    names = {page.relative_to(DOCS).as_posix(): page for page in pages()}
    return {
        name: len(page.read_text(encoding="utf-8").split())
        for name, page in names.items()
        if name.startswith(folder)
    }


def main() -> int:
    """Print the words of each page, and those of each folder that has a limit."""
    for name, count in sorted(words_in("").items(), key=lambda item: item[1]):
        sys.stdout.write(f"{count:7,} {name}\n")
    for folder, limit in LIMITS.items():
        count = sum(words_in(folder).values())
        sys.stdout.write(f"{count:7,} of {limit:,} in docs/{folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
