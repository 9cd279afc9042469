"""Draw an answer on a terminal: wrapped to its width, in its colours."""

from recsys.app.output import no_colour
from recsys.formats.answers import facts, other_versions, percent
from recsys.formats.references.shown_facts import one_line
from recsys.formats.shown_places import where_of
from recsys.records import Answer


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
