"""Write the reference of the command line from the program itself."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import typer

from docs.made.tables import words
from recsys.app.cli.help_panels import parameter_record
from recsys.app.cli.program import application

Command: TypeAlias = Any
"""A command of typer's, which brings its own copy of click."""

SHARED = "Options of several commands"
STUDIES = "recsys study "
_ASIDE = re.compile(r"(.*?)\s*\[([^\[\]]*)\]", re.DOTALL)
"""What help says of a parameter, and in brackets its default and bounds."""


class Parameter(NamedTuple):
    """An argument or option as help shows it: its name, what it means, its default and bounds."""

    name: str
    meaning: str
    aside: str

    @classmethod
    def of(cls, name: str, text: str) -> "Parameter":
        """Split what help says; the choices of `--format <table|json>` become part of it."""
        found = _ASIDE.fullmatch(text)
        meaning, aside = found.groups() if found else (text, "")
        option, _, rest = name.partition(" <")
        if rest:
            choices = ", ".join(f"`{choice}`" for choice in rest.removesuffix(">").split("|"))
            return cls(option, f"{words(meaning)} One of {choices}.", aside)
        return cls(name, words(meaning), aside)

    @property
    def option(self) -> str:
        """The long name alone, without what it takes."""
        return self.name.rpartition(", ")[2].partition(" ")[0]

    def line(self) -> str:
        """Write it as an item of a list."""
        aside = f" ({words(self.aside.removeprefix('default: '))})" if self.aside else ""
        return f"- `{self.name}`: {self.meaning.removesuffix('.')}{aside}."


def walk(command: Command, name: str = "recsys") -> Iterator[tuple[str, Command]]:
    """Yield every command that does something, by its full name, in the order of the program."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
    for word, child in (inner or {}).items():
        yield from walk(child, f"{name} {word}")


def commands() -> str:
    """Write the options that commands share, and a section for each: what it does, its own options.

    An option that means the same in several commands is explained once; those of studies are only
    named.
    """
    program = typer.main.get_command(application())
    told = {name: (command, _parameters(name, command)) for name, command in walk(program)}
    explained = {name: each for name, (_, each) in told.items() if not name.startswith(STUDIES)}
    every = [each for parameters in explained.values() for each in parameters]
    counts = Counter(each[:2] for each in every)
    shared = {each[:2]: each for each in reversed(every) if counts[each[:2]] > 1}
    ordered = sorted(shared.values(), key=lambda each: each.name.lstrip("-").lower())
    sections = [f"## {SHARED}", "\n".join(each.line() for each in ordered)]
    for name, (command, parameters) in told.items():
        about = [words(" ".join(part.split())) for part in command.help.split("\n\n")]
        if name not in explained:
            named = ", ".join(f"`{each.option}`" for each in parameters)
            sections += [f"## {name}", about[0], f"Options: {named}."]
            continue
        own = [each.line() for each in parameters if each[:2] not in shared]
        also = _also([each for each in parameters if each[:2] in shared], shared)
        sections += [f"## {name}", *about, "\n".join([*own, *also])]
    return "\n\n".join(sections)


def _parameters(name: str, command: Command) -> list[Parameter]:
    """Return the parameters of a command but `--help`, and `--json-errors`, which all have."""
    context = command.make_context(name, [], resilient_parsing=True)
    said = [each for each in command.params if each.name != "json_errors"]
    records = (parameter_record(each, context) for each in said)
    return [Parameter.of(*record) for record in records if record is not None]


def _also(parameters: Sequence[Parameter], defaults: dict[tuple[str, str], Parameter]) -> list[str]:
    """Name the shared options of a command, with the defaults that are its own."""
    names = []
    for each in parameters:
        differs = each.aside != defaults[each[:2]].aside
        default = words(each.aside.removeprefix("default: ")) or "no default"
        names.append(f"`{each.option}`" + f" ({default})" * differs)
    return [f"- Also {', '.join(names)}."] if names else []
