"""Write papers as a Markdown list, for people."""

import re
from collections.abc import Iterable

from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import names_of, one_line, paper_link
from recsys.records import Paper

_MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def markdown(papers: Iterable[Paper]) -> str:
    """Write a numbered Markdown list, one line per paper."""
    lines = (f"{i}. {markdown_item(paper)}\n" for i, paper in enumerate(papers, start=1))
    return "".join(lines)


def markdown_item(paper: Paper) -> str:
    """Write one paper as Markdown: authors (year), linked title, venue."""
    authors = escaped(", ".join(map(natural, names_of(paper)))) or "Unknown authors"
    year = "n.d." if paper.year is None else str(paper.year)
    title, link = escaped(paper.title), paper_link(paper)
    venue = f" *{escaped(paper.venue)}*." if paper.venue else ""
    return f"{authors} ({year}). " + (f"[{title}](<{link}>)." if link else f"{title}.") + venue


def escaped(text: str | None) -> str:
    """Write a text on one line, so that Markdown shows it as it is."""
    return _MARKS.sub(r"\\\1", one_line(text or ""))
