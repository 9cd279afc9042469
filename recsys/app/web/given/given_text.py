"""A draft's running text, beside what else its files say; and how it travels with a form."""

import base64
import binascii
import json
import zlib
from dataclasses import dataclass, replace

from recsys.app.web.given.body_messages import body_of, plain_body
from recsys.app.web.given.checked_values import text_of
from recsys.errors import InputError, RecsysError
from recsys.passages import Body
from recsys.records import Manuscript

MOST_SENTENCES = 3_000
"""A text is looked at up to there."""
LONGEST = 2**20
"""Bytes of a text that travels with a form, unpacked."""
_CUT = "Only the first {most:,} of {count:,} sentences are looked at."


@dataclass(frozen=True, slots=True)
class GivenText:
    """Running text. name: what the draft's file is called."""

    name: str
    body: Body


@dataclass(frozen=True, slots=True)
class GivenDraft:
    """A draft that was given. text: None where there is none, of which `why` tells."""

    manuscript: Manuscript
    text: GivenText | None = None
    why: RecsysError | None = None


def cut(body: Body) -> Body:
    """Leave out sentences that would take too long to look at, and say so."""
    count = len(body.sentences)
    if count <= MOST_SENTENCES:
        return body
    note = _CUT.format(most=MOST_SENTENCES, count=count)
    return replace(body, sentences=body.sentences[:MOST_SENTENCES], notes=(*body.notes, note))


def pack(text: GivenText | None) -> str:
    """Write a text as a field of a form holds it; "" where it is too long, or there is none."""
    if text is None:
        return ""
    value = {"name": text.name, **plain_body(text.body)}
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(raw) > LONGEST:
        return ""
    return base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode()


def unpack(packed: str) -> GivenText | None:
    """Read what `pack` wrote; None where nothing was.

    Raises:
        InputError: it is something else.
    """
    if not packed:
        return None
    try:
        value = json.loads(_inflated(base64.b64decode(packed, altchars=b"-_", validate=True)))
        return GivenText(text_of(value["name"]), cut(body_of(value)))
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error, zlib.error) as error:
        raise InputError(
            "The text of the draft was changed on its way.", "Give its file again."
        ) from error


def _inflated(raw: bytes) -> bytes:
    """Unpack bytes, never more than `LONGEST` of them."""
    opened = zlib.decompressobj()
    found = opened.decompress(raw, LONGEST)
    if opened.unconsumed_tail or not opened.eof:
        raise ValueError("It is too long, or ends too early.")
    return found
