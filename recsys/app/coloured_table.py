"""Draw an answer on a terminal: wrapped to its width, in colours, with links to the papers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from recsys.app.terminal import no_colour
from recsys.formats.answers import Line, paper_lines, percent, place_line
from recsys.formats.local_answers.shown_gaps import (
    HERE,
    INDENT,
    GapKeys,
    around,
    gap_lines,
    headline,
    place_of,
    shown_papers,
)
from recsys.formats.references.shown_facts import one_line, paper_link
from recsys.records import Answer, LocalAnswer, Recommendation

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"title": "bold", "facts": "dim", "place": "cyan", "key": "magenta", "details": "dim"}
_NARROWEST = 20
"""Columns of a text, however narrow the terminal is."""


def coloured_table(answer: Answer, *, verbose: bool = False) -> str:
    """Draw the table of an answer; with NO_COLOR, without bold and dim letters and links either."""
    console = _console()
    with console.capture() as capture:
        for number, item in enumerate(answer.recommendations):
            lines = (*paper_lines(item, verbose=verbose), *place_line(answer, item))
            _draw(console, item, lines, apart=number > 0)
    return capture.get()


def coloured_gaps(answer: LocalAnswer, keys: GapKeys, *, verbose: bool = False) -> str:
    """Draw an answer sentence by sentence; see `coloured_table`."""
    from rich.padding import Padding
    from rich.text import Text

    console = _console()
    with console.capture() as capture:
        for number, gap in enumerate(answer.gaps):
            heading = Text.assemble((place_of(answer, gap), "bold cyan"), f": {headline(gap)}")
            console.print(*[""] * bool(number), heading, sep="\n")
            before, after = around(gap)
            sentence = Text.assemble(before, (HERE, "bold yellow"), after)
            console.print(Padding(sentence, (0, 0, 0, 4)))
            papers, why = shown_papers(gap, verbose=verbose)
            for item in papers:
                _draw(console, item, gap_lines(item, keys, verbose=verbose), apart=True)
            if why is not None:
                console.print(f"\n{INDENT}{why}")
    return capture.get()


def _console() -> "Console":
    from rich.console import Console

    return Console(highlight=False, color_system=None if no_colour() else "auto")


def _draw(
    console: "Console", item: Recommendation, lines: Iterable[Line], *, apart: bool = False
) -> None:
    """Draw a paper: rank and probability, and beside them each line, wrapped between words."""
    from rich.style import Style
    from rich.text import Text

    head = Text.assemble(
        (f"{item.rank:>3}", "dim"), "  ", (f"{percent(item.probability):>5}", "green"), "  "
    )
    width, link = max(console.width - head.cell_len, _NARROWEST), paper_link(item.paper)
    if apart:
        console.print()
    for kind, text in lines:
        style = Style.parse(_STYLES.get(kind, ""))
        if kind == "title" and link:
            style += Style(link=one_line(link))
        # A web address stays whole; a title without spaces, as in Chinese, does not.
        line = Text(text, style, overflow="ignore" if kind == "details" else "fold")
        for part in line.wrap(console, width):
            part.rstrip()
            console.print(Text.assemble(head, part), soft_wrap=True)
            head = Text(INDENT)
