"""Fill the fields of the form with anything: each answer is a whole page, and no failure."""

import http.client
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import urlencode

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from recsys.app.web.upload_reader import DraftText
from recsys.app.web.uploads import pack
from recsys.records import Body, Mark, Sentence
from tests.recsys.app.web.page_reader import read
from tests.web_check.findings import Report, Setting
from tests.web_check.server import Server, multipart, serving

EXAMPLES = 2_000
"""Forms of the whole check."""
LINES = ("title", "venue", "index", "page", "format", "q", "id", "mmr", "as_of")
AREAS = (
    "pasted", "abstract", "authors", "references", "more_like", "less_like", "venues", "types",
    "passage",
)  # fmt: skip
YEARS = ("min_year", "max_year")
LISTS = ("cites", "more", "less", "paper", "pin", "unpin", "view", "from", "of")
TICKS = ("exclude_own", "exclude_library", "keep_front_matter")
FIELDS = (*LINES, *AREAS, *YEARS, *LISTS, *TICKS, "exclude_authors", "library", "text", "unknown")
"""Every field of the pages, and one that is none."""
FILES = ("file", "library_file")
ENDINGS = ("tex", "bib", "zip", "pdf", "docx", "md", "ris", "json", "txt", "csv", "exe", "")
GETS = ("/", "/sentence", "/answer", "/cite", "/check", "/map", "/paper", "/search", "/export",
        "/answers/none", "/answers/none/check", "/answers/none/export")  # fmt: skip
POSTS = ("/answer", "/cite", "/check", "/map", "/answers/none/pins")
_FORM = "application/x-www-form-urlencoded"
_BOUNDARY = "q3z"
_PARTS = f"multipart/form-data; boundary={_BOUNDARY}"

Request: TypeAlias = tuple[str, str, bytes, str]
"""Method, path, body and its kind."""

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


def flaw_of_page(html: str) -> str:
    """Say what is wrong with a page; "" when it is whole and shows nothing that was not escaped."""
    try:
        names = {element.name for element in read(html).all()}
    except AssertionError as error:
        return f"the page is not whole: {error!r}"
    if not {"html", "head", "title", "body", "main", "h1"} <= names:
        return "the page lacks its outline"
    if "alert(1)</script" in html or "<img src=x" in html:
        return "what was typed is not escaped"
    return "" if html.lstrip().lower().startswith("<!doctype html>") else "it has no doctype"


def exchange(
    server: Server, method: str, path: str, body: bytes = b"", kind: str = ""
) -> tuple[int, Mapping[str, str], bytes]:
    """Send one request and read its answer: status, headers in lower case, body.

    The address that a question leads to is asked, too.
    """
    wire = http.client.HTTPConnection(server.host, server.port, timeout=60)
    try:
        wire.request(method, path, body or None, {"Content-Type": kind} if kind else {})
        reply = wire.getresponse()
        headers = {name.lower(): value for name, value in reply.getheaders()}
        body = reply.read()
        if reply.status != HTTPStatus.SEE_OTHER:
            return reply.status, headers, body
    finally:
        wire.close()
    if not headers["location"].startswith("/answers/"):
        return reply.status, headers, body
    return exchange(server, "GET", headers["location"].partition("#")[0])


def flaw(status: int, headers: Mapping[str, str], body: bytes, *, download: bool) -> str:
    """Say what is wrong with an answer to a form."""
    if not (status in (200, 304) or 400 <= status < 500):
        return f"the status is {status}: {body[:300]!r}"
    kind = headers.get("content-type", "")
    if download and status == HTTPStatus.OK:
        stays = headers.get("content-disposition", "").startswith("attachment")
        return "" if stays else "a download is shown as a page"
    if not kind.startswith("text/html"):
        return f"the answer is {kind}"
    return flaw_of_page(body.decode("utf-8"))


# Requests as `exchange` takes them: by address, typed, with files, and of any bytes.


def _addressed(path: str, pairs: Sequence[tuple[str, str]]) -> Request:
    query = urlencode([(name, value[:2000]) for name, value in pairs], errors="replace")
    return "GET", f"{path}?{query}", b"", ""


def _typed(path: str, pairs: Sequence[tuple[str, str]]) -> Request:
    return "POST", path, urlencode(pairs, errors="replace").encode(), _FORM


def _with_files(
    path: str, pairs: Sequence[tuple[str, str]], brought: Sequence[tuple[str, str, bytes]]
) -> Request:
    parts = [(f'name="{_quoted(n)}"', v.encode("utf-8", "replace")) for n, v in pairs]
    parts += [(f'name="{n}"; filename="{f}"', content) for n, f, content in brought]
    return "POST", path, multipart(parts, _BOUNDARY), _PARTS


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


_FILE_NAMES = st.one_of(
    st.text(st.characters(exclude_characters='"\r\n', codec="utf-8"), max_size=40),
    st.sampled_from([f"draft.{ending}" for ending in ENDINGS]),
)
_BROUGHT = st.lists(st.tuples(st.sampled_from(FILES), _FILE_NAMES, CONTENTS), max_size=3)
_KINDS = ("multipart/form-data", _PARTS, _FORM, "text/plain", "multipart/form-data; boundary=", "",
          f"{_PARTS}; charset=x")  # fmt: skip
_BEGUN = (b"", b"--q3z\r\n", b'--q3z\r\nContent-Disposition: form-data; name="')
REQUESTS: Sequence[st.SearchStrategy[Request]] = (
    st.builds(_addressed, st.sampled_from(GETS), PAIRS),
    st.builds(_typed, st.sampled_from(POSTS), PAIRS),
    st.builds(_with_files, st.sampled_from(POSTS), PAIRS, _BROUGHT),
    st.builds(
        lambda path, kind, begun, rest: ("POST", path, begun + rest, kind),
        *(st.sampled_from(POSTS), st.sampled_from(_KINDS), st.sampled_from(_BEGUN)),
        st.binary(max_size=200),
    ),
)


def try_forms(server: Server, report: Report, *, examples: int, seed: int) -> None:
    """Send forms that Hypothesis chooses, of each sort a quarter."""

    def ask(request: Request) -> None:
        status, headers, body = exchange(server, *request)
        if wrong := flaw(status, headers, body, download=request[1].startswith("/export")):
            raise AssertionError(f"{wrong}; sent {request!r}"[:1500])
        report.counts[str(status)] += 1

    chosen = settings(
        max_examples=max(1, examples // 4),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    for requests in REQUESTS:
        try:
            seeded(seed)(chosen(given(requests)(ask)))()
        except Exception as error:
            report.findings.append(f"{error}"[:1500])
            report.counts["wrong"] += 1


def forms(setting: Setting) -> Report:
    """Fill forms on a server of its own."""
    report = Report()
    with serving(setting.index) as server:
        try_forms(server, report, examples=setting.part(EXAMPLES), seed=setting.seed)
        report.expect(not server.complaints(), f"the server said: {server.complaints()[:2000]}")
        report.expect(not server.answers(), f"no answer afterwards: {server.answers()}")
    return report
