"""Write papers as a web page: no script, nothing loaded, references for Zotero inside."""

import html
from collections.abc import Sequence

from recsys.formats.references.coins import span
from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import names_of, one_line, paper_link
from recsys.records import Paper

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
<style>
:root {{ --text: #1c2024; --soft: #5b6470; --line: #d9dee4; --page: #fff; --link: #0b57a4; }}
@media (prefers-color-scheme: dark) {{
:root {{ --text: #e6e9ed; --soft: #a0a9b4; --line: #39414b; --page: #15181c; --link: #8ec1ff; }}
}}
body {{ margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 46rem; background: var(--page);
color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.4rem; margin: 0 0 .25rem; }}
.count {{ color: var(--soft); margin: 0 0 1rem; }}
ol {{ margin: 0; padding-left: 2.5rem; }}
li {{ padding: .75rem 0; border-top: 1px solid var(--line); }}
li::marker {{ color: var(--soft); font-variant-numeric: tabular-nums; }}
ol p {{ margin: 0; }}
.title {{ font-weight: 600; }}
.facts, .notes {{ color: var(--soft); font-size: .925rem; }}
a {{ color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }}
.notes {{ margin: .35rem 0 0; padding-left: 1.1rem; list-style: disc; }}
.notes li {{ padding: 0; border: 0; }}
@media print {{ body {{ max-width: none; }} li {{ break-inside: avoid; }} }}
</style>
</head>
<body>
<h1>{heading}</h1>
<p class="count">{count}</p>
<ol>
"""
_TAIL = "</ol>\n</body>\n</html>\n"


def web_page(
    papers: Sequence[Paper],
    *,
    notes: Sequence[Sequence[str]] | None = None,
    heading: str = "Reading list",
) -> str:
    """Write a whole page with one list item per paper, in order.

    notes: lines that are shown below each paper, such as its chance and the reasons for it; as many
    as there are papers.
    """
    below = [()] * len(papers) if notes is None else notes
    count = f"{len(papers):,} paper{'' if len(papers) == 1 else 's'}"
    items = (_item(paper, lines) for paper, lines in zip(papers, below, strict=True))
    return _HEAD.format(heading=_escaped(heading), count=count) + "".join(items) + _TAIL


def _item(paper: Paper, notes: Sequence[str]) -> str:
    title, link = _escaped(paper.title) or "Untitled", paper_link(paper)
    if link:
        title = f'<a href="{html.escape(link)}">{title}</a>'
    lines = "".join(f'<li dir="auto">{_escaped(note)}</li>\n' for note in notes)
    return (
        f'<li>\n<p class="title" dir="auto">{title}</p>\n'
        f'<p class="facts" dir="auto">{_facts(paper)}</p>\n'
        + (f'<ul class="notes">\n{lines}</ul>\n' if lines else "")
        + f"{span(paper)}\n</li>\n"
    )


def _facts(paper: Paper) -> str:
    authors = _escaped(", ".join(map(natural, names_of(paper)))) or "Unknown authors"
    year = "n.d." if paper.year is None else str(paper.year)
    venue = f" <cite>{_escaped(paper.venue)}</cite>." if one_line(paper.venue or "") else ""
    return f"{authors} ({year}).{venue}"


def _escaped(text: str | None) -> str:
    return html.escape(one_line(text or ""))
