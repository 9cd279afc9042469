"""What Schemathesis loads before it starts: which answers are meant, and ids that exist.

Not imported by anything else: the environment variable SCHEMATHESIS_HOOKS names this module.
"""

import os
import re
from typing import Any, TypeAlias

import schemathesis

Found: TypeAlias = Any
"""What Schemathesis made; it ships its types, but is no dependency of the tests."""
KNOWN = "RECSYS_CHECK_IDS"
"""The environment variable that holds ids of papers, separated by commas."""
MEANT = (
    r"^The token of the next page ",
    r"^q is empty",
    r"^0 ids are given",
    r"^No reference is given",
)
"""How the details begin of refusals of a request that no schema can tell."""
_LONGEST = 200
"""Letters of an `index` or a `next` that the description allows."""
_TOO_LARGE = 413


def filter_failure(context: object, failure: Found, case: object, response: Found) -> bool:
    """Keep a failure unless the answer is one that is meant."""
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        return not _meant(response)
    # Lists that are too long may make the body too large, which is said before it is read.
    return not (kind == "AcceptedNegativeData" and response.status_code == _TOO_LARGE)


def map_query(context: object, query: Found) -> Found:
    """Ask an index that exists, and for papers that exist in half of the cases."""
    return _answerable(query)


def map_body(context: object, body: Found) -> Found:
    """Ask an index that exists, for the first page: what is inside is reached only then."""
    if isinstance(body, dict) and isinstance(body.get("request"), dict):
        return {**body, "request": _answerable(body["request"])}
    return _answerable(body)


def map_path_parameters(context: object, path_parameters: Found) -> Found:
    """Ask for papers that exist in half of the cases."""
    return _known(path_parameters, "id")


def _meant(response: Found) -> bool:
    """Tell a refusal of what a draft, a file or an id says from one of the request's shape."""
    try:
        problem = response.json()
        kind, detail = str(problem["kind"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return False
    return kind != "RequestError" or any(re.search(pattern, detail) for pattern in MEANT)


def _answerable(fields: Found) -> Found:
    """Empty what is valid by its type, and names nothing: the first index, the first page."""
    if not isinstance(fields, dict):
        return fields
    emptied = {
        name: ""
        for name in ("index", "next")
        if isinstance(fields.get(name), str) and len(fields[name]) <= _LONGEST
    }
    return _known({**fields, **emptied}, "ids")


def _known(fields: Found, name: str) -> Found:
    """Put an id that exists in the place of one of odd length."""
    ids = [each for each in os.environ.get(KNOWN, "").split(",") if each]
    if not ids or not isinstance(fields, dict):
        return fields
    value = fields.get(name)
    if isinstance(value, str) and len(value) % 2:
        return {**fields, name: ids[len(value) % len(ids)]}
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        found = [ids[len(each) % len(ids)] if len(each) % 2 else each for each in value]
        return {**fields, name: found}
    return fields


for _hook in (filter_failure, map_query, map_body, map_path_parameters):
    schemathesis.hook(_hook)
