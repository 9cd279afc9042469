"""Questions and files that are whole, and meant to harm whoever reads them."""

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from tests.inputs.small_pdf import pdf_of
from tests.recsys.formats.drafts.small_docx import packed
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
    Rows,
    Run,
    asked,
    attacks,
    posted,
)
from tests.web_check.server import Reply, Server, multipart, post, send

DEEP = 10_000
_ANY = OK | BUSY


def given(
    name: str, make: Callable[[], bytes], *, field: str = "file", path: str = "/answer"
) -> Run:
    """Give the page a file; it is made when it is sent."""

    def run(server: Server) -> Reply:
        parts = [(f'name="{field}"; filename="{name}"', make()), ('name="title"', b"Rivers")]
        return send(server, [post(server, path, MULTIPART, multipart(parts))], seconds=90)

    return run


def question(value: object) -> Run:
    return posted(ASK, JSON, json.dumps(value).encode())


def references(text: str) -> Run:
    return posted("/v1/check", JSON, json.dumps({"text": text}).encode())


def passage(text: str, **fields: object) -> Run:
    return posted(CITE, JSON, json.dumps({"text": text, **fields}).encode())


def _draft(**fields: object) -> Run:
    return question({"draft": {"title": "Rivers", **fields}})


_NESTED = "[" * DEEP + "]" * DEEP
_OBJECTS = '{"a":' * DEEP + "1" + "}" * DEEP
_TOKEN = base64.urlsafe_b64encode(("[" * 100).encode()).decode()
_WILD = "*a" * 500 + "*b"
_UNPACKED = base64.urlsafe_b64encode(b"\x78\x9c" + bombs.deflated_zeros(bombs.GIB))
_BOMB = b"text=" + _UNPACKED.replace(b"=", b"%3D")


_WRONG: Rows = {
    "10,000 lists in lists": posted(ASK, JSON, _NESTED.encode()),
    "10,000 objects in objects": posted(ASK, JSON, _OBJECTS.encode()),
    "5,000,000 brackets": posted(ASK, JSON, b"[" * 5_000_000),
    "10,000 levels in a draft": posted(ASK, JSON, b'{"draft": %b}' % _OBJECTS.encode()),
    "10,000 levels in a part": posted(
        ASK, MULTIPART, multipart([('name="request"', _NESTED.encode())])
    ),
    "10,000 levels in a field": posted("/answer", FORM, b"title=x&library=" + _NESTED.encode()),
    "levels in a token": question({"draft": {"title": "x"}, "next": _TOKEN}),
    "a number of 100,000 digits": posted(ASK, JSON, b'{"k": %b}' % (b"9" * 100_000)),
    "1e999": posted(ASK, JSON, b'{"draft": {"title": "x"}, "diversity": 1e999}'),
    "NaN": posted(ASK, JSON, b'{"draft": {"title": "x"}, "diversity": NaN}'),
    "nan as variety": posted("/answer", FORM, b"title=rivers&mmr=nan"),
    "1e999 as variety": posted("/answer", FORM, b"title=rivers&mmr=1e999"),
    "10,000 lists as a passage": posted(CITE, JSON, b'{"text": %b}' % _NESTED.encode()),
    "a passage of 5,000,000 letters": passage("r " * 2_500_000),
    "10,000 lists to check": posted("/v1/check", JSON, b'{"references": %b}' % _NESTED.encode()),
    "an offset of 100,000 digits": posted(CITE, JSON, b'{"offset": %b}' % (b"9" * 100_000)),
    "a text that unpacks to a gigabyte": posted("/cite", FORM, _BOMB),
    "a text that was changed": posted("/answer", FORM, b"title=x&text=eJwDAAAAAAE%3D"),
    "NUL in an id": asked("GET /v1/papers/a%00b HTTP/1.1"),
    "no UTF-8": posted(ASK, JSON, b'{"draft": {"title": "\xff\xfe"}}'),
}
_STRANGE: Rows = {
    "half a surrogate": posted(ASK, JSON, b'{"draft": {"title": "\\ud800 rivers"}}'),
    "99,000 marks in a passage": passage("|" * 99_000),
    "half a surrogate in a passage": passage("\ud800 rivers |"),
    "half a surrogate in a list to check": references("@misc{a, title={\ud800 rivers}}"),
    "a script in a list to check": posted("/check", FORM, b"pasted=@misc{a,title={<script>}}"),
    "NUL in a title": _draft(title="\x00 rivers \x00"),
    "UTF-16": posted(ASK, JSON, '{"draft": {"title": "rivers"}}'.encode("utf-16")),
    "names that are twice": posted(ASK, JSON, b'{"k": 1, "k": 2, "draft": {"title": "rivers"}}'),
    "a search for an expression": asked("GET /v1/search?q=(a%2B)%2B%24%5B HTTP/1.1"),
    "a script in a search": asked("GET /search?q=%3Cscript%3Ealert(1)%3C/script%3E HTTP/1.1"),
}
_LONG: Rows = {
    "a passage without an end": passage("Rivers, " * 12_000),
    "names without an end": passage("Li and " * 14_000),
    "years without an end": passage("(Li, 2001; " * 9_000),
    "an abstract of 200,000 letters": _draft(abstract="rivers " * 28_500),
    "a word of 200,000 letters": _draft(abstract="r" * 200_000),
    "5,000 references without a title": _draft(references=["x" * 2_000] * 5_000),
    "5,000 references to look up": _draft(
        references=[{"title": f"On rivers {n} and glaciers {n * 7}"} for n in range(5_000)]
    ),
    "20,000 references to check": references(
        "".join(
            f"@misc{{a{n}, title={{On rivers {n} and glaciers {n * 7}}}}}\n" for n in range(20_000)
        )
    ),
    "1,000 wild venues": question(
        {"draft": {"title": "rivers"}, "filters": {"venues": [_WILD] * 1_000}}
    ),
    "50,000 seeds": question({"seeds": [f"seed-{n}" for n in range(50_000)]}),
    "a search of 60,000 letters": asked(f"GET /search?q={'r%20' * 15_000} HTTP/1.1"),
}
QUESTIONS: Sequence[Attack] = (
    *attacks(_WRONG),
    *attacks(_STRANGE, allowed=OK),
    *attacks(_LONG, cheap=False, allowed=_ANY),
    *attacks(
        {
            "a word of 99,000 letters as a passage": passage("r" * 99_000),
        },
        allowed=_ANY,
    ),
)
"""Bodies and addresses."""


def just(content: bytes) -> Callable[[], bytes]:
    return lambda: content


def _laughs() -> bytes:
    entities = ['<!ENTITY l0 "rivers">']
    entities += [f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12)]
    return bombs.word_of("&l11;", f"<!DOCTYPE d [{''.join(entities)}]>")


_TEN = [f"{n}.tex" for n in range(10)]


_BOMBS: Rows = {
    "zip of 10 GB": given("bomb.zip", lambda: bombs.zip_of_zeros(_TEN, bombs.GIB)),
    "zip of 10 GB that says 10 kB": given(
        "bomb.zip", lambda: bombs.zip_of_zeros(_TEN, bombs.GIB, told=1000)
    ),
    "zip in zip in zip": given(
        "nested.zip", lambda: bombs.nested_zip(20, bombs.zip_of_zeros(_TEN, bombs.GIB))
    ),
    "10,000 names for one gigabyte": given(
        "over.zip", lambda: bombs.overlapping_zip(10_000, bombs.GIB)
    ),
    "zip of 60,000 empty files": given(
        "many.zip", lambda: packed({f"{n}.tex": b"" for n in range(60_000)})
    ),
    "Word document of 1 GB": given(
        "bomb.docx", lambda: bombs.zip_of_zeros(["word/document.xml"], bombs.GIB)
    ),
    "Word document with a billion laughs": given("laughs.docx", _laughs),
    "PDF of 1 GB": given("bomb.pdf", lambda: bombs.pdf_bomb(bombs.GIB, twice=False)),
    "PDF packed twice": given("twice.pdf", lambda: bombs.pdf_bomb(4 * bombs.GIB, twice=True)),
    "PDF whose pages are in a ring": given("ring.pdf", bombs.pdf_with_cycle),
    "PDF of 10 MB of operators": given("slow.pdf", lambda: pdf_of(b"q Q " * 2_500_000)),
    "brackets in a draft": given("deep.json", just(_NESTED.encode())),
}
_NESTS: Rows = {
    "zip of 10 GB as a library": given(
        "b.zip", lambda: bombs.zip_of_zeros(_TEN, bombs.GIB), field="library_file"
    ),
    "braces in LaTeX": given("deep.tex", just(rb"\title{Rivers}" + b"{" * 1_000_000)),
    "a macro that is itself": given(
        "loop.tex", just(rb"\def\a{\a\a}\newcommand{\b}{\b\b}\title{\a \b}")
    ),
    "braces in BibTeX": given("deep.bib", just(b"@article{a, title = " + b"{" * 1_000_000)),
    "braces in a list to check": given(
        "deep.bib", just(b"@article{a, title = " + b"{" * 1_000_000), path="/check"
    ),
    "a million levels of quotes": given("deep.md", just(b"# Rivers\n\n" + b">" * 1_000_000)),
    "a million brackets of a link": given("links.md", just(b"# Rivers\n\n" + b"[" * 1_000_000)),
    "zeros called LaTeX": given("zeros.tex", just(bytes(10_000_000))),
}
FILES: Sequence[Attack] = (
    *attacks(_BOMBS, cheap=False),
    *attacks(_NESTS, cheap=False, allowed=OK),
    *attacks(
        {
            "a million entries of BibTeX": given(
                "long.bib", just(b"@misc{a,title={x}}\n" * 800_000)
            ),
            "a million entries to check": given(
                "long.bib", just(b"@misc{a,title={x}}\n" * 800_000), path="/check"
            ),
            "2,000 entries to check": given(
                "list.bib",
                just(b"".join(b"@misc{a%d,title={On rivers %d}}" % (n, n) for n in range(2_000))),
                path="/check",
            ),
        },
        cheap=False,
        allowed=_ANY,
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
    places = (f'name="file"; filename="{canary}.md"', b"# Rivers\n\nRivers run [CITE].")
    return (
        *(_addressed(address) for address in _addresses(canary, told)),
        *attacks(
            {
                **{f"path inside {n}": given(n, just(raw)) for n, raw in _files(canary).items()},
                **{f"file called {name[:20]!r}": given(name, just(_DRAFT)) for name in _NAMES},
                "path of a draft of places": posted(CITE, MULTIPART, multipart([places])),
                "path as a passage": passage(f"\\input{{{canary}}} |"),
            },
            allowed=OK,
        ),
        *attacks(
            {
                "path as an index": question({"index": str(canary), "draft": {"title": "x"}}),
                "path as a part's name": wide,
                "path as a format": asked(f"GET /export?paper=x&format={told} HTTP/1.1"),
            }
        ),
    )


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
        "slip.zip": packed({_PATH: tex, str(canary): tex}),
        "draft.json": json.dumps({"title": "Rivers", "references": [str(canary)]}).encode(),
    }
