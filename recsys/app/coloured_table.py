"""Draw an answer on a terminal: wrapped to its width, in its colours."""

from typing import TYPE_CHECKING

from recsys.app.answer_writing import no_colour
from recsys.formats.answers import facts, other_versions, percent
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
from recsys.formats.shown_places import where_of
from recsys.passages import Gap, LocalAnswer
from recsys.records import Answer, Recommendation

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def coloured_table(answer: Answer) -> str:
    """Draw the table of an answer; with NO_COLOR, without bold and dim letters either."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="dim", no_wrap=True)
    grid.add_column(justify="right", style="green", no_wrap=True)
    grid.add_column()
    for item in answer.recommendations:
        cell = Text(one_line(item.paper.title) + "\n", style="bold")
        cell.append(facts(item), style="not bold dim")
        for reason in item.reasons:
            cell.append(f"\n- {one_line(reason.text)}", style="not bold")
        for line in other_versions(item):
            cell.append(f"\n- {line}", style="not bold")
        if where := where_of(answer, item.paper.id):
            cell.append(f"\n{where[0]}", style="not bold cyan")
            cell.append(f"  {where[1]}", style="not bold")
        grid.add_row(str(item.rank), percent(item.probability), cell)
    console = Console(highlight=False, color_system=None if no_colour() else "auto")
    with console.capture() as capture:
        console.print(grid)
    return capture.get()


# Draw an answer sentence by sentence on a terminal: wrapped to its width, in its colours.


def coloured_gaps(answer: LocalAnswer, keys: GapKeys) -> str:
    """Draw the gaps of an answer; with NO_COLOR, without bold and dim letters either."""
    from rich.console import Console
    from rich.padding import Padding

    console = Console(highlight=False, color_system=None if no_colour() else "auto")
    with console.capture() as capture:
        for number, gap in enumerate(answer.gaps):
            console.print(*[""] * bool(number), _heading(answer, gap), sep="\n")
            console.print(Padding(_sentence(gap), (0, 0, 0, 4)))
            console.print(_papers(gap, keys))
    return capture.get()


def _heading(answer: LocalAnswer, gap: Gap) -> "Text":
    from rich.text import Text

    return Text.assemble((place_of(answer, gap), "bold cyan"), f": {headline(gap)}")


def _sentence(gap: Gap) -> "Text":
    from rich.text import Text

    before, after = around(gap)
    return Text.assemble(before, (HERE, "bold yellow"), after)


def _papers(gap: Gap, keys: GapKeys) -> "Table":
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="dim", no_wrap=True, min_width=3)
    grid.add_column(justify="right", style="green", no_wrap=True, min_width=5)
    grid.add_column()
    for item in gap.recommendations:
        grid.add_row(str(item.rank), percent(item.probability), _paper(item, keys))
    if not gap.recommendations:
        grid.add_row("", "", NOTHING_FITS)
    return grid


def _paper(item: Recommendation, keys: GapKeys) -> "Text":
    from rich.text import Text

    cell = Text(one_line(item.paper.title) + "\n", style="bold")
    cell.append(facts(item), style="not bold dim")
    for note in (*(one_line(reason.text) for reason in item.reasons), *other_versions(item)):
        cell.append(f"\n- {note}", style="not bold")
    cell.append(f"\n{key_line(keys, item.paper.id)}", style="not bold magenta")
    return cell
