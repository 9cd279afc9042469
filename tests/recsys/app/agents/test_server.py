"""The server of agents: errors, HTTP behind the checks of the page, and the process itself."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import INVALID_PARAMS
from starlette.testclient import TestClient

from recsys.app.agents.server import PATH, make_application, make_server, said
from recsys.app.agents.tools import TOOLS, Desk
from recsys.app.web.service import Service
from recsys.errors import ArtifactCorrupt, ArtifactMissing, InputError
from tests.built_index import ROOT, Built
from tests.conftest import RunCli
from tests.recsys.app.agents.agent import Agent
from tests.recsys.app.web.served import HOST, TOKEN, settings_of
from tests.rows import each_row

# Errors.


@each_row(
    ("error", "expected"),
    [
        (ArtifactCorrupt("/home/ada/my.index/ranker/trees.txt is cut short.", "Build it again."),
         "trees.txt is cut short. Build it again."),
        (ArtifactMissing("There is no index at '/home/ada/my index'.", "See C:\\ada\\a.log."),
         "There is no index at 'my index'. See a.log."),
        (InputError("/allowed/a.tex is empty.", "See https://doi.org/10.1/x, or 10.1/y."),
         "/allowed/a.tex is empty. See https://doi.org/10.1/x, or 10.1/y."),
        (InputError("Two\nlines.", "And a hint."), "Two lines. And a hint."),
        (MemoryError(), "There is not enough memory. Give less at once."),
    ],
)  # fmt: skip
def test_an_error_names_no_folder_but_those_that_are_allowed(
    error: Exception, expected: str
) -> None:
    assert said(error, [Path("/allowed")]) == expected


def broken(desk: Desk, asked: object) -> dict[str, Any]:
    """Fail."""
    raise ValueError("a draft at /home/ada")


def test_a_failure_quotes_nothing_to_agents_and_its_place_alone_on_stderr(
    built: Built, capfd: pytest.CaptureFixture[str]
) -> None:
    service = Service(settings_of(built.index))
    agent = Agent(make_server(service, tools=[replace(TOOLS[-1], run=broken)]))
    refused, text = agent.text("broken")
    service.close()
    assert refused and text.startswith("This is an error in recsys, and not in the question.")
    err = capfd.readouterr().err
    assert "internal error: ValueError at " in err and "ada" not in text + err


def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol(agent: Agent) -> None:
    async def ask() -> MCPError:
        async with Client(agent.server) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("find_paper", {})
            return caught.value

    error = anyio.run(ask)
    assert error.code == INVALID_PARAMS
    assert str(error).startswith("There is no tool 'find_paper'. Did you mean 'get_paper'?")


# HTTP.

HEADERS = {"accept": "application/json, text/event-stream"}
BEARER = {"authorization": f"Bearer {TOKEN}"}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "get_paper", "arguments": {"id": "rivers-05"}},
}


@pytest.fixture(scope="module")
def http(built: Built) -> Iterator[TestClient]:
    """Ask over HTTP, with the token where a test sends it."""
    service = Service(settings_of(built.index, token=TOKEN))
    application = make_application(make_server(service), service)
    with TestClient(application, base_url=f"http://{HOST}", headers=HEADERS) as client:
        yield client


def test_a_client_with_the_token_is_answered_without_a_session(http: TestClient) -> None:
    answer = http.post(PATH, json=CALL, headers=BEARER)
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"
    assert "mcp-session-id" not in answer.headers
    assert answer.json()["result"]["structuredContent"]["id"] == "rivers-05"


@each_row(
    ("method", "path", "headers", "status"),
    [
        ("POST", PATH, {}, 401),
        ("POST", PATH, {"authorization": "Bearer another-token-of-many"}, 401),
        ("POST", PATH, BEARER | {"host": "evil.example:8000"}, 421),
        ("POST", PATH, BEARER | {"host": "127.0.0.1:9"}, 421),
        ("POST", PATH, BEARER | {"origin": "http://evil.example"}, 403),
        ("POST", PATH, BEARER | {"origin": "null"}, 403),
        ("POST", PATH, BEARER | {"sec-fetch-site": "cross-site"}, 403),
        ("GET", PATH, BEARER, 405),
        ("DELETE", PATH, BEARER, 405),
        ("GET", "/.well-known/oauth-protected-resource", BEARER, 404),
    ],
)
def test_strangers_and_other_addresses_are_refused_as_the_page_refuses_them(
    http: TestClient, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    sent = {"json": CALL} if method == "POST" else {}
    answer = http.request(method, path, headers=headers, **sent)  # type: ignore[arg-type]  # JSON.
    assert answer.status_code == status
    assert answer.json()["hint"] and "structuredContent" not in answer.text


def test_a_body_that_is_too_large_is_refused_unread(http: TestClient) -> None:
    answer = http.post(PATH, content=b" " * (16 * 2**20 + 1), headers=BEARER)
    assert answer.status_code == 413


# The command.


@each_row(
    ("words", "expected"),
    [
        (("--token", "a" * 20), "Invalid value for --token: it goes with --http."),
        (("--http", "--quiet"), "with --quiet, a new one is not shown"),
        (("--http", "--token", "short"), "A token needs at least 16"),
        (("--root", "no-such-folder"), "There is no folder no-such-folder."),
        (("--index", "no.index"), "no.index"),
    ],
)
def test_the_command_says_what_is_wrong(
    built: Built, run_cli: RunCli, words: tuple[str, ...], expected: str
) -> None:
    index = () if "--index" in words else ("--index", built.index)
    done = run_cli("mcp", *index, *words, "--port", 0)
    assert done.code in (1, 2) and expected in done.err and not done.out


def test_a_client_starts_it_asks_it_and_it_ends_with_its_input(built: Built) -> None:
    words = ["-m", "tests.run_recsys", "mcp", "--index", str(built.index)]
    started = StdioServerParameters(
        command=sys.executable, args=words, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT
    )

    async def ask() -> tuple[int, dict[str, Any]]:
        async with Client(started) as client:
            tools = (await client.list_tools()).tools
            found = await client.call_tool("corpus_info", {})
            assert found.structured_content is not None
            return len(tools), found.structured_content

    count, info = anyio.run(ask)
    assert (count, info["name"]) == (len(TOOLS), "small")


def test_it_ends_cleanly_when_its_input_ends(built: Built) -> None:
    words = [sys.executable, "-m", "tests.run_recsys", "mcp", "--index", str(built.index)]
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "a test", "version": "1"},
        },
    }
    done = subprocess.run(
        words, input=json.dumps(hello) + "\n", capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["result"]["serverInfo"]["name"] == "recsys"
