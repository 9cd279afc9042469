"""List the watches: for people and for programs."""

from pathlib import Path
from typing import Any

from recsys.errors import InputError
from recsys.formats.answers import json_text, percent
from recsys.watching.state import read_watch, watch_files

LIST_SCHEMA = "recsys.watches/1"


def list_table(folder: Path) -> str:
    """Write a paragraph for each watch; what is wrong with one that is damaged."""
    paragraphs = []
    for path in watch_files(folder):
        try:
            watch = read_watch(path)
        except InputError as error:
            paragraphs.append(f"{path.stem}\n    {error}\n")
            continue
        every = f"every {watch.every}" if watch.every else "at every run"
        ran = "" if watch.ran is None else f", last checked {watch.ran:%Y-%m-%d %H:%M} UTC"
        gone = "" if Path(watch.draft).exists() else " (there is no such file now)"
        lines = (
            f"draft: {watch.draft}{gone}",
            *(f"references: {book}" for book in watch.references),
            f"index: {watch.index or 'fetched from OpenAlex'}",
            f"{every}{ran}; at most {watch.k} papers at once, with {percent(watch.least)} or more",
            f"reported: {len(watch.told_papers):,} new papers",
        )
        paragraphs.append("".join((f"{watch.name}\n", *(f"    {line}\n" for line in lines))))
    return "\n".join(paragraphs)


def list_json(folder: Path) -> str:
    """Write one JSON object of schema `recsys.watches/1`."""
    watches: list[dict[str, Any]] = []
    for path in watch_files(folder):
        try:
            watch = read_watch(path)
        except InputError as error:
            watches.append({"name": path.stem, "damaged": error.what})
            continue
        watches.append({
            "name": watch.name,
            "draft": watch.draft,
            "references": list(watch.references),
            "index": watch.index,
            "every": watch.every,
            "at_least": watch.least,
            "k": watch.k,
            "ran": None if watch.ran is None else watch.ran.isoformat(),
            "reported": len(watch.told_papers),
            "waiting": len(watch.waiting),
        })  # fmt: skip
    return json_text({"schema": LIST_SCHEMA, "watches": watches}, indent=1) + "\n"
