"""Write what was read of the written drafts as tables of Markdown."""

from collections.abc import Iterator, Mapping

from benchmarks.written_drafts.read_drafts import RIGHT

_MISSING = "-"


def verdict_tables(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Write how many drafts of each part are read right, and what is wrong with which."""
    return "\n".join((*_counts(before, now), "", *_rows(before, now)))


def _counts(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    yield "| part | drafts | read right before | read right now |"
    yield "| --- | ---: | ---: | ---: |"
    parts = dict.fromkeys(name.partition(": ")[0] for name in now)
    for part in (*parts, "all"):
        names = [name for name in now if part in ("all", name.partition(": ")[0])]
        then = sum(before.get(name) == RIGHT for name in names) if before else _MISSING
        right = sum(now[name] == RIGHT for name in names)
        yield f"| {part} | {len(names)} | {then} | {right} |"


def _rows(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    yield "| part | how it is written | wrong before | wrong now |"
    yield "| --- | --- | --- | --- |"
    for name, found in now.items():
        part, _, how = name.partition(": ")
        told = (_shown(before.get(name, _MISSING)), _shown(found))
        yield f"| {part} | `{how}` | {told[0]} | {told[1]} |"


def _shown(verdict: str) -> str:
    return "" if verdict == RIGHT else verdict.replace("|", "/").replace("`", "'")
