"""README and the pages of docs, and the commands that they show."""

import glob
import re
import shlex
from pathlib import Path
from typing import Any

import typer

from docs.made.commands import walk
from docs.made.words import pages
from recsys.app.cli.program import application

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *pages()]
}
README = PAGES["README.md"]
COMMANDS: dict[str, Any] = {
    name.removeprefix("recsys "): command
    for name, command in walk(typer.main.get_command(application()))
}


def blocks(page: str, language: str) -> list[str]:
    fences = re.findall(r"^```([^\n]*)\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL)
    return [text for named, text in fences if named == language]


def lines(page: str, language: str) -> list[str]:
    return [line for each in blocks(page, language) for line in each.splitlines() if line.strip()]


def shown(*pages: str) -> list[str]:
    """List the commands of recsys on some pages, each once."""
    found = (line for page in pages for line in lines(page, "sh") if line.startswith("recsys "))
    return list(dict.fromkeys(found))


def words_of(line: str) -> tuple[list[str], str]:
    """Split a command into its words and the file that it reads from stdin."""
    command, _, file = line.partition(" < ")
    words = shlex.split(command, comments=True)[1:]
    return [each for word in words for each in expanded(word)], file.strip()


def expanded(word: str) -> list[str]:
    """Do what a shell does to a word with * or ~; a pattern of an option is left as it is."""
    if word.startswith("~/"):
        return [str(Path(word).expanduser())]
    return (sorted(glob.glob(word)) if re.search(r"\*.*\.", word) else []) or [word]
