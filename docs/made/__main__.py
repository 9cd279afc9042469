"""Write what the pages take from the code; `make docs` runs this first."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.made.commands import commands
from docs.made.layers import picture, read_folders
from docs.made.marked_pages import splice
from docs.made.tables import code, table, words
from recsys.app.agents.tools import TOOLS
from recsys.pipelines.online.sites import SITES
from recsys.pipelines.online.sources import SOURCES, Kind, facts_of
from recsys.ranking.features import (
    ANY_CORPUS,
    AUTHORS,
    FEATURES,
    LINKS,
    NNSELECT,
    SEEDS,
    TEXT,
)

_GROUPS = {
    TEXT: "Text",
    LINKS: "Citations",
    ANY_CORPUS: "Any corpus",
    SEEDS: "References of the draft",
    AUTHORS: "Authors and venue",
}
"""Group of features -> its heading; those of NNSelect repeat others."""
_KINDS = (Kind.CITING, Kind.SEARCH, Kind.CHANGED)


def features() -> str:
    """Write the features of the second stage: a list for each group, in order."""
    parts = [f"{len(FEATURES)} features."]
    for group, title in _GROUPS.items():
        lines = []
        for each in (each for each in FEATURES if each.group == group):
            mark = r"\*" if each.links else ""
            lines.append(f"- {code(each.name)}{mark}: {words(each.meaning)}")
        parts += [f"## {title}", "\n".join(lines)]
    names = ", ".join(code(each.name) for each in FEATURES if each.group == NNSELECT)
    parts += ["## NNSelect", f"The same by NNSelect's vectors: {names}."]
    return "\n\n".join(parts)


def online_sources() -> str:
    """Write the sources on the web: a row for each, what it gives, and one for each address."""
    header = ("source", "names", "abstracts", "references", *_KINDS, "terms", "licence")
    rows = [
        (
            code(facts.name),
            ", ".join(map(code, facts.schemes)),
            "x" if facts.abstracts else "",
            "x" if facts.references else "",
            *("x" if kind in facts.kinds else "" for kind in _KINDS),
            f"[{facts.title}]({facts.terms})",
            words(facts.licence),
        )
        for facts in map(facts_of, SOURCES)
    ]
    hosts = ("site", "address", "seconds between requests", "with key or mail", "key")
    addresses = [
        (
            code(site.name),
            code(site.address),
            f"{site.pace:g}",
            "" if site.pace_known is None else f"{site.pace_known:g}",
            code(site.key) if site.key else "",
        )
        for site in SITES.values()
    ]
    return f"{table(header, rows)}\n\n{table(hosts, addresses)}"


def agent_tools() -> str:
    """Write the tools of `recsys mcp`: what each does and takes."""
    lines = []
    for tool in TOOLS:
        takes = ", ".join(map(code, tool.input_schema["properties"])) or "nothing"
        lines.append(f"- {code(tool.name)} ({takes}): {words(tool.description)}")
    return "\n".join(lines)


DOCS = Path(__file__).parents[1]
BLOCKS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "guide/mcp.md": ("mcp-tools", agent_tools),
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
