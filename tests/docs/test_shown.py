"""What README and the pages show can be run, and gives what they show."""

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from docs.made.marked_pages import rewrite_block
from tests.docs.written_pages import COMMANDS, PAGES, ROOT, blocks, lines, shown, words_of
from tests.recsys.app.web.test_listening import started
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.conftest import RunCli

TAUGHT = [name for name in PAGES if name == "README.md" or name.startswith("docs/guide/")]
"""Pages whose Python runs here; so do the commands of the guide, as a reader would run them.

Those of README and the tutorials run in test_fresh_reader.py.
"""
NOTHING_FOUND = 3


@each_row("line", shown(*PAGES))
def test_pages_show_commands_and_options_that_exist(line: str) -> None:
    words, _ = words_of(line)
    name = max((n for n in COMMANDS if words[: len(n.split())] == n.split()), key=len)
    command, rest = COMMANDS[name], words[len(name.split()) :]
    context = command.make_context("recsys", rest, resilient_parsing=False)
    assert context.params


@pytest.mark.area("docs")
@pytest.mark.parametrize("page", [page for page in TAUGHT[1:] if shown(page)])
def test_the_commands_of_the_guide_run(
    page: str, workplace: Path, web: None, on_store: None, run_cli: "RunCli"
) -> None:
    if any("recsys build" in line and "--out my.index" in line for line in shown(page)):
        shutil.rmtree("my.index")  # The page builds it first.
    for line in shown(page):
        words, file = words_of(line)
        if words[0] == "serve":
            # On any port and without a browser, until it answers.
            with started(*(word for word in words[1:] if word != "--open")) as (_, address):
                health = httpx2.get(f"{address}healthz", timeout=30)
                assert health.json() == {"status": "ok"}
                for asked in lines(page, "curl") if "my.index" in words else ():
                    answer = httpx2.request(**request_of(asked, address), timeout=30)
                    assert answer.status_code == 200 and answer.text, f"{asked}\n{answer.text}"
            continue
        if words[0] == "fetch" or {"--fetch", "--online", "--to"} & set(words):
            words.append("--yes")  # As the reader says on the terminal.
        done = run_cli(*words, stdin=(workplace / file).read_bytes() if file else b"")
        # Filters may leave none of the few papers here, and no split can be made of them.
        makes_split = words[0] in ("train", "evaluate") and "--split" not in words
        asks = words[0] in ("recommend", "cite")
        allowed = {0, NOTHING_FOUND} if asks or makes_split else {0}
        assert done.code in allowed, f"{line}\n{done.err}"


def request_of(line: str, address: str) -> dict[str, Any]:
    """Read a line of curl as what httpx2 takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-H", action="append", default=[])
    parser.add_argument("-F", action="append", default=[])
    parser.add_argument("-d")
    told = parser.parse_args(shlex.split(line)[1:])
    parts = [part.partition("=")[::2] for part in told.F]
    files = [(name, value) for name, value in parts if value.startswith("@")]
    found: dict[str, Any] = {
        "url": told.url.replace("http://127.0.0.1:8000/", address),
        "headers": dict(header.split(": ", 1) for header in told.H),
        "method": "POST" if told.d or parts else "GET",
    }
    if told.d:
        found["content"] = told.d
    if parts:
        found["data"] = {name: value for name, value in parts if not value.startswith("@")}
        opened = [(name, Path(value[1:])) for name, value in files]
        found["files"] = [(name, (path.name, path.read_bytes())) for name, path in opened]
    return found


ZOTERO = "docs/guide/zotero.md"
_SENDING = "recsys recommend examples/draft.json -k 3 --to zotero:Thesis --yes --out answer.txt"
TRANSCRIPT = ("recsys build zotero://Thesis --out thesis.index", _SENDING, _SENDING)
_OF_ZOTERO = re.compile(r"Zotero|New items|  \S|In the library|There |Added")


@pytest.mark.area("docs")
def test_the_page_on_zotero_shows_what_people_get(
    workplace: Path, web: None, run_cli: "RunCli"
) -> None:
    said = []
    for line in TRANSCRIPT:
        done = run_cli(*words_of(line)[0])
        assert done.code == 0, done.err
        told = [each for each in done.err.splitlines() if _OF_ZOTERO.match(each)]
        said += [f"$ {line}", *told]
    block = "```\n" + "\n".join(said) + "\n```"
    if os.environ.get("RECSYS_UPDATE_GOLDEN"):
        rewrite_block(ROOT / "docs" / "guide", "zotero", block)
    else:
        assert block in PAGES[ZOTERO]


@pytest.mark.area("docs")
@pytest.mark.parametrize("page", [page for page in TAUGHT if blocks(page, "python")])
def test_the_python_of_readme_and_guide_runs(page: str, workplace: Path) -> None:
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for block in blocks(page, "python"):
            exec(compile(block, page, "exec"), names)
    assert out.getvalue().startswith("1 ")


@each_row("page", PAGES)
def test_other_python_and_json_is_whole(page: str) -> None:
    for block in blocks(page, "python"):
        compile(block, page, "exec")
    assert all(json.loads(line) for line in lines(page, "json"))


def test_the_answer_that_readme_shows_is_the_one_that_people_get(
    workplace: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("recommend", "examples/draft.json", "--quiet")
    # Products in 8 bits saturate on processors without VNNI: figures of near papers move a bit.
    rounded = partial(re.compile(r"\d+(?= [%o])").sub, "N")
    for page in ("README.md", "docs/index.md", "docs/guide/answers.md"):
        block = next(each for each in blocks(page, "") if " %  " in each)
        assert block.startswith("  1") and block.count("\n\n") >= 1
        assert rounded(done.out).startswith(f"{rounded(block).strip(chr(10))}\n"), page
