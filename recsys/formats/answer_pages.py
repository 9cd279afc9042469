"""Render an answer for pages: Markdown, and HTML with what reference managers read."""

from recsys.formats.answers import found_by, other_versions, percent
from recsys.formats.references.reference_writers import escaped, markdown_item
from recsys.formats.references.shown_facts import one_line
from recsys.formats.references.web_page import web_page
from recsys.formats.shown_places import where_of
from recsys.records import Answer


def markdown(answer: Answer) -> str:
    """Render as a numbered Markdown list with the reasons below each paper, and the title above."""
    lines = [f"# {escaped(_heading(answer))}", ""]
    for item in answer.recommendations:
        lines.append(f"{item.rank}. {markdown_item(item.paper)} **{percent(item.probability)}**")
        reasons = [reason.text for reason in item.reasons]
        notes = [*reasons, *map(escaped, other_versions(item)), found_by(item)]
        lines += [f"    - {one_line(note)}" for note in notes if note]
        if where := where_of(answer, item.paper.id):
            lines.append(f"    - fits at {': '.join(map(escaped, where))}")
    return "".join(f"{line}\n" for line in lines)


def html(answer: Answer) -> str:
    """Render as a web page with the reasons below each paper, and COinS for Zotero."""
    papers = [item.paper for item in answer.recommendations]
    notes = []
    for item in answer.recommendations:
        chance = f"{percent(item.probability)} chance of being cited"
        reasons = [reason.text for reason in item.reasons]
        notes.append([chance, *reasons, *other_versions(item)])
        if where := where_of(answer, item.paper.id):
            notes[-1].append(f"fits at {': '.join(where)}")
    return web_page(papers, notes=notes, heading=_heading(answer))


def _heading(answer: Answer) -> str:
    title = one_line(answer.title)
    return f"Recommended papers for \u201c{title}\u201d" if title else "Recommended papers"
