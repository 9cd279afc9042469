"""Keys: where they come from, where they go, and that they are nowhere else."""

import logging
import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from recsys.errors import InputError, KeyRefused, RecsysError
from recsys.pipelines.online.client import ClientConfig, Question
from recsys.pipelines.online.http_exchange import Clock, Exchange, FailedExchange, Sent
from recsys.pipelines.online.sites import (
    HIDDEN,
    ZOTERO_KEY,
    Keys,
    keys_file,
    read_keys,
    remember_key,
    variables,
)
from recsys.pipelines.online.sources import SOURCES, Kind, source
from tests.online.loopback import Asked, Fault, Given, serving
from tests.online.world import KEY, MAIL, Servers, every_key

WRONG = "k3y-that-is-wrong"
LINES = f"# Mine\n\nRECSYS_OPENALEX_KEY = {KEY}\nexport RECSYS_MAIL='{MAIL}'\n"


@pytest.fixture
def keys_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], Path]:
    """Write a file of keys, and let it be the user's."""
    for name in variables():
        monkeypatch.delenv(name, raising=False)

    def write(text: str, mode: int = 0o600) -> Path:
        path = tmp_path / "keys"
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        monkeypatch.setenv("RECSYS_KEYS", str(path))
        return path

    return write


def test_keys_come_from_the_file_unless_a_variable_gives_one(
    keys_in: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys_in(LINES)
    names = ("RECSYS_OPENALEX_KEY", "RECSYS_MAIL", "RECSYS_PUBMED_KEY")
    assert [read_keys().get(name) for name in names] == [KEY, MAIL, ""]
    monkeypatch.setenv(names[0], WRONG)
    assert [read_keys().get(name) for name in names] == [WRONG, MAIL, ""]


def test_without_a_file_there_are_no_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys_in: Callable[..., Path]
) -> None:
    monkeypatch.delenv("RECSYS_KEYS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert keys_file() == tmp_path / "recsys" / "keys"
    assert [read_keys().get(name) for name in variables()] == [""] * 6
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys_file() == tmp_path / ".config" / "recsys" / "keys"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_may_read_is_refused(keys_in: Callable[..., Path], mode: int) -> None:
    path = keys_in(LINES, mode)
    with pytest.raises(InputError) as caught:
        read_keys()
    assert caught.value.hint == f"Run `chmod 600 {path}`." and KEY not in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir(0o700)
    for name in ("pipe", "folder"):
        monkeypatch.setenv("RECSYS_KEYS", str(tmp_path / name))
        with pytest.raises(InputError, match="it is not a file"):
            read_keys()


@pytest.mark.parametrize(
    "line",
    [KEY, f"RECSYS_OPENALEX_KEY {KEY}", f"RECSYS_OPENALEXKEY={KEY}", f"RECSYS_MAIL={KEY} x"],
)
def test_a_wrong_line_is_told_without_the_key(keys_in: Callable[..., Path], line: str) -> None:
    keys_in(line)
    with pytest.raises(InputError) as caught:
        read_keys()
    assert KEY not in str(caught.value) and caught.value.hint


@pytest.mark.parametrize("key", ["tiny1", "two words here", "x" * 201, "tab\tin the key", "ключик"])
def test_what_cannot_be_a_key_is_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("RECSYS_KEYS", "/nowhere/keys")
    monkeypatch.setenv("RECSYS_PUBMED_KEY", key)
    with pytest.raises(InputError, match="RECSYS_PUBMED_KEY") as caught:
        read_keys()
    assert key not in str(caught.value)


def test_what_holds_keys_does_not_show_them() -> None:
    shown = [every_key(), ClientConfig(keys=every_key()), Sent(f"https://x.example/?api_key={KEY}")]
    assert all(KEY not in f"{each!r} {each}" and MAIL not in f"{each!r}" for each in shown)
    nested = Keys({"RECSYS_MAIL": "abcdef", "RECSYS_PUBMED_KEY": "abcdefgh"})
    assert nested.hide(b"abcdefgh abcdef") == f"{HIDDEN} {HIDDEN}".encode()


def test_each_key_goes_where_its_source_wants_it(servers: Servers) -> None:
    client = servers.client(keys=every_key())
    for name in servers.by_name:
        client.ask(Question(name, "/api/x", json=False, tolerated=frozenset({404})))
    asked = {name: served.asked[-1] for name, served in servers.by_name.items()}
    assert asked["openalex"].parameters == {"api_key": KEY}
    assert asked["pubmed"].parameters == {"api_key": KEY, "email": MAIL}
    assert asked["crossref"].parameters == {"mailto": MAIL}
    assert asked["semanticscholar"].headers["x-api-key"] == KEY
    assert asked["zotero-web"].headers["zotero-api-key"] == KEY
    for name in ("arxiv", "arxiv-oai", "zotero"):
        assert KEY not in str(asked[name]) and MAIL not in str(asked[name])


class _Fixed:
    """Gives one answer to everything."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def answer(self, asked: Asked) -> Given:
        return self._given


class _Echo:
    """Gives back all that it was told, as some servers do in their errors and pages."""

    def __init__(self, status: int) -> None:
        self._status = status

    def answer(self, asked: Asked) -> Given:
        told = f'{{"results": [], "told": "{asked.parameters} {asked.headers}"}}'
        return Given(told.replace("'", "").encode(), self._status, {"X-Told": KEY})


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 500])
def test_a_key_that_a_source_gives_back_is_not_kept(
    servers: Servers, tmp_path: Path, status: int
) -> None:
    told = ""
    with serving(_Echo(status)) as served:
        client = servers.client(
            addresses={"openalex": served.address}, keys=every_key(), store=tmp_path, tries=1
        )
        try:
            reply = client.ask(Question("openalex", "/works"))
            told = reply.body.decode() + str(reply)
        except RecsysError:
            told = traceback.format_exc()
        assert KEY in str(served.asked)
    assert HIDDEN in told or status == 404
    assert KEY not in told
    assert_nowhere(tmp_path)


def coded(form: str) -> str:
    """Write each letter of the key in a form."""
    return "".join(form.format(ord(letter), letter=letter) for letter in KEY)


SPELLINGS = {
    "as it is": KEY,
    "large": KEY.upper(),
    "JSON": coded("\\u{:04x}"),
    "JSON, large": coded("\\u{:04X}"),
    "one letter": KEY.replace("-", "\\u002d", 1),
    "JSON in JSON": coded("\\\\u{:04x}"),
    "an address": coded("%{:02X}"),
    "an address in an address": coded("%25{:02x}"),
    "mark-up": coded("&#{};"),
    "mark-up, hexadecimal": coded("&#x{:x};"),
    "mark-up in mark-up": coded("&amp;#{};"),
    "mark-up in JSON": coded("\\u0026#{};"),
    "TeX": KEY.replace("-", "\\\\-"),
}
"""How a source may give the key back, inside a string of JSON."""


def test_a_key_is_hidden_however_it_is_written(servers: Servers, tmp_path: Path) -> None:
    body = "".join(f', "{name}": "{spelling}"' for name, spelling in SPELLINGS.items())
    title = 'Of \\"moss\\" &amp; roofs: 100 % \\\\alpha \\u00e4'
    whole = f'{{"title": "{title}"{body}}}'
    headers = {"Total-Results": f"12 {KEY.upper()}", "Last-Modified-Version": coded("%{:02x}")}
    with serving(_Fixed(Given(whole.encode(), 200, headers))) as served:
        client = servers.client(
            addresses={"openalex": served.address}, keys=every_key(), store=tmp_path
        )
        answers = [client.ask(Question("openalex", "/works")) for _ in range(2)]
        assert len(served.asked) == 1  # The other came from the store.
    for reply in answers:
        assert reply.value.pop("title") == 'Of "moss" &amp; roofs: 100 % \\alpha ä'
        assert reply.value == dict.fromkeys(SPELLINGS, HIDDEN)
        assert [reply.headers[name] for name in ("total-results", "last-modified-version")] == [
            f"12 {HIDDEN}",
            HIDDEN,
        ]
    assert_nowhere(tmp_path)


def test_what_holds_no_key_stays_as_it_is() -> None:
    for text in (*SPELLINGS.values(), r'{"a": "\\u0022 &lt; %2f \u00e4 \\alpha &middot; \/"}'):
        kept = text.replace(KEY, "another").encode()
        assert Keys({"RECSYS_PUBMED_KEY": "a-key-that-nobody-gives-back"}).hide(kept) == kept


@pytest.mark.parametrize(
    "given",
    [
        Given(b"", 302, {"Location": f"https://{KEY}.example/works"}),
        Given(b"", 302, {"Location": f"https://{'x' * 95}.{KEY}.example/"}),
        Given(b"", 200, {"Content-Encoding": KEY}),
        Given(b"", 200, {"Content-Encoding": f"{'x' * 15}{KEY}"}),
        Given(coded("\\u{:04x}").encode(), 404),
        Given(coded("%{:02x}").encode(), 500),
    ],
)
def test_a_key_is_not_in_what_is_said_of_an_answer(servers: Servers, given: Given) -> None:
    with serving(_Fixed(given)) as served:
        client = servers.client(addresses={"openalex": served.address}, keys=every_key(), tries=1)
        with pytest.raises(RecsysError) as caught:
            client.ask(Question("openalex", "/works"))
    said = f"{caught.value.what} {caught.value.hint}"
    assert HIDDEN in said
    assert not [part for part in (KEY[:6], coded("\\u{:04x}")[:12], "%6b%33") if part in said]


def assert_nowhere(folder: Path) -> None:
    """Look for the keys in all files and their names, unpacked."""
    import gzip

    for path in folder.rglob("*"):
        raw = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".gz":
            raw += gzip.decompress(raw)
        for secret in (KEY, MAIL, WRONG):
            assert secret.encode() not in raw and secret not in str(path), path


@pytest.mark.parametrize("name", sorted(SOURCES))
@pytest.mark.parametrize("fault", [None, *sorted(set(Fault) - {Fault.SLOW})])
def test_a_key_is_in_no_log_store_error_or_work(
    servers: Servers,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    name: str,
    fault: Fault | None,
) -> None:
    caplog.set_level(logging.DEBUG)
    servers[name].order(*[fault] * 5)
    client = servers.client(keys=every_key(), store=tmp_path, largest=2**20)
    told = repr(client.__dict__)
    try:
        asked = source(name, client)
        if Kind.SEARCH in asked.facts.kinds:
            told += repr(list(asked.search("honey", most=2)))
    except RecsysError:
        told += traceback.format_exc()
    captured = capfd.readouterr()
    for text in (told, caplog.text, captured.out, captured.err, repr(client.__dict__)):
        assert KEY not in text and MAIL not in text
    assert_nowhere(tmp_path)


def test_a_wrong_key_is_not_in_what_is_said_of_it(servers: Servers) -> None:
    names = ("OPENALEX", "SEMANTICSCHOLAR", "PUBMED", "ZOTERO")
    keys = Keys({f"RECSYS_{name}_KEY": WRONG for name in names})
    for name in ("openalex", "semanticscholar", "pubmed", "zotero-web"):
        with pytest.raises(KeyRefused) as caught:
            servers.client(keys=keys).ask(Question(name, "/works"))
        assert WRONG not in traceback.format_exc() + str(caught.value)
        assert caught.value.hint.startswith("Set RECSYS_")


def test_a_failed_connection_does_not_tell_the_address() -> None:
    exchange = Exchange(Clock(), longest=2.0)
    for address in ("http://127.0.0.1:9/", "http://127.0.0.1:99999/", "nothing://x/"):
        with pytest.raises(FailedExchange) as caught:
            exchange.send(Sent(f"{address}?api_key={KEY}"))
        assert KEY not in "".join(traceback.format_exception(caught.value))
    exchange.close()


def test_a_key_that_is_remembered_takes_the_place_of_an_older_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings" / "keys"
    monkeypatch.setenv("RECSYS_KEYS", str(path))
    assert remember_key(ZOTERO_KEY, "first-key-of-all") == path
    assert path.stat().st_mode & 0o077 == 0
    path.write_text(f"# Mine.\nexport {path.read_text()}RECSYS_MAIL = ann@forest.example\n")
    remember_key(ZOTERO_KEY, "second-key")
    assert read_keys().get(ZOTERO_KEY) == "second-key"
    assert path.read_text().splitlines()[:2] == ["# Mine.", "RECSYS_MAIL = ann@forest.example"]
    path.write_text("no key\n")
    with pytest.raises(InputError, match="Line 1 of"):
        remember_key(ZOTERO_KEY, "third-key")
    assert path.read_text() == "no key\n"
