"""Write an answer as a page: Markdown, or HTML with the papers beside the sentences."""

import html
import re

from recsys.formats.answers import found_by, other_versions, percent
from recsys.formats.local_answers.shown_gaps import (
    HERE,
    NOTHING_FITS,
    GapKeys,
    around,
    entries_of,
    headline,
    key_line,
    looked_at,
    nothing_found,
    place_of,
)
from recsys.formats.references.reference_writers import escaped, markdown_item
from recsys.formats.references.shown_facts import one_line
from recsys.formats.references.web_page import html_text, note_list, page_head, paper_lines, span
from recsys.records import LocalAnswer, Recommendation

_FENCE = re.compile(r"`{3,}")
_STYLE = """
:root { --text: #1c2024; --soft: #5b6470; --line: #d9dee4; --page: #fff; --link: #0b57a4;
--mark: #ffe58a; --code: #f2f4f7; }
@media (prefers-color-scheme: dark) {
:root { --text: #e6e9ed; --soft: #a0a9b4; --line: #39414b; --page: #15181c; --link: #8ec1ff;
--mark: #6b5300; --code: #20252b; } }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 76rem; background: var(--page);
color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
h2 { font-size: .925rem; font-weight: 600; margin: 0 0 .35rem; }
p { margin: 0; }
.told, .facts, .notes, .kind { color: var(--soft); font-size: .925rem; }
.told { margin: 0 0 .25rem; }
.gap { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 2.5rem;
padding: 1.25rem 0; border-top: 1px solid var(--line); }
.told + .gap { margin-top: 1rem; }
.place { position: sticky; top: 1rem; align-self: start; }
.sentence { margin: .5rem 0; }
mark { background: var(--mark); color: inherit; border-radius: .2rem; padding: 0 .2rem;
font-weight: 600; }
ol { margin: 0; padding-left: 1.75rem; }
ol > li { padding: 0 0 1rem; }
li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
.title { font-weight: 600; }
.chance { font-weight: 400; color: var(--soft); font-variant-numeric: tabular-nums; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
.notes { margin: .25rem 0 0; padding-left: 1.1rem; list-style: disc; }
code, pre { font: .875rem/1.45 ui-monospace, monospace; background: var(--code);
border-radius: .25rem; }
code { padding: .05rem .3rem; }
pre { padding: .75rem; overflow: auto; white-space: pre-wrap; }
summary { cursor: pointer; padding: 1rem 0 .5rem; border-top: 1px solid var(--line); }
@media (max-width: 48rem) {
.gap { grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.place { position: static; } }
@media print { body { max-width: none; } .gap { break-inside: avoid; }
.place { position: static; } }
"""


def gap_markdown(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as Markdown: a heading a gap, the sentence, the papers, and the BibTeX below."""
    if not answer.gaps:
        return f"{escaped(nothing_found(answer))}\n"
    parts = [f"{escaped(answer.understood)}\n"] if answer.understood else []
    for gap in answer.gaps:
        # What means something in Markdown is escaped; the spaces at the ends stay.
        before, after = (
            f"{' ' * text[:1].isspace()}{escaped(one_line(text))}{' ' * text[-1:].isspace()}"
            for text in around(gap)
        )
        lines = [f"## {escaped(place_of(answer, gap))}: {headline(gap)}\n"]
        lines.append(f"> {before}**\\[?\\]**{after}\n")
        for item in gap.recommendations:
            chance = percent(item.probability)
            lines.append(f"{item.rank}. {markdown_item(item.paper)} **{chance}**")
            notes = [key_line(keys, item.paper.id), *(reason.text for reason in item.reasons)]
            notes += [*other_versions(item), found_by(item) or ""]
            lines += (f"    - {escaped(note)}" for note in notes if note)
        if not gap.recommendations:
            lines.append(NOTHING_FITS)
        parts.append("".join(f"{line}\n" for line in lines))
    if entries := entries_of(answer, keys):
        fence = "`" * max([3, *(len(ticks) + 1 for ticks in _FENCE.findall(entries))])
        parts.append(f"## BibTeX\n\n{fence}bibtex\n{entries}{fence}\n")
    return "\n".join(parts)


def gap_page(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as a web page that needs nothing else, no script either."""
    heading = f"Citations for {html_text(answer.draft) if answer.draft else 'a passage'}"
    parts = [page_head(heading, _STYLE)]
    counted = looked_at(answer) and f"{looked_at(answer)}."
    summary = counted if answer.gaps else nothing_found(answer)
    for line in filter(None, (answer.understood, summary, *answer.notes)):
        parts.append(f'<p class="told" dir="auto">{html_text(line)}</p>\n')
    for gap in answer.gaps:
        before, after = map(html.escape, around(gap))
        section = html_text(gap.sentence.section)
        papers = "".join(_paper(item, keys) for item in gap.recommendations)
        parts += (
            '<section class="gap">\n<div class="place">\n',
            f'<h2 dir="auto">{html_text(place_of(answer, gap))}</h2>\n',
            f'<p class="sentence" dir="auto">{before}<mark>{HERE}</mark>{after}</p>\n',
            f'<p class="kind">{html_text(headline(gap))}</p>\n',
            f'<p class="kind" dir="auto">Section: {section}</p>\n' if section else "",
            "</div>\n",
            f"<ol>\n{papers}</ol>\n" if papers else f"<p>{NOTHING_FITS}</p>\n",
            "</section>\n",
        )
    if entries := entries_of(answer, keys):
        shown = html.escape(entries)
        parts.append(f"<details>\n<summary>BibTeX</summary>\n<pre>{shown}</pre>\n</details>\n")
    return "".join((*parts, "</body>\n</html>\n"))


def _paper(item: Recommendation, keys: GapKeys) -> str:
    paper = item.paper
    chance = f' <span class="chance">{html_text(percent(item.probability))}</span>'
    yours = " in your bibliography" if paper.id in keys.had else ""
    notes = [*(reason.text for reason in item.reasons), *other_versions(item)]
    return (
        f"<li>\n{paper_lines(paper, chance)}"
        f'<p class="facts"><code>{html_text(keys.names[paper.id])}</code>{yours}</p>\n'
        f"{note_list(notes)}{span(paper)}\n</li>\n"
    )
