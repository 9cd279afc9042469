"""Draw an answer on a terminal: wrapped to its width, in its colours."""

from typing import TYPE_CHECKING

from recsys.app.terminal import no_colour
from recsys.formats.answers import facts, other_versions, percent, where_of
from recsys.formats.local_answers.shown_gaps import (
    HERE,
    NOTHING_FITS,
    GapKeys,
    around,
    headline,
    key_line,
    place_of,
)
from recsys.formats.references.shown_facts import one_line
from recsys.records import Answer, LocalAnswer, Recommendation

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def coloured_table(answer: Answer) -> str:
    """Draw the table of an answer; with NO_COLOR, without bold and dim letters either."""
    grid = _grid()
    for item in answer.recommendations:
        cell = _paper(item)
        if where := where_of(answer, item.paper.id):
            cell.append(f"\n{where[0]}", style="not bold cyan")
            cell.append(f"  {where[1]}", style="not bold")
        grid.add_row(str(item.rank), percent(item.probability), cell)
    console = _console()
    with console.capture() as capture:
        console.print(grid)
    return capture.get()


def coloured_gaps(answer: LocalAnswer, keys: GapKeys) -> str:
    """Draw an answer sentence by sentence; with NO_COLOR, without bold and dim letters either."""
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
            grid = _grid(ranks=3, percents=5)
            for item in gap.recommendations:
                cell = _paper(item)
                cell.append(f"\n{key_line(keys, item.paper.id)}", style="not bold magenta")
                grid.add_row(str(item.rank), percent(item.probability), cell)
            if not gap.recommendations:
                grid.add_row("", "", NOTHING_FITS)
            console.print(grid)
    return capture.get()


def _console() -> "Console":
    from rich.console import Console

    return Console(highlight=False, color_system=None if no_colour() else "auto")


def _grid(*, ranks: int | None = None, percents: int | None = None) -> "Table":
    """Make a table of rank, probability and paper; ranks, percents: the least width of a column."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="dim", no_wrap=True, min_width=ranks)
    grid.add_column(justify="right", style="green", no_wrap=True, min_width=percents)
    grid.add_column()
    return grid


def _paper(item: Recommendation) -> "Text":
    """Write title, facts, reasons and other versions of a paper."""
    from rich.text import Text

    cell = Text(one_line(item.paper.title) + "\n", style="bold")
    cell.append(facts(item), style="not bold dim")
    for note in (*(one_line(reason.text) for reason in item.reasons), *other_versions(item)):
        cell.append(f"\n- {note}", style="not bold")
    return cell
