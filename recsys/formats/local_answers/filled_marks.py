r"""Put a key where an author left a mark: `\cite{?}`, `[@?]`, `[CITE]`, and others."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from recsys.passages import Mark

LATEX = frozenset({".tex", ".ltx", ".latex", ".rnw", ".snw", ".rtex"})
"""Suffixes of files in which LaTeX's commands cite; all other text cites as pandoc does."""

_COMMAND = re.compile(r"\\(?P<name>[A-Za-z@]+)\*?\s*(?=[\[({])")
_CITING = re.compile(r"(?!.*(?:need|missing|todo))[A-Za-z@]*[Cc]ite[A-Za-z]*|bibentry", re.I)
_KEY_LIST = re.compile(r"\[[^\[\]]*\]|\{(?P<keys>[^{}]*)\}")
_PANDOC = re.compile(r"(?<!@)@(?!@)(?:\{(?P<braced>[^{}]*)\}|(?P<key>[^\s;,\[\](){}@]*))")
_ROLE = re.compile(r"\{cite[^{}]*\}`(?P<keys>[^`]*)`")
_WORD = re.compile(r"[^\W_]+")
_WISH = re.compile(
    r"to|do|todo\w*|inline|fix|me|fixme|[a-z]{0,6}cite[a-z]{0,6}|citations?|citing|cn|refs?|references?|"
    r"sources?|keys?|add|find|give|put|insert|need|needs|needed|required|"
    r"citationneeded|missing\w*|here|this|place|holder|placeholder|please|a|an|the|some|more|for|is|"
    r"which|what|fact|some(?:one|body|thing)|authors?|et|al|years?|xx+|\d\dxx|xx\d\d|tb[acd]"
)
_PARENTHETICAL = ("cite", "citep", "parencite", "autocite", "footcite", "supercite", "footcitep")
_RAISED = frozenset({"footcite", "supercite"})
_USED = re.compile(rf"\\({'|'.join(sorted(_PARENTHETICAL, key=len, reverse=True))})(?![A-Za-z@])")
_PACKAGE = re.compile(r"\\usepackage(?:\[[^\]]*\])?\{[^{}]*\b(natbib|biblatex)\b[^{}]*\}")
_OF_PACKAGE = {"natbib": "citep", "biblatex": "parencite"}
_SPACE = re.compile(r"[ \t~]+\Z")


def is_latex(file: str) -> bool:
    """Whether a file cites by LaTeX's commands, as its suffix tells."""
    return PurePath(file).suffix.lower() in LATEX


def citing_command(sources: Iterable[str]) -> str:
    """Return the command by which some LaTeX cites in parentheses: the one that it uses most."""
    texts = list(sources)
    used = Counter(match[1] for text in texts for match in _USED.finditer(text))
    if used:
        return max(_PARENTHETICAL, key=lambda name: used[name])
    loaded = next((match[1] for text in texts if (match := _PACKAGE.search(text))), "")
    return _OF_PACKAGE.get(loaded, "cite")


def filled(mark: Mark, key: str, before: str, command: str | None) -> tuple[int, str]:
    r"""Return how many characters before a mark go with it, and what stands in their place.

    Args:
        mark: what the author left.
        key: of the paper that is cited there.
        before: the text of the file up to the mark.
        command: what cites in a LaTeX file; None: as pandoc does, `[@key]`.
    """
    inside = _among_keys(mark, key)
    if inside is None and command is None:
        inside = _among_items(mark, key)
    if inside is not None:
        return 0, inside
    # A wish that says more than "cite" is the author's to take away.
    kept = "" if _only_a_wish(mark.printed) else f" {mark.printed}"
    if command is None:
        glued = before[-1:].isalnum() or before[-1:] in (")", '"', "'")
        return 0, f"{' ' * glued}[@{key}]{kept}"
    spaces, tie = _tied(before, raised=command in _RAISED)
    return spaces, f"{tie}\\{command}{{{key}}}{kept}"


def _tied(before: str, *, raised: bool) -> tuple[int, str]:
    """Return how many spaces a tie replaces, and the tie, if a word stands before."""
    space = _SPACE.search(before)
    length = len(space[0]) if space else 0
    word = before[len(before) - length - 1 : len(before) - length]
    if not word or word in "\r\n\\([{":
        return 0, ""
    return length, "" if raised else "~"


def _among_keys(mark: Mark, key: str) -> str | None:
    r"""Put the key into the list of a LaTeX command that cites; None where there is none."""
    text = mark.printed
    command = _COMMAND.match(text)
    if command is None or not _CITING.fullmatch(command["name"]):
        return None
    lists = [match for match in _KEY_LIST.finditer(text, command.end()) if match.lastgroup]
    for match in lists:
        if (listed := _filled_list(match["keys"], mark.keys, key, alone=True)) is not None:
            return text[: match.start("keys")] + listed + text[match.end("keys") :]
    return f"{text[: lists[-1].end() - 1]},{key}{text[lists[-1].end() - 1 :]}" if lists else None


def _among_items(mark: Mark, key: str) -> str | None:
    """Put the key into a citation of pandoc's or MyST's; None where there is none."""
    text = mark.printed
    for match in (*_ROLE.finditer(text), *_PANDOC.finditer(text)):
        start, end = match.span(match.lastgroup or 0)
        if (listed := _filled_list(text[start:end], mark.keys, key)) is not None:
            return text[:start] + listed + text[end:]
    if mark.keys and text.endswith("]"):
        return f"{text[:-1]}; @{key}]"
    return None


def _filled_list(
    listed: str, keys: tuple[str, ...], key: str, *, alone: bool = False
) -> str | None:
    """Fill the first hole of a list; alone: whether the only key of a list is one."""
    parts, known = listed.split(","), {each.casefold() for each in keys}
    places = [n for n, part in enumerate(parts) if part.strip().casefold() not in known]
    holes = [n for n in places if _only_a_wish(parts[n])]
    if not holes and (known or (alone and len(parts) == 1)):
        holes = places
    if not holes:
        return None
    part = parts[holes[0]]
    start, bare = len(part) - len(part.lstrip()), part.strip()
    parts[holes[0]] = part[:start] + key + part[start + len(bare) :] if bare else key
    return ",".join(parts)


def _only_a_wish(text: str) -> bool:
    """Whether a text says that something is to be cited, and nothing of what."""
    return all(map(_WISH.fullmatch, _WORD.findall(text.lower())))
