"""What registries and desktop assistants are told of `recsys mcp` is what there is."""

import json
import tomllib
from typing import Any

import typer.main

from recsys.app.agents.tools import TOOLS
from recsys.app.cli.program import application
from recsys.store.artifacts import VERSION
from tests.built_index import ROOT

FOLDER = ROOT / "packages" / "mcp"
SERVER: dict[str, Any] = json.loads((FOLDER / "server.json").read_text(encoding="utf-8"))
MANIFEST: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
LONGEST_DESCRIPTION = 100
"""Of the registry."""


def test_one_version_and_one_package_everywhere() -> None:
    (package,) = SERVER["packages"]
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = SERVER["version"], package["version"], MANIFEST["version"], project["version"]
    assert {*versions} == {VERSION}
    needed = f"citerec[mcp]=={VERSION}"
    assert project["dependencies"] == [needed] == [package["runtimeArguments"][0]["value"]]
    assert f"<!-- mcp-name: {SERVER['name']} -->" in (ROOT / "README.md").read_text(
        encoding="utf-8"
    )
    assert SERVER["description"] == MANIFEST["description"]
    assert len(SERVER["description"]) <= LONGEST_DESCRIPTION


def test_the_words_that_start_it_are_those_of_the_command() -> None:
    (package,) = SERVER["packages"]
    first, *named = package["packageArguments"]
    assert first["value"] == "mcp"
    command = typer.main.get_command(application(["mcp"])).commands["mcp"]  # type: ignore[attr-defined]  # A group.
    known = {option for parameter in command.params for option in parameter.opts}
    assert {each["name"] for each in named} <= known
    config = MANIFEST["server"]["mcp_config"]
    words = config["args"][config["args"].index(MANIFEST["server"]["entry_point"]) + 1 :]
    assert {*words[::2]} <= known
    asked = {f"${{user_config.{name}}}" for name in MANIFEST["user_config"]}
    assert {*words[1::2]} == asked


def test_the_bundle_lists_the_tools() -> None:
    listed = [{"name": tool.name, "description": tool.description} for tool in TOOLS]
    assert MANIFEST["tools"] == listed
