"""Say in a sentence why a store did not do what it was asked to."""

import os
import re

from recsys.errors import InputError, KeyRefused, RecsysError, SourceUnreachable
from recsys.pipelines.remote.store_address import StoreAddress

_NO_BUCKET = re.compile(r"NoSuchBucket|ContainerNotFound|The specified bucket does not exist")
_REFUSED = re.compile(
    r"\b40[13] (?:Unauthorized|Forbidden)|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch"
    r"|ExpiredToken|InvalidToken"
)
_NOT_GIVEN = re.compile(r"169\.254\.\d+\.\d+|metadata\.google\.internal|must be specified")
"""Where machines of the clouds find keys: it is asked when the environment has none."""
_CODE = re.compile(r"<Code>(\w+)</Code>")
_STATUS = re.compile(r"status code: (\d{3} [A-Z][A-Za-z ]*)")
_ELSEWHERE = re.compile(r"\b30[17] |redirect|PermanentRedirect|AuthorizationHeaderMalformed")
_ENDPOINT = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
"""What names the server, the first of them that is set."""
_KEYS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
"""What holds the key, see docs/reference/environment.md."""


def failure_of(error: Exception, address: StoreAddress) -> RecsysError:
    """Tell what happened, and what to do next."""
    said, keys = str(error), _KEYS[address.scheme]
    if _NOT_GIVEN.search(said):
        return KeyRefused(
            f"There is no key for {address}.", f"Set {keys}, or what else your store asks for."
        )
    if _NO_BUCKET.search(said):
        return InputError(
            f"There is no bucket {address.bucket!r} at {endpoint(address)}.",
            "Create it, or correct the address.",
        )
    if _ELSEWHERE.search(said):
        return InputError(
            f"The bucket {address.bucket!r} is in another region.", "Set AWS_REGION to its own."
        )
    if _REFUSED.search(said):
        return KeyRefused(
            f"{endpoint(address)} refuses the key for {address}{_named(said)}.",
            f"Set {keys} to those of somebody who may read and write there.",
        )
    if found := _STATUS.search(said):
        return SourceUnreachable(
            f"{endpoint(address)} answers {found[1].strip()!r} for {address}{_named(said)}.",
            "Run the same command again: it continues.",
        )
    return SourceUnreachable(
        f"{endpoint(address)} cannot be reached, which holds {address}.",
        f"Check {'AWS_ENDPOINT_URL and ' if address.scheme == 's3' else ''}the network, and run "
        "the same command again.",
    )


def endpoint(address: StoreAddress) -> str:
    """Name the server that is asked."""
    usual = {"s3": "The store of AWS", "gs": "Google's store", "az": "Azure's store"}
    return own_endpoint(address) or usual[address.scheme]


def own_endpoint(address: StoreAddress) -> str | None:
    """Return the address of a store that is not that of AWS; None: nothing is said of one."""
    named = filter(None, map(os.environ.get, _ENDPOINT))
    return next(named, None) if address.scheme == "s3" else None


def _named(said: str) -> str:
    code = _CODE.search(said)
    return f" ({code[1]})" if code else ""
