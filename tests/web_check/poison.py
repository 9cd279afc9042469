"""Questions and files that are whole, and meant to harm whoever reads them."""

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from tests.web_check import bombs
from tests.web_check.attacks import (
    ASK,
    BUSY,
    CITE,
    FORM,
    JSON,
    MULTIPART,
    OK,
    Attack,
    asked,
    posted,
)
from tests.web_check.server import Reply, Server, multipart, post, send

DEEP = 10_000
_ANY = OK | BUSY


def given(
    name: str, make: Callable[[], bytes], *, field: str = "file"
) -> Callable[[Server], Reply]:
    """Give the page a file; it is made when it is sent."""

    def run(server: Server) -> Reply:
        parts = [(f'name="{field}"; filename="{name}"', make()), ('name="title"', b"Rivers")]
        return send(server, [post(server, "/answer", MULTIPART, multipart(parts))], seconds=90)

    return run


def question(value: object) -> Callable[[Server], Reply]:
    return posted(ASK, JSON, json.dumps(value).encode())


def passage(text: str, **fields: object) -> Callable[[Server], Reply]:
    return posted(CITE, JSON, json.dumps({"text": text, **fields}).encode())


def _draft(**fields: object) -> Callable[[Server], Reply]:
    return question({"draft": {"title": "Rivers", **fields}})


_NESTED = "[" * DEEP + "]" * DEEP
_OBJECTS = '{"a":' * DEEP + "1" + "}" * DEEP
_TOKEN = base64.urlsafe_b64encode(("[" * 100).encode()).decode()
_WILD = "*a" * 500 + "*b"
_UNPACKED = base64.urlsafe_b64encode(b"\x78\x9c" + bombs.deflated_zeros(bombs.GIB))
_BOMB = b"text=" + _UNPACKED.replace(b"=", b"%3D")


QUESTIONS: Sequence[Attack] = (
    Attack("10,000 lists in lists", posted(ASK, JSON, _NESTED.encode())),
    Attack("10,000 objects in objects", posted(ASK, JSON, _OBJECTS.encode())),
    Attack("5,000,000 brackets", posted(ASK, JSON, b"[" * 5_000_000)),
    Attack("10,000 levels in a draft", posted(ASK, JSON, b'{"draft": %b}' % _OBJECTS.encode())),
    Attack(
        "10,000 levels in a part",
        posted(ASK, MULTIPART, multipart([('name="request"', _NESTED.encode())])),
    ),
    Attack(
        "10,000 levels in a field", posted("/answer", FORM, b"title=x&library=" + _NESTED.encode())
    ),
    Attack("levels in a token", question({"draft": {"title": "x"}, "next": _TOKEN})),
    Attack("a number of 100,000 digits", posted(ASK, JSON, b'{"k": %b}' % (b"9" * 100_000))),
    Attack("1e999", posted(ASK, JSON, b'{"draft": {"title": "x"}, "diversity": 1e999}')),
    Attack("NaN", posted(ASK, JSON, b'{"draft": {"title": "x"}, "diversity": NaN}')),
    Attack("nan as variety", posted("/answer", FORM, b"title=rivers&mmr=nan")),
    Attack("1e999 as variety", posted("/answer", FORM, b"title=rivers&mmr=1e999")),
    Attack(
        "half a surrogate", posted(ASK, JSON, b'{"draft": {"title": "\\ud800 rivers"}}'), allowed=OK
    ),
    Attack("10,000 lists as a passage", posted(CITE, JSON, b'{"text": %b}' % _NESTED.encode())),
    Attack("a passage of 5,000,000 letters", passage("r " * 2_500_000)),
    Attack("a passage without an end", passage("Rivers, " * 12_000), cheap=False, allowed=_ANY),
    Attack("a word of 99,000 letters as a passage", passage("r" * 99_000), allowed=_ANY),
    Attack("99,000 marks in a passage", passage("|" * 99_000), allowed=OK),
    Attack("names without an end", passage("Li and " * 14_000), cheap=False, allowed=_ANY),
    Attack("years without an end", passage("(Li, 2001; " * 9_000), cheap=False, allowed=_ANY),
    Attack("half a surrogate in a passage", passage("\ud800 rivers |"), allowed=OK),
    Attack("an offset of 100,000 digits", posted(CITE, JSON, b'{"offset": %b}' % (b"9" * 100_000))),
    Attack("a text that unpacks to a gigabyte", posted("/cite", FORM, _BOMB)),
    Attack("a text that was changed", posted("/answer", FORM, b"title=x&text=eJwDAAAAAAE%3D")),
    Attack("NUL in a title", _draft(title="\x00 rivers \x00"), allowed=OK),
    Attack("NUL in an id", asked("GET /v1/papers/a%00b HTTP/1.1")),
    Attack("no UTF-8", posted(ASK, JSON, b'{"draft": {"title": "\xff\xfe"}}')),
    Attack(
        "UTF-16", posted(ASK, JSON, '{"draft": {"title": "rivers"}}'.encode("utf-16")), allowed=OK
    ),
    Attack(
        "names that are twice",
        posted(ASK, JSON, b'{"k": 1, "k": 2, "draft": {"title": "rivers"}}'),
        allowed=OK,
    ),
    Attack(
        "an abstract of 200,000 letters",
        _draft(abstract="rivers " * 28_500),
        cheap=False,
        allowed=_ANY,
    ),
    Attack("a word of 200,000 letters", _draft(abstract="r" * 200_000), cheap=False, allowed=_ANY),
    Attack(
        "5,000 references without a title",
        _draft(references=["x" * 2_000] * 5_000),
        cheap=False,
        allowed=_ANY,
    ),
    Attack(
        "5,000 references to look up",
        _draft(references=[{"title": f"On rivers {n} and glaciers {n * 7}"} for n in range(5_000)]),
        cheap=False,
        allowed=_ANY,
    ),
    Attack(
        "1,000 wild venues",
        question({"draft": {"title": "rivers"}, "filters": {"venues": [_WILD] * 1_000}}),
        cheap=False,
        allowed=_ANY,
    ),
    Attack(
        "50,000 seeds",
        question({"seeds": [f"seed-{n}" for n in range(50_000)]}),
        cheap=False,
        allowed=_ANY,
    ),
    Attack(
        "a search of 60,000 letters",
        asked(f"GET /search?q={'r%20' * 15_000} HTTP/1.1"),
        cheap=False,
        allowed=_ANY,
    ),
    Attack(
        "a search for an expression", asked("GET /v1/search?q=(a%2B)%2B%24%5B HTTP/1.1"), allowed=OK
    ),
    Attack(
        "a script in a search",
        asked("GET /search?q=%3Cscript%3Ealert(1)%3C/script%3E HTTP/1.1"),
        allowed=OK,
    ),
)
"""Bodies and addresses."""


def just(content: bytes) -> Callable[[], bytes]:
    return lambda: content


def _laughs() -> bytes:
    entities = ['<!ENTITY l0 "rivers">']
    entities += [f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12)]
    return bombs.word_of("&l11;", f"<!DOCTYPE d [{''.join(entities)}]>")


def _ten_gigabytes() -> bytes:
    return bombs.zip_of_zeros([f"{n}.tex" for n in range(10)], bombs.GIB)


def _lying() -> bytes:
    return bombs.zip_of_zeros([f"{n}.tex" for n in range(10)], bombs.GIB, told=1000)


FILES: Sequence[Attack] = (
    Attack("zip of 10 GB", given("bomb.zip", _ten_gigabytes), cheap=False),
    Attack("zip of 10 GB that says 10 kB", given("bomb.zip", _lying), cheap=False),
    Attack(
        "zip of 10 GB as a library",
        given("b.zip", _ten_gigabytes, field="library_file"),
        cheap=False,
        allowed=OK,
    ),
    Attack(
        "zip in zip in zip",
        given("nested.zip", lambda: bombs.nested_zip(20, _ten_gigabytes())),
        cheap=False,
    ),
    Attack(
        "10,000 names for one gigabyte",
        given("over.zip", lambda: bombs.overlapping_zip(10_000, bombs.GIB)),
        cheap=False,
    ),
    Attack(
        "zip of 60,000 empty files",
        given("many.zip", lambda: bombs.zip_of([(f"{n}.tex", b"") for n in range(60_000)])),
        cheap=False,
    ),
    Attack(
        "Word document of 1 GB",
        given("bomb.docx", lambda: bombs.zip_of_zeros(["word/document.xml"], bombs.GIB)),
        cheap=False,
    ),
    Attack("Word document with a billion laughs", given("laughs.docx", _laughs), cheap=False),
    Attack(
        "PDF of 1 GB",
        given("bomb.pdf", lambda: bombs.pdf_bomb(bombs.GIB, twice=False)),
        cheap=False,
    ),
    Attack(
        "PDF packed twice",
        given("twice.pdf", lambda: bombs.pdf_bomb(4 * bombs.GIB, twice=True)),
        cheap=False,
    ),
    Attack("PDF whose pages are in a ring", given("ring.pdf", bombs.pdf_with_cycle), cheap=False),
    Attack(
        "PDF of 10 MB of operators",
        given(
            "slow.pdf",
            lambda: bombs.pdf_of(b"<< /Length 10000000 >>\nstream\n", b"q Q " * 2_500_000),
        ),
        cheap=False,
    ),
    Attack("brackets in a draft", given("deep.json", just(_NESTED.encode())), cheap=False),
    Attack(
        "braces in LaTeX",
        given("deep.tex", just(rb"\title{Rivers}" + b"{" * 1_000_000)),
        cheap=False,
        allowed=OK,
    ),
    Attack(
        "a macro that is itself",
        given("loop.tex", just(rb"\def\a{\a\a}\newcommand{\b}{\b\b}\title{\a \b}")),
        cheap=False,
        allowed=OK,
    ),
    Attack(
        "braces in BibTeX",
        given("deep.bib", just(b"@article{a, title = " + b"{" * 1_000_000)),
        cheap=False,
        allowed=OK,
    ),
    Attack(
        "a million entries of BibTeX",
        given("long.bib", just(b"@misc{a,title={x}}\n" * 800_000)),
        cheap=False,
        allowed=_ANY,
    ),
    Attack(
        "a million levels of quotes",
        given("deep.md", just(b"# Rivers\n\n" + b">" * 1_000_000)),
        cheap=False,
        allowed=OK,
    ),
    Attack(
        "a million brackets of a link",
        given("links.md", just(b"# Rivers\n\n" + b"[" * 1_000_000)),
        cheap=False,
        allowed=OK,
    ),
    Attack(
        "zeros called LaTeX", given("zeros.tex", just(bytes(10_000_000))), cheap=False, allowed=OK
    ),
)
"""Files that unpack to much, or take long to read."""


# Paths of the server in every place where a client names something: none may be opened.

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
