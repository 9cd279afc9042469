"""Identifiers of works, found in any text or address and brought to one spelling."""

import html
import re
from functools import cache
from itertools import pairwise
from urllib.parse import unquote

_LONGEST_TEXT = 2_000
"""Characters that are read; an identifier stands in a field or an address, not in a book."""

_INVISIBLE = re.compile("\u00ad(?:[ \\t]*[\\r\\n]\\s*)?|[\u200b-\u200d\u2060\ufeff]")
_ESCAPED = re.compile(r"\{?\\([_%&#$])\}?")
_AMPERSAND = re.compile("&(?:amp;)+")
_ENTITY = re.compile(r"&(?:lt|gt|quot|nbsp|#[0-9]{1,6}|#[xX][0-9a-fA-F]{1,6});")
_COMMANDS = {"less": "<", "greater": ">", "underscore": "_", "lt": "<", "gt": ">"}
_COMMAND = re.compile(
    r"\{\\(?:text(less|greater|underscore)|(lt|gt))\s*\}"
    r"|\\(?:text(less|greater|underscore)|(lt|gt))(?![a-zA-Z])(?:\{\}|\s)?"
)
_MATHS = re.compile(r"(?:\\ensuremath\{|\$\{?)\s?([<>_])\s?(?:\}?\$|\})")
_MARKED = re.compile(r"[\\%&{$]")
# Braces that keep something as it is, such as `48:6{<}503` and `10.1002/({SICI})1097`.
_KEPT = re.compile(r"\{([^\w\s{}\\]{1,2})\}|(?<=[-.;:()/_<>0-9])\{([^\s{}\\\"]{1,200})\}")
_SPELT = str.maketrans("\u2010\u2011\u2329\u232a\u27e8\u27e9\u3008\u3009", "--<><><>")
_MOST_LAYERS = 4
"""So often is undone what programs have escaped one after the other."""

_DOI = re.compile(
    r"(?:(?<![\w.])|(?<=doi))10\.[0-9]{4,9}(?:\.[0-9]+)*/"
    r"(?:(?!</|(?:\]\(|[;,])(?:https?:|doi:|10\.[0-9]{4}))[^\s\"“”{}|\\^`%])+",
    re.IGNORECASE,
)
_PLAIN_DOI = re.compile(r"10\.[0-9]{4,9}/(?:[\w-]+[./])*[\w-]*[^\W_]", re.ASCII)
"""What stands for itself, as most do."""
_LINE_END = re.compile(r"[ \t]*[\r\n]\s*")
_NEXT_LINE = re.compile(r"[ \t]*[\r\n]\s*([^\s\"“”{}|\\^`%]+)")
_ALONE = re.compile(
    r"(?i)\W*(?:(?:info:|urn:)?doi[:/]?|https?://(?:dx\.|www\.)?doi\.org/)?\W*10\.[0-9]{4,9}"
    r"(?:\.[0-9]+)*/\S+"
)
_NEXT_OTHER = re.compile(r"(?i)10\.[0-9]{4}|https?:|doi:|(?:1[5-9]|20)[0-9]{2}\W*\Z")
# What in the query of an address belongs to the DOI: it is escaped there.
_RESERVED = {"%23": "\ue000", "%3f": "\ue001", "%26": "\ue002"}
_RESERVED_CODE = re.compile("(?i)%(?:25)?(23|3f|26)")
_UNRESERVED = str.maketrans("\ue000\ue001\ue002", "#?&")
_TRAILING = ".,;:!?'*\u2019/&"
_BRACKETS = {")": "(", "]": "[", ">": "<"}
# What publishers' addresses append to the DOI.
_QUERY = re.compile(r"[?#].*")
_VIEW = re.compile(
    r"(?:/(?:abs(?:tract)?|full(?:text)?|e?pdf|html?|meta|summary|references)|\.pdf|\.html?)$",
    re.IGNORECASE,
)

TEMPLATE = re.compile(r"(?<![a-z])(?:n{5,}|x{4,})(?![a-z])|[0-9]xxx$|^1122445\.1122456$")
"""What templates of publishers print behind the prefix until somebody fills it in."""

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
    text = (text or "")[:_LONGEST_TEXT]
    if _PLAIN_DOI.fullmatch(text) and not TEMPLATE.search(text.lower().partition("/")[2]):
        return text.lower()
    if "://" in text and "%" in text:
        text = _RESERVED_CODE.sub(lambda code: _RESERVED[f"%{code[1].lower()}"], text)
    plain = _plain(text)
    plain = _joined(plain) or plain
    match = _DOI.search(plain)
    if match is None:
        return None
    found = _whole(plain, match)
    if "://" in plain[: match.start()]:
        found = _VIEW.sub("", _QUERY.sub("", found))
        if "?" in plain[: match.start()]:
            found = found.partition("&")[0]  # What follows is the next parameter.
    found = found.translate(_UNRESERVED)
    while found:  # Drop punctuation and closing brackets that belong to the sentence around.
        opening = _BRACKETS.get(found[-1])
        unmatched = opening is not None and found.count(found[-1]) > found.count(opening)
        if found[-1] not in _TRAILING and not unmatched:
            break
        found = found[:-1]
    found = found.lower()
    prefix, _, suffix = found.partition("/")
    told = any(c.isalnum() for c in suffix) and not TEMPLATE.search(suffix)
    return found if prefix and told else None


def _joined(plain: str) -> str | None:
    """Join the lines of a text that holds a DOI and nothing else; None where that is not sure."""
    lines = _LINE_END.split(plain.strip())
    joined = "".join(lines)
    if len(lines) < 2 or not _ALONE.fullmatch(joined):
        return None
    for before, line in pairwise(lines):
        another_word = line.isalpha() and before[-1].isalnum()
        if another_word or _NEXT_OTHER.match(line):
            return None
    return joined


def _whole(plain: str, match: re.Match[str]) -> str:
    """Take what follows a DOI on the next lines where it ended at no end, or no word begins so."""
    found, end = match[0], match.end()
    while (following := _NEXT_LINE.match(plain, end)) and not _NEXT_OTHER.match(following[1]):
        piece = following[1]
        opened = any(found.count(mark) > found.count(last) for last, mark in _BRACKETS.items())
        unended = opened or found[-1] in "-/_(<:" or piece[0] in "<>)_:;/"
        named = found[-1] == "." and piece[0].islower() and any(map(str.isdigit, piece))
        if not (unended or named) or piece == "-":
            break
        found, end = found + piece, following.end()
    return found


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
    plain = _INVISIBLE.sub("", (text or "")[:_LONGEST_TEXT].translate(_SPELT))
    for _ in range(_MOST_LAYERS):
        if not _MARKED.search(plain):
            break
        before, plain = (
            plain,
            _COMMAND.sub(lambda name: _COMMANDS[name[name.lastindex or 1]], plain),
        )
        plain = _MATHS.sub(r"\1", _ESCAPED.sub(r"\1", plain))
        plain = _KEPT.sub(lambda inside: inside[1] or inside[2], unquote(plain))
        plain = _ENTITY.sub(lambda entity: html.unescape(entity[0]), _AMPERSAND.sub("&", plain))
        plain = _INVISIBLE.sub("", plain)
        if plain == before:
            break
    return plain
