"""Paths of the server in every place where a client names something: none may be opened."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from tests.web_check import bombs
from tests.web_check.attacks import FORM, MULTIPART, OK, Attack, asked, posted
from tests.web_check.poison import given, just, passage, question
from tests.web_check.raw_socket import Reply, multipart
from tests.web_check.server import Server

CANARY = "a canary that no answer may hold"
"""What the file holds whose path is given."""
_PATH = "../../../../../../../../etc/passwd"
_NAMES = (
    _PATH, "/etc/passwd", "..\\\\..\\\\windows\\\\win.ini", "C:\\\\x", "%2e%2e%2fetc%2fpasswd", "-",
    "file:///etc/passwd", "a\x00b.tex", "|id", "x" * 5_000, "con", "",
)  # fmt: skip
_DRAFT = b"# Rivers\n\nWe measure rivers."


def paths(canary: Path) -> Sequence[Attack]:
    """Give a path wherever there is a name. canary: a file that the server could read."""
    wide = posted("/answer", MULTIPART, multipart([(f'name="{_PATH}"', b"x")]))
    told = quote(str(canary), safe="")
    return (
        *(_addressed(address) for address in _addresses(canary, told)),
        *(
            Attack(f"path inside {name}", given(name, just(content)), allowed=OK)
            for name, content in _files(canary).items()
        ),
        *(
            Attack(f"file called {name[:20]!r}", given(name, just(_DRAFT)), allowed=OK)
            for name in _NAMES
        ),
        Attack("path of a draft of places", _places(str(canary)), allowed=OK),
        Attack("path as a passage", passage(f"\\input{{{canary}}} |"), allowed=OK),
        Attack("path as an index", question({"index": str(canary), "draft": {"title": "x"}})),
        Attack("path as a part's name", wide),
        Attack("path as a format", posted("/export", FORM, f"paper=x&format={told}".encode())),
    )


def _places(name: str) -> Callable[[Server], Reply]:
    content = b"# Rivers\n\nRivers run [CITE]."
    part = f'name="file"; filename="{name}.md"'
    return posted("/v1/citations", MULTIPART, multipart([(part, content)]))


def _addresses(canary: Path, told: str) -> Sequence[str]:
    return (
        f"/static/{_PATH}", f"/static/{quote(_PATH, safe='')}", f"/static//{canary}",
        f"/static/{told}", "/static/..%5c..%5cservice.py", "/static/../page_routes.py",
        "/static/", "/static", f"/{_PATH}", f"//{canary}", f"/v1/papers/{_PATH}",
        f"/v1/papers/{told}", f"/v1/papers?ids={told}", f"/v1/search?q=x&index={told}",
        f"/?index={told}", f"/paper?id={told}", f"/paper?id=x&index={_PATH}",
        f"/answer?title=x&index={told}", f"/cite?passage=x&index={told}",
    )  # fmt: skip


def _addressed(address: str) -> Attack:
    # Papers that are missing are listed: there a path is a word like any other.
    allowed = OK if address.startswith("/v1/papers?") else frozenset[int]()
    name = f"path in {address.partition('?')[0][:24]}"
    return Attack(name, asked(f"GET {address} HTTP/1.1"), allowed=allowed)


def _files(canary: Path) -> dict[str, bytes]:
    commands = ("input", "include", "bibliography", "verbatiminput", "includeonly")
    inside = "".join(f"\\{command}{{{canary}}}\n" for command in commands)
    tex = (
        "\\documentclass{article}\\begin{document}\\title{Rivers}\n"
        f"{inside}\\write18{{cat {canary}}}\\end{{document}}"
    ).encode()
    entity = f'<!DOCTYPE d [<!ENTITY e SYSTEM "file://{canary}">]>'
    return {
        "draft.tex": tex,
        "draft.md": f"# Rivers\n\n![x]({canary})\n\n[a](file://{canary})\n".encode(),
        "draft.docx": bombs.word_of("Rivers &e;", entity),
        "slip.zip": bombs.zip_of([(_PATH, tex), (str(canary), tex)]),
        "draft.json": json.dumps({"title": "Rivers", "references": [str(canary)]}).encode(),
    }
