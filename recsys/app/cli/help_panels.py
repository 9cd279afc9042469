"""Lay out `--help`: commands and options under headings, each description whole.

typer's own panels import rich, which takes longer than all the rest of `recsys --help`, and read
`citerec[pdf]` as markup. The headings are those that typer knows as `rich_help_panel`.
"""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from textwrap import fill
from typing import Any

from recsys.app.terminal import no_colour

COMMAND_PANELS: Mapping[str, str] = {
    "Ask": "recommend cite check watch map serve lsp mcp",
    "Build": "build update train corpus fetch add-contexts inspect doctor",
    "Evaluate": "evaluate report compare repeats batch evaluate-local evaluate-watch",
    "Research": "embed study",
}
"""Heading in `recsys --help` -> the commands and groups of commands below it."""
OPTION_PANELS: Mapping[str, str] = {
    "Filters": "venues types exclude_authors exclude_own library exclude_library keep_front_matter",
    "Input": "title abstract root grobid yes columns apart titles_only keyphrases",
    "Changes to the draft": "fill patch least accept",
    "Ranking": "not_like as_of diversity candidates no_metadata nnselect_features",
    "Vectors and search": "pooling precision embeddings vectors text",
    "Studies": "k_study self_citation seed_study",
    "Limits": "workers threads queue timeout max_body",
    "Computing": "seed no_wait jobs engine address num_gpus device",
    "Output": "out_dir to keys quiet json_errors help",
}
"""Heading in the help of a command -> names of parameters. All others stand under "Options", and so
do those that would be alone. A parameter may name another heading itself, by `rich_help_panel`."""
WIDEST = 120
"""Columns of help on a terminal that has more: longer lines are hard to read."""

_SHORT_LIST = 12
"""Options of a command that need no headings."""
_LONGEST_NAME = 24
"""Columns of an option's name; the description of a longer one begins on the next line."""
PANEL_OF_OPTION = {name: panel for panel, names in OPTION_PANELS.items() for name in names.split()}
_OPTION_ORDER = ("Arguments", "Options", *OPTION_PANELS)
PANEL_OF_COMMAND = {
    name: panel for panel, names in COMMAND_PANELS.items() for name in names.split()
}
"""Name of an option, or of a command or a group -> the heading that it stands under."""
_PLACES = {name: place for place, name in enumerate(PANEL_OF_COMMAND)}


# Commands, contexts and formatters are those of typer's own copy of click, which has no types.


def parameter_record(parameter: Any, context: Any) -> tuple[str, str] | None:  # noqa: ANN401
    """Return how an argument or option is called, and what it means; None where it is hidden.

    Of its bounds, those go without saying that no number of things falls below.
    """
    record = parameter.get_help_record(context)
    if record is None:
        return None
    name, text = record
    if parameter.param_type_name == "argument":
        name = name.partition(" <")[0]
    meaning, bracket, aside = text.rpartition("  [")
    if not bracket:
        return name, text
    aside = re.sub(r"(; )?x>=[01](\.0)?\b", "", aside.removesuffix("]"))
    aside = re.sub(r"x>=([\d.]+)", r"at least \1", aside)
    aside = re.sub(r"([\d.]+)<=x<=([\d.]+)", r"\1 to \2", aside.removeprefix("; "))
    aside = re.sub(r"default: \((.*?)\)", r"default: \1", aside)
    return name, f"{meaning} [{aside}]" if aside else meaning


def write_options(parameters: Iterable[Any], context: Any, formatter: Any) -> None:  # noqa: ANN401
    """Write arguments and options, the most used first, the others panel by panel."""
    panels: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in parameters:
        if record := parameter_record(each, context):
            if each.param_type_name == "argument":
                panels["Arguments"].append(record)
            else:
                panel = each.rich_help_panel or PANEL_OF_OPTION.get(each.name, "Options")
                panels[panel].append(record)
    short = sum(map(len, panels.values())) <= _SHORT_LIST
    alone = {name for name, rows in panels.items() if short or len(rows) == 1} - {"Arguments"}
    merged = chain.from_iterable(panels[name] for name in _OPTION_ORDER if name in alone)
    panels["Options"] = [*panels["Options"] * ("Options" not in alone), *merged]
    shown = [name for name in _OPTION_ORDER if name not in alone - {"Options"}]
    _write({name: panels[name] for name in shown}, formatter)


def write_commands(group: Any, context: Any, formatter: Any) -> None:  # noqa: ANN401
    """Write the commands of a group, panel by panel, with the whole first paragraph of each."""
    panels: dict[str, list[tuple[str, str]]] = {name: [] for name in (*COMMAND_PANELS, "Commands")}
    names = group.list_commands(context)
    for name in sorted(names, key=_PLACES.__getitem__) if context.parent is None else names:
        panel = PANEL_OF_COMMAND.get(name) if context.parent is None else None
        first, _, _ = group.get_command(context, name).help.partition("\n\n")
        panels[panel or "Commands"].append((name, " ".join(first.split())))
    _write(panels, formatter)


def _write(panels: Mapping[str, Sequence[tuple[str, str]]], formatter: Any) -> None:  # noqa: ANN401
    """Write headings and lists, whose second column begins in one place."""
    names = [name for rows in panels.values() for name, _ in rows]
    width = max((len(name) for name in names if len(name) <= _LONGEST_NAME), default=0)
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    bold = is_terminal and not no_colour() and os.environ.get("TERM") != "dumb"
    for panel, rows in panels.items():
        if rows:
            with formatter.section(f"\x1b[1m{panel}\x1b[0m" if bold else panel):
                for name, text in rows:
                    formatter.write(_row(f"{name:<{width}}", text, formatter, width + 4))


def write_text(text: str | None, formatter: Any) -> None:  # noqa: ANN401
    """Write the paragraphs that say what a command does."""
    for paragraph in (text or "").split("\n\n"):
        formatter.write_paragraph()
        formatter.write(_row("", paragraph, formatter, 2))


def _row(name: str, text: str, formatter: Any, indent: int) -> str:  # noqa: ANN401
    """Wrap a text beside its name, below where the name is longer; no word is parted."""
    wrapped = fill(
        " ".join(text.split()),
        formatter.width,
        initial_indent=" " * indent,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    first = f"  {name}".rstrip() if name else ""
    if len(first) > indent - 2 and name:
        return f"{first}\n{wrapped}\n"
    return f"{first:<{indent}}{wrapped[indent:]}\n"
