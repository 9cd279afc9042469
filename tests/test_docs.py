"""The command line and the README speak of the same program."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from recsys.app.cli.program import app
from recsys.formats.drafts.draft_formats import read_draft
from recsys.formats.drafts.objects import KEYS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def commands() -> dict[str, Any]:
    """Return every command of the program by its full name."""
    found: dict[str, Any] = {}

    def walk(command: Any, words: tuple[str, ...]) -> None:  # noqa: ANN401 - typer's own classes.
        inner = getattr(command, "commands", None)
        if inner is None:
            found[" ".join(words)] = command
        for name, child in (inner or {}).items():
            walk(child, (*words, name))

    walk(typer.main.get_command(app), ())
    return found


COMMANDS = commands()


def readme_lines(language: str) -> list[str]:
    blocks = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def test_the_program_has_the_promised_commands() -> None:
    promised = {"recommend", "build", "train ranker", "batch", "inspect", "doctor"}
    assert promised <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_explains_itself_in_sentences(name: str) -> None:
    command = COMMANDS[name]
    assert command.help and re.match(r"[A-Z]", command.help)
    assert command.help.strip().endswith(".")
    for parameter in command.params:
        assert re.match(r"[A-Z`]", parameter.help or ""), parameter.name
        assert parameter.help.endswith((".", "programs.")), parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    assert f"recsys {name}" in README


@pytest.mark.parametrize(
    "line", [line for line in readme_lines("sh") if line.startswith("recsys ")]
)
def test_the_readme_uses_commands_and_options_that_exist(line: str) -> None:
    words = shlex.split(line.partition("<")[0], comments=True)[1:]
    name = max((n for n in COMMANDS if words[: len(n.split())] == n.split()), key=len)
    command, rest = COMMANDS[name], words[len(name.split()) :]
    context = command.make_context("recsys", rest, resilient_parsing=False)
    assert context.params


@pytest.mark.parametrize("line", re.findall(r"`?(make [a-z]+)", README))
def test_the_readme_names_targets_that_exist(line: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    assert line.split()[1] in targets | {"install"}


def test_every_target_is_documented_in_the_makefile() -> None:
    phony = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()
    explained = re.findall(r"^([a-z]+):.* ## .*\.$", MAKEFILE, re.MULTILINE)
    assert sorted(phony) == sorted(explained)


def test_the_readme_explains_every_key_of_a_draft() -> None:
    section = README.partition("### A draft")[2].partition("###")[0]
    assert all(f"`{key}`" in section for key in KEYS)


def test_the_readme_has_every_exit_code() -> None:
    assert all(f"| {code} |" in README for code in (0, 1, 2, 3, 130))


def test_json_in_the_readme_is_json() -> None:
    assert all(json.loads(line) for line in readme_lines("json"))


def test_the_python_in_the_readme_compiles() -> None:
    compile("\n".join(readme_lines("python")), "README.md", "exec")


def test_every_example_is_a_draft() -> None:
    for path in sorted((ROOT / "examples").glob("*.json")):
        assert read_draft(path).title
