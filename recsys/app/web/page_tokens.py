"""Where an answer goes on: an opaque token that fits one question to one state of one index."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping

from recsys.app.web.problem_details import RequestError

FARTHEST = 1_000
"""An answer ends after so many papers."""
_DIGEST = 16


def digest_of(fingerprint: str, question: Mapping[str, object]) -> str:
    """Hash a question and the index that it is put to: 64 hexadecimal digits."""
    told = json.dumps([fingerprint, question], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()


def entity_tag(digest: str) -> str:
    """Write a digest as the header ETag has it."""
    return f'"{digest[:32]}"'


def token(offset: int, digest: str) -> str:
    """Write down that an answer goes on after `offset` papers."""
    raw = json.dumps([offset, digest[:_DIGEST]]).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def offset_in(text: str, digest: str) -> int:
    """Return after how many papers an answer goes on.

    Raises:
        RequestError: the token is none, or of another question or another state of the index.
    """
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        offset, made_for = json.loads(raw)
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _useless("is none") from error
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 <= offset < FARTHEST:
        raise _useless("is none")
    if made_for != digest[:_DIGEST]:
        raise _useless("belongs to another question, or the index has changed since")
    return offset


def belongs(text: str, digest: str) -> bool:
    """Tell whether a token goes on with this question, put to this state of the index."""
    try:
        offset_in(text, digest)
    except RequestError:
        return False
    return True


def _useless(why: str) -> RequestError:
    return RequestError(400, f"The token of the next page {why}.", "Ask for the first page again.")
