"""The session that the page on agents shows is one that an agent has."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from docs.made.marked_pages import splice
from recsys.app.wiring import starter_index
from tests.docs.written_pages import PAGES, ROOT, blocks
from tests.recsys.app.agents.agent import Agent, asking

PAGE = "docs/guide/mcp.md"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_papers", {"query": "recommending citations", "k": 1}),
    ("cite_sentence", {"text": "Transformers are trained on unlabelled text first |.", "k": 1}),
    ("check_references", {"text": "@article{a, title={Attention Is All You Need}, year={2014}}"}),
    ("export_bibliography", {"ids": ["An Unknown Paper"]}),
]
SHOWN = {
    "papers": ("id", "title", "year"),
    "gaps": ("sentence", "recommendations"),
    "recommendations": ("id", "title", "probability", "reasons"),
    "reasons": ("text",),
    "references": ("verdict", "comparisons"),
    "comparisons": ("field", "given", "found", "remark"),
}
"""List in an answer -> what is shown of its items; comparisons that agree are left out."""


def shortened(value: Any, inside: str = "") -> Any:  # noqa: ANN401  # As JSON holds it.
    """Leave out of an answer what the page has no room for."""
    if isinstance(value, list):
        differing = (each for each in value if inside != "comparisons" or each["agrees"] is False)
        return [shortened(each, inside) for each in differing]
    if not isinstance(value, dict):
        return value
    names = SHOWN.get(inside, [name for name in value if name in (*SHOWN, "summary")])
    return {name: shortened(value[name], name) for name in names if name in value}


def session(agent: Agent) -> str:
    """Write what is asked and answered, a line each."""
    lines = []
    for name, arguments in CALLS:
        refused, text = agent.text(name, **arguments)
        told = text if refused else json.dumps(shortened(json.loads(text)), ensure_ascii=False)
        lines += [f"> {name} {json.dumps(arguments)}", told, ""]
    return "\n".join(lines).strip()


@pytest.mark.area("docs")
def test_the_session_that_is_shown_is_the_one_that_agents_have(own_cache: Path) -> None:
    with asking(starter_index()) as agent:
        found = f"```text\n{session(agent)}\n```"
    if os.environ.get("RECSYS_UPDATE_GOLDEN"):
        page = ROOT / PAGE
        page.write_text(splice(page.read_text("utf-8"), "mcp-session", found), encoding="utf-8")
        return
    # Products in 8 bits saturate on processors without VNNI: probabilities of near papers move.
    plain = re.compile(r"\d+\.\d+")
    assert plain.sub("N", found) in plain.sub("N", PAGES[PAGE]), "Run with RECSYS_UPDATE_GOLDEN=1."


def test_every_configuration_starts_the_command() -> None:
    started = []
    for block in blocks(PAGE, "json"):
        (servers,) = json.loads(block).values()
        started.append(servers["recsys"])
    assert len(started) == 3
    assert all(Path(each["command"]).name == "recsys" for each in started)
    assert all(each["args"][:2] == ["mcp", "--index"] for each in started)
