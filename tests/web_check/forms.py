"""Fill the fields of the form with anything: each answer is a whole page, and no failure."""

import http.client
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import TypeAlias
from urllib.parse import urlencode

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from recsys.app.web.upload_reader import DraftText
from recsys.app.web.uploads import pack
from recsys.records import Body, Mark, Sentence
from tests.web_check.findings import Report, Setting
from tests.web_check.server import Server, multipart, serving

EXAMPLES = 2_000
"""Forms of the whole check."""
LINES = ("title", "venue", "index", "page", "format", "q", "id", "mmr", "as_of")
AREAS = (
    "abstract", "authors", "references", "more_like", "less_like", "venues", "types", "passage",
)  # fmt: skip
YEARS = ("min_year", "max_year")
LISTS = ("cites", "more", "less", "paper", "shown")
TICKS = ("exclude_own", "exclude_library", "keep_front_matter")
FIELDS = (*LINES, *AREAS, *YEARS, *LISTS, *TICKS, "exclude_authors", "library", "text", "unknown")
"""Every field of the pages, and one that is none."""
FILES = ("file", "library_file")
ENDINGS = ("tex", "bib", "zip", "pdf", "docx", "md", "ris", "json", "txt", "csv", "exe", "")
GETS = ("/", "/answer", "/cite", "/map", "/paper", "/search")
POSTS = ("/answer", "/cite", "/map", "/export")
_VOID = frozenset("area base br col embed hr img input link meta rect source track wbr".split())
_FORM = "application/x-www-form-urlencoded"
_BOUNDARY = "q3z"

Test: TypeAlias = Callable[[], None]
"""What Hypothesis makes of a function: called without arguments, it chooses them."""

_TEXT = st.text(max_size=80)
_WORDS = st.sampled_from(
    ["rivers and glaciers", "rivers-01", "On rivers in survey 3", "survey\nrivers",
     "10.1000/182", "Smith, J. (2001) On deserts", "<script>alert(1)</script>",
     '"><img src=x onerror=y>', "{{7*7}}",
     "*", "[", "|", "Rivers | run", "\\", "' OR 1=1 --", "../../etc/passwd", "%00", "\x00",
     "\u202e\u0645", "\U0001f30a" * 9]
)  # fmt: skip
_NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(["9" * 400, "-0", "1e400", "0x7d0", "٢٠٢٠", "²", "2020.0", " 2020 ", "1_000"]),
)
_TEXTS = st.builds(
    lambda words, keys: pack(DraftText(words, Body((Sentence(words, (Mark(0, keys, True),)),)))),
    st.text(max_size=40),
    st.lists(st.text(max_size=9), max_size=2).map(tuple),
)
"""Sentences of a draft, as a page holds them."""
_JSON = st.sampled_from(
    ["[]", '["a"]', "{}", "[1]", "null", "[[]]", '["\\ud800"]', "[" * 3000, "1e999"]
)
VALUES = st.one_of(_WORDS, _TEXT, _NUMBERS, _JSON, _TEXTS, st.just(""), st.just("x" * 3_000))
"""What a field is filled with."""
NAMES = st.one_of(st.sampled_from(FIELDS), st.text(max_size=12))
PAIRS = st.lists(st.tuples(NAMES, VALUES) | st.tuples(st.just("text"), _TEXTS), max_size=12)
"""A form: a field may be there several times, or not."""
CONTENTS = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")),
    st.sampled_from(
        [b"# Rivers\n\nWe measure rivers.", b"@article{a, title = {On rivers in survey 3}}",
         b"%PDF-1.4\n%%EOF", b"PK\x03\x04", b'{"title": "rivers"}',
         b"TY  - JOUR\nTI  - Rivers\nER  -", rb"\title{Rivers}\cite{a}"]
    ),
)  # fmt: skip


class _Outline(HTMLParser):
    """Follows which elements are open; notes the first that ends what it did not begin."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.wrong = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong = self.wrong or f"</{tag}> at line {self.getpos()[0]}"


def flaw_of_page(html: str) -> str:
    """Say what is wrong with a page; "" when it is whole and shows nothing that was not escaped."""
    outline = _Outline()
    outline.feed(html)
    outline.close()
    if outline.wrong or outline.open:
        return f"the page is not whole: {outline.wrong or outline.open}"
    if not {"html", "head", "title", "body", "main", "h1"} <= outline.seen:
        return "the page lacks its outline"
    if "alert(1)</script" in html or "<img src=x" in html:
        return "what was typed is not escaped"
    return "" if html.lstrip().lower().startswith("<!doctype html>") else "it has no doctype"


def exchange(
    server: Server, method: str, path: str, body: bytes = b"", kind: str = ""
) -> tuple[int, Mapping[str, str], bytes]:
    """Send one request and read its answer: status, headers in lower case, body."""
    wire = http.client.HTTPConnection(server.host, server.port, timeout=60)
    try:
        wire.request(method, path, body or None, {"Content-Type": kind} if kind else {})
        reply = wire.getresponse()
        headers = {name.lower(): value for name, value in reply.getheaders()}
        return reply.status, headers, reply.read()
    finally:
        wire.close()


def flaw(status: int, headers: Mapping[str, str], body: bytes, *, download: bool) -> str:
    """Say what is wrong with an answer to a form."""
    if not (status in (200, 304) or 400 <= status < 500):
        return f"the status is {status}: {body[:300]!r}"
    kind = headers.get("content-type", "")
    if download and status == 200:
        stays = headers.get("content-disposition", "").startswith("attachment")
        return "" if stays else "a download is shown as a page"
    if not kind.startswith("text/html"):
        return f"the answer is {kind}"
    return flaw_of_page(body.decode("utf-8"))


def try_forms(server: Server, report: Report, *, examples: int, seed: int) -> None:
    """Fill forms with values that Hypothesis chooses; half of them by address, half by posts."""
    part = max(1, examples // 4)
    for test in (_by_address, _typed, _with_files, _of_any_bytes):
        _run(test(server, report), part, seed, report)


def _run(test: Test, examples: int, seed: int, report: Report) -> None:
    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    try:
        seeded(seed)(chosen(test))()
    except Exception as error:
        report.findings.append(f"{error}"[:1500])
        report.counts["wrong"] += 1


def _note(report: Report, status: int, wrong: str, sent: object) -> None:
    if wrong:
        raise AssertionError(f"{wrong}; sent {sent!r}"[:1500])
    report.counts[str(status)] += 1


def _by_address(server: Server, report: Report) -> Test:
    @given(st.sampled_from(GETS), PAIRS)
    def asks(path: str, pairs: list[tuple[str, str]]) -> None:
        query = urlencode([(name, value[:2000]) for name, value in pairs], errors="replace")
        status, headers, body = exchange(server, "GET", f"{path}?{query}")
        _note(report, status, flaw(status, headers, body, download=False), (path, query))

    return asks


def _typed(server: Server, report: Report) -> Test:
    @given(st.sampled_from(POSTS), PAIRS)
    def posts(path: str, pairs: list[tuple[str, str]]) -> None:
        sent = urlencode(pairs, errors="replace").encode()
        status, headers, body = exchange(server, "POST", path, sent, _FORM)
        _note(report, status, flaw(status, headers, body, download=path == "/export"), (path, sent))

    return posts


def _with_files(server: Server, report: Report) -> Test:
    names = st.one_of(
        st.text(max_size=40).filter(lambda name: not set(name) & set('"\r\n')),
        st.sampled_from(ENDINGS).map(lambda ending: f"draft.{ending}"),
    )
    files = st.lists(st.tuples(st.sampled_from(FILES), names, CONTENTS), max_size=3)

    @given(st.sampled_from(POSTS), PAIRS, files)
    def gives(
        path: str, pairs: list[tuple[str, str]], brought: list[tuple[str, str, bytes]]
    ) -> None:
        parts = [(f'name="{_quoted(n)}"', v.encode("utf-8", "replace")) for n, v in pairs]
        parts += [(f'name="{n}"; filename="{f}"', content) for n, f, content in brought]
        try:
            sent = multipart(parts, _BOUNDARY)
        except UnicodeEncodeError:  # Half a surrogate in a name: no browser can write it.
            return
        kind = f"multipart/form-data; boundary={_BOUNDARY}"
        status, headers, body = exchange(server, "POST", path, sent, kind)
        _note(report, status, flaw(status, headers, body, download=path == "/export"), (path, sent))

    return gives


def _of_any_bytes(server: Server, report: Report) -> Test:
    begun = st.sampled_from([b"", b"--q3z\r\n", b'--q3z\r\nContent-Disposition: form-data; name="'])
    kinds = st.sampled_from(
        ["multipart/form-data", f"multipart/form-data; boundary={_BOUNDARY}", _FORM, "text/plain",
         "multipart/form-data; boundary=", "",
         f"multipart/form-data; boundary={_BOUNDARY}; charset=x"]
    )  # fmt: skip

    @given(st.sampled_from(POSTS), kinds, begun, st.binary(max_size=200))
    def posts(path: str, kind: str, begun: bytes, rest: bytes) -> None:
        status, headers, body = exchange(server, "POST", path, begun + rest, kind)
        wrong = flaw(status, headers, body, download=path == "/export")
        _note(report, status, wrong, (path, kind, begun + rest))

    return posts


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def forms(setting: Setting) -> Report:
    """Fill forms on a server of its own."""
    report = Report()
    with serving(setting.index) as server:
        try_forms(server, report, examples=setting.part(EXAMPLES), seed=setting.seed)
        report.expect(not server.complaints(), f"the server said: {server.complaints()[:2000]}")
        report.expect(not server.answers(), f"no answer afterwards: {server.answers()}")
    return report
