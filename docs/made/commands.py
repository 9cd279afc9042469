"""Write the reference of the command line from the program itself."""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import typer

from docs.made.tables import code, table, words
from recsys.app.cli.program import application

Command: TypeAlias = Any
"""A command of typer's, which brings its own copy of click."""

_ASIDE = re.compile(r"(.*?)\s*\[([^\[\]]*)\]", re.DOTALL)
"""What help says of a parameter, and in brackets its default and bounds."""


def walk(command: Command, name: str = "recsys") -> Iterator[tuple[str, Command]]:
    """Yield every command that does something, by its full name, in the order of the program."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
    for word, child in (inner or {}).items():
        yield from walk(child, f"{name} {word}")


def commands() -> str:
    """Write a section for each command: what it does, its usage, arguments and options."""
    sections = (_section(*found) for found in walk(typer.main.get_command(application())))
    return "\n\n".join(sections)


def _section(name: str, command: Command) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    records = [each.get_help_record(context) for each in command.params]
    rows = [_row(*record) for record in records if record is not None]
    return "\n\n".join(
        [
            f"## {name}",
            _paragraphs(command.help),
            f"```\n{usage}\n```",
            table(("parameter", "meaning", "default"), rows),
        ]
    )


def _row(parameter: str, text: str) -> tuple[str, str, str]:
    found = _ASIDE.fullmatch(text)
    meaning, aside = found.groups() if found else (text, "")
    default = aside.removeprefix("default: ")
    bare = re.fullmatch(r"\((.*)\)(.*)", default)
    name, choices = _choices(parameter)
    said = f"{words(meaning)} {choices}".strip()
    return code(name), said, words("".join(bare.groups()) if bare else default)


def _choices(parameter: str) -> tuple[str, str]:
    """Split `--format <table|json>` into the option and a sentence on what it takes."""
    name, _, rest = parameter.partition(" <")
    values = rest.removesuffix(">").split("|")
    if len(values) < 2:
        return parameter, ""
    return name, f"One of {', '.join(map(code, values))}."


def _paragraphs(text: str) -> str:
    return "\n\n".join(words(" ".join(part.split())) for part in text.split("\n\n"))
