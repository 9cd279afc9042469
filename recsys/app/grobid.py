"""Ask a GROBID server what stands in a PDF: only where somebody names one, and nobody else.

As https://grobid.readthedocs.io/en/latest/Grobid-service/ describes its service, read on
2026-11-22; tested against a server of the project's own that answers so.
"""

import time
from pathlib import Path
from urllib.parse import urlsplit

from recsys.errors import DraftError, InputError, need
from recsys.formats.files import display_name, read_bytes
from recsys.formats.markup.tei_xml import read_tei
from recsys.records import Manuscript

SERVICE = "api/processFulltextDocument"
LONGEST, CONNECTING = 180.0, 5.0
"""Seconds for a whole answer, and until there is somebody who answers."""
LARGEST = 32 * 2**20
"""Bytes of an answer."""
_ALONE = "Leave --grobid out: the PDF is then read without it."
_SETTINGS = {"consolidateHeader": "0", "consolidateCitations": "0", "includeRawCitations": "0"}
"""With consolidation the server would ask others about the draft."""


def read_by_grobid(address: str, path: Path, *, seconds: float = LONGEST) -> Manuscript:
    """Send a PDF to a GROBID server, and read its answer as a draft.

    Args:
        address: of the server, such as http://localhost:8070.
        path: of the PDF.
        seconds: after which the server has taken too long.

    Raises:
        InputError: the address is none, the file is no PDF, or the server does not answer.
        DraftError: what it answers says nothing.
        MissingExtraError: httpx2 is not installed.
    """
    name = display_name(path)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        what = f"{address!r} is not the address of a GROBID server."
        raise InputError(what, "Give one such as http://localhost:8070.")
    need("httpx2", "Asking GROBID")
    raw = read_bytes(path)
    if not raw.lstrip()[:5] == b"%PDF-":
        raise InputError(f"{name} is not a PDF: GROBID reads nothing else.", "Leave --grobid out.")
    found = read_tei(_answer(f"{address.rstrip('/')}/{SERVICE}", raw, name, seconds), name)
    if not (found.title or found.abstract or found.references):
        raise DraftError(f"GROBID found nothing in {name}.", _ALONE)
    return found


def _answer(address: str, raw: bytes, name: str, seconds: float) -> bytes:
    import httpx2

    limits = httpx2.Timeout(seconds, connect=min(CONNECTING, seconds))
    form = {"input": (name, raw, "application/pdf")}
    try:
        with (
            httpx2.Client(timeout=limits, follow_redirects=False, trust_env=False) as client,
            client.stream(
                "POST", address, files=form, data=_SETTINGS, headers={"Accept": "application/xml"}
            ) as reply,
        ):
            if (status := reply.status_code) != 200:
                refused = f"GROBID refused {name}: it answered with status {status}."
                raise {
                    503: InputError(
                        "GROBID is busy: all its workers are taken.", "Ask again in a minute."
                    ),
                    204: DraftError(f"GROBID found nothing in {name}.", _ALONE),
                }.get(status, InputError(refused, _ALONE))
            answer, until = bytearray(), time.monotonic() + seconds
            for part in reply.iter_bytes():
                answer += part
                if len(answer) > LARGEST:
                    what = f"GROBID's answer is larger than {LARGEST // 2**20} MB."
                    raise InputError(what, _ALONE)
                if time.monotonic() > until:
                    raise InputError("GROBID's answer took too long.", _ALONE)
            return bytes(answer)
    except httpx2.TimeoutException as error:
        raise InputError(f"GROBID took longer than {seconds:.0f} s for {name}.", _ALONE) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        what = f"GROBID at {address} does not answer: {reason.rstrip('.')}."
        raise InputError(what, "Is it running? " + _ALONE) from error
