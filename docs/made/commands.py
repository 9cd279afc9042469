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
    sections = []
    for name, command in walk(typer.main.get_command(application())):
        context = command.make_context(name, [], resilient_parsing=True)
        usage = " ".join([name, *command.collect_usage_pieces(context)])
        records = [each.get_help_record(context) for each in command.params]
        rows = [parameter_row(*record) for record in records if record is not None]
        about = [words(" ".join(part.split())) for part in command.help.split("\n\n")]
        parameters = table(("parameter", "meaning", "default"), rows)
        sections += [f"## {name}", *about, f"```\n{usage}\n```", parameters]
    return "\n\n".join(sections)


def parameter_row(parameter: str, text: str) -> tuple[str, str, str]:
    """Split what help says: the option, its meaning and choices, and its default."""
    found = _ASIDE.fullmatch(text)
    meaning, aside = found.groups() if found else (text, "")
    default = aside.removeprefix("default: ")
    bare = re.fullmatch(r"\((.*)\)(.*)", default)
    name, _, rest = parameter.partition(" <")  # `--format <table|json>`.
    values, said = rest.removesuffix(">").split("|"), words(meaning)
    if len(values) < 2:
        name = parameter
    else:
        said = f"{said} One of {', '.join(map(code, values))}."
    return code(name), said.strip(), words("".join(bare.groups()) if bare else default)
