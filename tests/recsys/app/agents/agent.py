"""An agent that asks the tools of a small index, by the client of the SDK, in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.server import Server
from mcp_types import CallToolResult, TextContent, Tool

from recsys.app.agents.server import make_server
from recsys.app.web.service import Service
from tests.recsys.app.web.served import settings_of


@dataclass(frozen=True, slots=True)
class Agent:
    """Asks a server, each time as a new client."""

    server: Server[dict[str, Any]]

    def tools(self) -> list[Tool]:
        """List the tools."""

        async def run() -> list[Tool]:
            async with Client(self.server) as client:
                return (await client.list_tools()).tools

        return anyio.run(run)

    def call(self, name: str, /, **arguments: object) -> CallToolResult:
        """Call a tool."""

        async def run() -> CallToolResult:
            async with Client(self.server) as client:
                return await client.call_tool(name, arguments)

        return anyio.run(run)

    def answer(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """Return the structured answer of a tool."""
        result = self.call(name, **arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def text(self, name: str, /, **arguments: object) -> tuple[bool, str]:
        """Return whether a tool refuses, and the text that it answers with."""
        result = self.call(name, **arguments)
        (block,) = result.content
        assert isinstance(block, TextContent)
        return bool(result.is_error), block.text


@contextmanager
def asking(index: Path, *roots: Path) -> Iterator[Agent]:
    """Give an agent that may name files below the roots."""
    service = Service(settings_of(index))
    try:
        yield Agent(make_server(service, roots))
    finally:
        service.close()
