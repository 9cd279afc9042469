"""Where sources answer, how often they may be asked, and the keys that they want."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from recsys.errors import InputError, near_miss
from recsys.formats.replacing import replacing


@dataclass(frozen=True, slots=True)
class Site:
    """A host that is asked.

    address: what all its paths follow. pace: seconds between two requests; pace_known: with a key,
    or an address of mail. key: environment variable of the key. key_header, key_parameter: where it
    goes. mail_parameter: where an address of mail goes, by which the operators can write to who
    asks too much. hint: what to do where it does not answer, if that is not to wait.
    paced_with: the site whose requests count with its own, if another's do.
    """

    name: str
    address: str
    pace: float
    pace_known: float | None = None
    key: str = ""
    key_header: str = ""
    key_parameter: str = ""
    mail_parameter: str = ""
    hint: str = ""
    paced_with: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that gives another address."""
        return f"RECSYS_{self.name.upper().replace('-', '_')}_URL"


MAIL = "RECSYS_MAIL"
"""The variable of the address of mail that sources are told."""
ZOTERO_KEY = "RECSYS_ZOTERO_LOCAL_KEY"
"""The variable of the key by which the Zotero of this machine lets itself be written to."""
SITES: Mapping[str, Site] = {
    site.name: site
    for site in (
        Site(
            "openalex", "https://api.openalex.org", 0.1,
            key="RECSYS_OPENALEX_KEY", key_parameter="api_key",
        ),
        Site(  # Who has no key shares one budget with everybody.
            "semanticscholar", "https://api.semanticscholar.org", 3.0, 1.0,
            key="RECSYS_SEMANTICSCHOLAR_KEY", key_header="x-api-key",
        ),
        Site("crossref", "https://api.crossref.org", 1.0, 0.34, mail_parameter="mailto"),
        Site("arxiv", "https://export.arxiv.org", 3.0),
        Site("arxiv-oai", "https://oaipmh.arxiv.org", 3.0, paced_with="arxiv"),
        Site(
            "pubmed", "https://eutils.ncbi.nlm.nih.gov", 0.34, 0.1,
            key="RECSYS_PUBMED_KEY", key_parameter="api_key", mail_parameter="email",
        ),
        Site(
            "zotero", "http://127.0.0.1:23119", 0.0,
            hint="Start Zotero, and allow other applications to communicate with it "
            "(Settings, Advanced).",
        ),
        Site(
            "zotero-web", "https://api.zotero.org", 0.5,
            key="RECSYS_ZOTERO_KEY", key_header="Zotero-API-Key",
        ),
    )
}  # fmt: skip


def base_address(site: Site, given: Mapping[str, str]) -> str:
    """Return what the site's paths follow: as given, as the environment says, or its own.

    Raises:
        InputError: it is neither https, nor http on this machine.
    """
    address = given.get(site.name) or os.environ.get(site.variable) or site.address
    parts = urlsplit(address)
    secure = parts.scheme == "https" and parts.hostname
    if secure or (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        return address.rstrip("/")
    what = f"{address!r} is not an address of {site.name}."
    raise InputError(what, "Give one that begins with https://; http:// is for this machine only.")


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, by its name or number alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


FILE = "RECSYS_KEYS"
"""The variable that gives another path of the file."""
HIDDEN = "***"
_SHORTEST, _LONGEST = 6, 200
_LINE = re.compile(r"\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*")
_NOT_A_KEY = re.compile(r"[^\x21-\x7e]")
# How JSON, addresses and mark-up write a letter of a key in another way, or what does so for them.
_ESCAPED = re.compile(
    rb"\\(?:\\*(?:u00|x)(?P<json>[2-7][0-9a-f])|\\*(?P<bare>[^\w\s\"\\]))"
    rb"|%(?:25)*(?P<address>[2-7][0-9a-f])"
    rb"|&(?:amp;)*(?:#x0*(?P<hex>[2-7][0-9a-f])|#0*(?P<number>[1-9][0-9]{1,2})|(?P<name>\w+););?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys by the names of their variables; an address of mail is kept among them."""

    _by_variable: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __or__(self, more: Mapping[str, str]) -> "Keys":
        return Keys({**self._by_variable, **more})

    def get(self, variable: str) -> str:
        """Return a key, "" where there is none."""
        return self._by_variable.get(variable, "")

    def hide(self, text: bytes) -> bytes:
        """Put stars in the place of every key that a source gives back, however it is written."""
        if not any(self._by_variable.values()):
            return text
        text = self._starred(text)
        plain = _ESCAPED.sub(_unescaped, _ESCAPED.sub(_unescaped, text))
        starred = self._starred(plain)
        # Else it stays: what is escaped means something else, here and there, where it is not.
        return text if starred is plain else starred

    def _starred(self, text: bytes) -> bytes:
        small = text.lower()  # As hosts come back.
        # The longest first: one may be the beginning of another.
        keys = sorted(filter(None, self._by_variable.values()), key=len, reverse=True)
        for key in (each.encode() for each in keys if each.lower().encode() in small):
            text = re.sub(re.escape(key), HIDDEN.encode(), text, flags=re.IGNORECASE)
        return text


def _unescaped(match: re.Match[bytes]) -> bytes:
    """Write a letter as itself, but for one that has a meaning where it stands."""
    kind, found = match.lastgroup, match[match.lastgroup or 0]
    if kind in ("bare", "name"):
        letter = html5.get(f"{found.decode()};", "") if kind == "name" else found.decode("latin-1")
    else:
        letter = chr(int(found, 10 if kind == "number" else 16))
    reserved = '"\\' if kind in ("json", "bare", "address") else "<>&\"'"
    kept = letter in reserved or not letter.isascii() or not letter.isprintable()
    return match[0] if kept else letter.encode()


def variables() -> tuple[str, ...]:
    """Name the variables that are looked for."""
    return (*(site.key for site in SITES.values() if site.key), MAIL, ZOTERO_KEY)


def keys_file() -> Path:
    """Return $RECSYS_KEYS, else `recsys/keys` in the user's folder of settings."""
    if own := os.environ.get(FILE):
        return Path(own)
    settings = os.environ.get("XDG_CONFIG_HOME")
    return Path(settings or os.path.expanduser("~/.config")) / "recsys" / "keys"


def read_keys() -> Keys:
    """Read the keys of this user: a variable goes before a line of the file.

    Raises:
        InputError: the file may be read by others, or has a line that is none; a key is not one.
    """
    found = dict(_of_file(keys_file()))
    found |= {name: os.environ[name] for name in variables() if os.environ.get(name)}
    for name, key in found.items():
        if _NOT_A_KEY.search(key) or not _SHORTEST <= len(key) <= _LONGEST:
            what = f"What {name} is not a valid key: too short, too long, or with spaces."
            raise InputError(what, "Copy it again from the page of the source.")
    return Keys(found)


def remember_key(variable: str, key: str) -> Path:
    """Write a key into the user's file of keys, in the place of an older one; return its path.

    Raises:
        InputError: the file may be read by others, or has a line that is none.
        OSError: it cannot be written.
    """
    path = keys_file()
    lines: list[str] = []
    if path.exists():
        dict(_of_file(path))  # It says what is wrong with the file.
        text = path.read_text(encoding="utf-8", errors="replace")
        matches = ((line, _LINE.fullmatch(line)) for line in text.splitlines())
        lines = [line for line, match in matches if match is None or match[1] != variable]
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.touch(0o600)
        written = "".join(f"{line}\n" for line in (*lines, f"{variable} = {key}"))
        temporary.write_text(written, encoding="utf-8")
    return path


def _of_file(path: Path) -> Iterator[tuple[str, str]]:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # A pipe would wait.
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}.", f"Set {FILE} to another path."
        ) from error
    mode = os.fstat(descriptor).st_mode
    # Windows has no such modes: every file seems to be for everybody there.
    if not stat.S_ISREG(mode) or (os.name == "posix" and mode & 0o077):
        os.close(descriptor)
        what = f"{path} holds keys, but others can read it or it is not a file."
        raise InputError(what, f"Run `chmod 600 {path}`.")
    with open(descriptor, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                # What is wrong is told without the line, which may hold a key.
                where = f"Line {number} of {path}"
                match = _LINE.fullmatch(line)
                if match is None:
                    raise InputError(
                        f"{where} is not `VARIABLE = key`.", "Correct it, or begin it with `#`."
                    )
                if match[1] not in variables():
                    known = ", ".join(variables())
                    what = f"{where} is not for a known source.{near_miss(match[1], variables())}"
                    raise InputError(what, f"The variables are {known}.")
                yield match[1], match[2].strip("\"'")
