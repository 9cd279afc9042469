"""Write an answer as Markdown: a heading a gap, the sentence, the papers, and the BibTeX below."""

import re
from collections.abc import Iterator

from recsys.formats.answers import found_by, other_versions, percent
from recsys.formats.local_answers.gap_keys import GapKeys, papers_of
from recsys.formats.local_answers.gap_table import NOTHING_FITS, key_line
from recsys.formats.local_answers.shown_gaps import around, headline, nothing_found, place_of
from recsys.formats.references.markdown_items import escaped, markdown_item
from recsys.formats.references.shown_facts import one_line
from recsys.passages import Gap, LocalAnswer
from recsys.records import Recommendation

_FENCE = re.compile(r"`{3,}")


def gap_markdown(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as Markdown."""
    if not answer.gaps:
        return f"{escaped(nothing_found(answer))}\n"
    parts = [f"{escaped(answer.understood)}\n"] if answer.understood else []
    parts += [_section(answer, gap, keys) for gap in answer.gaps]
    entries = "\n".join(filter(None, map(keys.entry_of, papers_of(answer))))
    if entries:
        fence = "`" * max([3, *(len(each) + 1 for each in _FENCE.findall(entries))])
        parts.append(f"## BibTeX\n\n{fence}bibtex\n{entries}{fence}\n")
    return "\n".join(parts)


def _section(answer: LocalAnswer, gap: Gap, keys: GapKeys) -> str:
    before, after = map(_spaced, around(gap))
    lines = [
        f"## {escaped(place_of(answer, gap))}: {headline(gap)}",
        "",
        f"> {before}**\\[?\\]**{after}",
        "",
    ]
    for item in gap.recommendations:
        lines += _item(item, keys)
    return "".join(f"{line}\n" for line in lines or ()) + (
        "" if gap.recommendations else f"{NOTHING_FITS}\n"
    )


def _item(item: Recommendation, keys: GapKeys) -> Iterator[str]:
    yield f"{item.rank}. {markdown_item(item.paper)} **{percent(item.probability)}**"
    notes = [key_line(keys, item.paper.id), *(reason.text for reason in item.reasons)]
    notes += other_versions(item)
    yield from (f"    - {escaped(note)}" for note in [*notes, found_by(item)] if note)


def _spaced(text: str) -> str:
    """Escape what means something in Markdown; the spaces at the ends stay."""
    start, end = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' * start}{escaped(one_line(text))}{' ' * end}"
