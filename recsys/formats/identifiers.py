"""Identifiers of works, found in any text or address and brought to one spelling."""

import re
from functools import cache
from urllib.parse import unquote

_LONGEST_TEXT = 2_000
"""Characters that are read; an identifier stands in a field or an address, not in a book."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_ESCAPED = re.compile(r"\{?\\([_%&#$])\}?")
_AMPERSAND = re.compile("&(?:amp;)+")

_DOI = re.compile(
    r"""(?:(?<![\w.])|(?<=doi))10\.[0-9]{4,9}(?:\.[0-9]+)*/(?:(?!</)[^\s"“”{}|\\^`%])+""",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?'*\u2019/&"
_BRACKETS = {")": "(", "]": "[", ">": "<"}
# What publishers' addresses append to the DOI.
_QUERY = re.compile(r"[?#].*")
_VIEW = re.compile(
    r"(?:/(?:abs(?:tract)?|full(?:text)?|e?pdf|html?|meta|summary|references)|\.pdf|\.html?)$",
    re.IGNORECASE,
)

# What templates of publishers print until somebody fills it in: it would name many works at once.
_BLANK = re.compile(r"(?<![a-z])(?:n{5,}|x{4,})(?![a-z])|[0-9]xxx$|^1122445\.1122456$")

_ARCHIVES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas "
    "cond-mat cs dg-ga funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin "
    "nucl-ex nucl-th patt-sol physics plasm-ph q-alg q-bio quant-ph solv-int supr-con"
)
_MONTH = r"[0-9]{2}(?:0[1-9]|1[0-2])"
_OLD_ARXIV = (
    rf"(?P<archive>{'|'.join(_ARCHIVES.split())})(?:\.[a-z-]{{2,12}})?/(?P<old>{_MONTH}[0-9]{{3}})"
)
_NEW_ARXIV = rf"(?P<new>{_MONTH}\.[0-9]{{4,5}})"
_VERSION = r"(?:v[0-9]{1,3})?"
_ARXIV = (
    # A prefix or an address, then either form.
    rf"(?:ar[x5]iv\W{{0,3}}|abs/|ar[x5]iv\.org/[\w-]+/)(?:preprint\W{{1,3}})?"
    rf"(?:{_NEW_ARXIV}|{_OLD_ARXIV}){_VERSION}(?![0-9])",
    rf"\A\s*{_NEW_ARXIV}{_VERSION}(?:\s*\[[\w.-]+\])?\s*\Z",
    # The name of an archive is prefix enough.
    rf"(?<![\w./-]){_OLD_ARXIV}{_VERSION}(?![0-9])",
)

_ACL_ID = r"(?P<id>[A-Z][0-9]{2}-[0-9]{4,5}|[0-9]{4}\.[a-z0-9]+(?:_[a-z0-9]+)*-[a-z0-9]+\.[0-9]+)"
_ACL = (
    rf"(?:acl(?:anthology|web)\.[\w./-]*?/|10\.(?:18653|3115)/v1/|\bacl:){_ACL_ID}(?![0-9])",
    rf"\A\s*{_ACL_ID}\s*\Z",
)


def doi(text: str | None) -> str | None:
    """Find a DOI in a text or an address: in lower case, without prefix; None if there is none.

    The placeholder of a template, such as 10.1145/nnnnnnn.nnnnnnn, is none.

    >>> doi("https://doi.org/10.1145/3292500.3330701"), doi("see DOI:10.1109%2FTVCG.2020.12).")
    ('10.1145/3292500.3330701', '10.1109/tvcg.2020.12')
    """
    plain = _plain(text)
    match = _DOI.search(plain)
    if match is None:
        return None
    found = match[0]
    if "://" in plain[: match.start()]:
        found = _VIEW.sub("", _QUERY.sub("", found))
        if "?" in plain[: match.start()]:
            found = found.partition("&")[0]  # What follows is the next parameter.
    while found:  # Drop punctuation and closing brackets that belong to the sentence around.
        opening = _BRACKETS.get(found[-1])
        unmatched = opening is not None and found.count(found[-1]) > found.count(opening)
        if found[-1] not in _TRAILING and not unmatched:
            break
        found = found[:-1]
    found = found.lower()
    prefix, _, suffix = found.partition("/")
    told = any(c.isalnum() for c in suffix) and not _BLANK.search(suffix)
    return found if prefix and told else None


def arxiv(text: str | None) -> str | None:
    """Find an arXiv id: in lower case, without version and subject class; None if there is none.

    Digits alone count only where there is nothing else, or after "arXiv" or "abs/".

    >>> arxiv("arXiv:2004.07180v2 [cs.CL]"), arxiv("http://arxiv.org/pdf/math.GT/0309136.pdf")
    ('2004.07180', 'math/0309136')
    """
    plain = _plain(text)
    for pattern in _compiled(_ARXIV):
        if match := pattern.search(plain):
            found = match.groupdict()
            return found.get("new") or f"{found['archive']}/{found['old']}".lower()
    return None


def acl(text: str | None) -> str | None:
    """Find an id of the ACL Anthology, spelt as there; None if there is none.

    It counts within an address of the Anthology, within a DOI of the ACL, after "ACL:", or alone.

    >>> acl("https://aclanthology.org/p18-1001/"), acl("10.18653/v1/2020.ACL-main.207")
    ('P18-1001', '2020.acl-main.207')
    """
    plain = _plain(text)
    for pattern in _compiled(_ACL):
        if match := pattern.search(plain):
            found = match["id"]
            return found.upper() if found[0].isalpha() else found.lower()
    return None


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Compile what no case tells apart, once it is needed: a short draft names no such work."""
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def _plain(text: str | None) -> str:
    """Undo the escapes of addresses, LaTeX and HTML; drop characters that cannot be seen."""
    decoded = unquote(_ESCAPED.sub(r"\1", (text or "")[:_LONGEST_TEXT]))
    ampersands = _AMPERSAND.sub("&", decoded)
    return _INVISIBLE.sub("", ampersands.replace("&lt;", "<").replace("&gt;", ">"))
