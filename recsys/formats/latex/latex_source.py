"""Gather a LaTeX draft into one source, and find commands and definitions in it.

Scans in linear time, so that nothing in the rest of a paper can get in the way of its title."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePath

from recsys.formats.drafts.draft_files import Folder, folder_of
from recsys.formats.drafts.included import Inputs, Piece, Source
from recsys.formats.files import WOVEN, decode_or_guess, display_name

_TOKEN = re.compile(
    r"""
    \\begin\s*\{(?P<verbatim>verbatim\*?|[BL]?Verbatim\*?|lstlisting|minted|comment|filecontents\*?)\}
    | \\(?:verb|lstinline)(?![A-Za-z@])\*?(?:\[[^\]\n]{0,200}\])?
        (?P<mark>[^A-Za-z\s*{\[])[^\n]{0,2000}?(?P=mark)
    | \\(?:url|path|nolinkurl|href)\s*\{[^{}\n]{0,2000}\}
    | (?P<end>\\endinput(?![A-Za-z@])|\\end\s*\{document\})
    | (?P<never>\\iffalse(?![A-Za-z@]))
    | \\(?P<input>(?:sub)?(?:input|include)(?:from)?|(?:sub)?import|subfile(?:include)?|@input
        |InputIfFileExists)(?![A-Za-z@])\*?\s*
        (?:\{(?P<first>(?:[^{}]|\{[^{}]{0,100}\}){0,500})\}(?:\s*\{(?P<second>[^{}]{0,500})\})?
        |"?(?P<bare>[^\s\\{}%"]{1,500})"?)
    | (?:\\[^A-Za-z])+
    | (?P<comment>(?:%[^\n]*\n?[^\S\n]*)+)
    """,
    re.VERBOSE | re.DOTALL,
)
_FILE_CONTENTS = re.compile(r"\s*(?:\[[^\]\n]*\])?\s*\{([^{}\n]{1,500})\}")
_WORDS = re.compile(r"[\w .,:;/+=()-]+")
_NEW_IF = re.compile(r"\\newif\s*\\(if[A-Za-z@]{1,50})")
_CONDITIONAL = re.compile(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])")
_PRIMITIVES = (
    "if ifcat ifx ifnum ifdim ifodd ifmmode ifvmode ifhmode ifinner ifvoid ifhbox ifvbox ifeof "
    "iftrue iffalse ifcase ifdefined ifcsname iffontchar ifpdf ifluatex ifxetex"
).split()
_CHUNK = re.compile(
    r"^[^\S\n]*<<[^\n]{0,1000}>>=[^\S\n]*\n.*?(?:^@(?:[^\S\n][^\n]*)?$|\Z)|"
    r"^[^\S\n]*%%[^\S\n]*begin\.rcode[^\n]*\n.*?(?:^[^\S\n]*%%[^\S\n]*end\.rcode[^\n]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_INLINE = re.compile(r"\\(?:Sexpr|rinline|inlinecode)\s*\{[^{}\n]{0,1000}\}")
_LETTER = re.compile(r"[^\n]")
LONGEST_ARGUMENT = 50_000
"""Characters of one argument; a longer one counts as unclosed."""
DEEPEST_BRACES = 100
MOST_COMMANDS = 100
"""How many commands of a kind are looked at: a paper has one title, and some authors."""
MOST_LOOKED_AT = 4 * LONGEST_ARGUMENT
"""Characters among which a title, an abstract or names are looked for."""

_BRACE = re.compile(r"[{}]|\\.", re.DOTALL)
_DEFINES = re.compile(
    r"(?P<head>\\(?:[a-z]*newcommand|[a-z]*newenvironment|[a-z]*robustcmd|[gex]?def|"
    r"[A-Z][a-z]+(?:DocumentCommand|RobustCommand)|At(?:Begin|End)Document)(?![A-Za-z@]))|[{}]|\\.",
    re.DOTALL,
)
_REMARK = re.compile(r"(?<!\\)%[^\n]*")
_OPTIONS = re.compile(r"(?:\s*\[(?:[^\[\]{}]|\{[^{}]{0,500}\}){0,500}\]){0,4}")
_PARAMETER = re.compile(r"(?<!\\)#")
_SPACE = re.compile(r"\s*")
MOST_DEFINITIONS, LONGEST_DEFINITION = 2_000, 5_000
LONGEST_EXPANSION, MOST_PASSES = 100_000, 8

_MACRO = re.compile(r"\\([A-Za-z@]+)")
_PLACE = re.compile(r"#([1-9])")
_NAME = r"\s*\{?\s*\\(?P<%s>[A-Za-z@]{1,50})\s*\}?\s*"
_DEFINITION = re.compile(
    r"\\(?P<how>(?:re|provide)?newcommand|renewcommand|providecommand|DeclareRobustCommand|"
    r"(?:re|provide)?(?:new)?robustcmd|DeclareMathOperator)(?![A-Za-z@])\*?"
    + _NAME % "name"
    + r"(?:\[(?P<count>[1-9])\])?\s*(?:\[(?P<default>[^\[\]]{0,500})\])?\s*(?=\{)"
    + r"|\\(?:New|Renew|Provide|Declare)DocumentCommand(?![A-Za-z@])"
    + _NAME % "documented"
    + r"\{(?P<kinds>(?:[^{}]|\{[^{}]{0,500}\}){0,500})\}\s*(?=\{)"
    + r"|\\[gex]?def\s*\\(?P<defined>[A-Za-z@]{1,50})\s*(?P<places>(?:#[1-9])*)"
    r"(?P<after>[^#{}\\\s]{0,5})\s*(?=\{)"
    + r"|\\let\s*\\(?P<let>[A-Za-z@]{1,50})\s*=?\s*(?P<same>\\[A-Za-z@]{1,50})"
)
_KIND = re.compile(r"[mosv]|[OD](?:[^{}\s]{2})?\s*\{([^{}]*)\}")
_LIKE_OPTION = re.compile(r"\s?\[((?:[^\[\]{}]|\{[^{}]{0,500}\}){0,500})\]")
_CONTROL_WORD = re.compile(r"\\[A-Za-z@]+")
_STAR = "*"


def gather(raw: bytes, path: Path, folder: Folder | None = None) -> Source:
    """Put a LaTeX draft together; what it inputs must lie below its folder.

    folder: the files that it may input; unless given, those below its folder on the disk.

    Raises:
        InputError: the draft is no text, or (DraftError) too long.
    """
    inputs = Inputs(display_name(path), folder or folder_of(path), "LaTeX")
    text, note = decode_or_guess(raw, inputs.name)
    inputs.notes += [note] if note else []
    gatherer = _Gatherer(inputs, path.stem)
    pieces = gatherer.pieces(_unwoven(text, path), [inputs.folder.draft])
    return inputs.source(pieces, gatherer.enclosed)


@dataclass(slots=True)
class _Gatherer:
    """What has been gathered so far.

    stem: what `\\jobname` stands for. macros: what the first files define, `defining` many.
    """

    inputs: Inputs
    stem: str
    macros: "dict[str, Definition]" = field(default_factory=dict)
    defining: int = 0
    enclosed: dict[str, str] = field(default_factory=dict)

    def pieces(self, text: str, open_files: list[PurePath]) -> Iterator[Piece]:
        """Yield a file's text piece by piece; `open_files` are the file and those that input it."""
        file = open_files[-1]
        self.inputs.take(file, text)
        at, conditionals, ends = 0, set[str](), 0
        while match := _TOKEN.search(text, at):
            yield Piece(text[at : match.start()], file, at)
            at = match.end()
            if match["end"]:
                ends += 1
                if ends > MOST_COMMANDS or not _is_defined(text, match.start()):
                    return
            elif match["verbatim"]:
                at = self._verbatim(text, match)
            elif match["never"]:
                conditionals = conditionals or {*_PRIMITIVES, *_NEW_IF.findall(text)}
                at = _after_conditional(text, at, conditionals)
            elif match["input"]:
                pair = match["second"] is not None and "import" in match["input"]
                at = at if pair or match["second"] is None else match.end("first") + 1
                yield from self._input(match, open_files)
            elif match["mark"]:  # Of `\verb` its words, for signs would be taken for LaTeX.
                start, end = match.end("mark"), match.end() - 1
                if _WORDS.fullmatch(text, start, end):
                    yield Piece(text[start:end], file, start)
            elif not match["comment"]:
                yield Piece(match[0], file, match.start())
        yield Piece(text[at:], file, at)

    def _verbatim(self, text: str, match: re.Match[str]) -> int:
        """Skip an environment, whose content is kept if it is a file; return where it ends."""
        kind = match["verbatim"]
        end = text.find(f"\\end{{{kind}}}", match.end())
        if end < 0:
            return len(text)
        if kind.startswith("filecontents"):
            if head := _FILE_CONTENTS.match(text, match.end()):
                self.enclosed.setdefault(head[1].strip(), text[head.end() : end])
        return end + len(f"\\end{{{kind}}}")

    def _input(self, match: re.Match[str], open_files: list[PurePath]) -> Iterator[Piece]:
        name = (match["bare"] or match["first"] or "").strip().strip('"')
        if "import" in match["input"] or "from" in match["input"]:
            name = f"{name}/{(match['second'] or '').strip()}"
        if "\\" in name:  # A macro stands for a part of it.
            for written in islice(self.inputs.texts.values(), self.defining, None):
                self.macros |= definitions(_REMARK.sub("", written))
            self.defining = len(self.inputs.texts)
            name = expand(name.replace("\\jobname", self.stem), self.macros)
            name = re.sub("[{}]", "", name).strip()
        if not name or "#" in name:  # The body of a definition.
            return
        if opened := self.inputs.open(name, (".tex",), open_files):
            path, text = opened
            yield from self.pieces(_unwoven(text, path), [*open_files, path])
            yield Piece("\n", open_files[-1], match.end() - 1)


def _is_defined(text: str, at: int) -> bool:
    """Whether a place is within the body of a definition, where nothing happens yet."""
    depth, least = 0, LONGEST_DEFINITION
    for match in _DEFINES.finditer(text, max(0, at - LONGEST_DEFINITION), at):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        least = min(least, depth) if match["head"] else least
    return depth > least


def _after_conditional(text: str, at: int, conditionals: set[str]) -> int:
    """Return where text counts again after an `\\iffalse`: behind its `\\else` or `\\fi`."""
    depth = 1
    for match in _CONDITIONAL.finditer(text, at):
        if match[1] == "fi":
            depth -= 1
        elif match[1] in conditionals:
            depth += 1
        if depth == 0 or (depth == 1 and match[1] == "else"):
            return match.end()
    return len(text)


def _unwoven(text: str, path: PurePath) -> str:
    return blanked(text) if path.suffix.lower() in WOVEN else text


def blanked(text: str) -> str:
    """Put spaces in the place of code, so that every line and character stays where it is.

    >>> blanked("a \\\\Sexpr{x} b")
    'a           b'
    """
    for code in (_CHUNK, _INLINE):
        text = code.sub(lambda match: _LETTER.sub(" ", match[0]), text)
    return text


def group(source: str, at: int) -> str | None:
    """Return what is inside the braces that open at or after the spaces at `at`; None without."""
    start = skip_space(source, at)
    if not source.startswith("{", start):
        return None
    depth = 0
    for match in _BRACE.finditer(source, start, start + LONGEST_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return source[start + 1 : match.start()]
        if depth > DEEPEST_BRACES:
            return None
    return None


def groups(source: str, at: int, most: int) -> list[str]:
    """Return the arguments in braces that follow one another from `at` on."""
    arguments: list[str] = []
    while len(arguments) < most and (inside := group(source, at)) is not None:
        arguments.append(inside)
        at = after_group(source, at, inside)
    return arguments


def commands(source: str, names: str, *, most: int = 1) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the arguments of the first commands that have some in braces.

    Args:
        source: LaTeX without comments.
        names: a regular expression for the names, without the backslash.
        most: how many arguments are read; options are passed over.
    """
    pattern = re.compile(rf"\\({names})(?![A-Za-z@])\*?")
    for match in islice(pattern.finditer(source), MOST_COMMANDS):
        if arguments := groups(source, after_options(source, match.end()), most):
            yield match[1], arguments


def first_text(pieces: Iterable[str], text: Callable[[str], str]) -> str | None:
    """Return the first of some pieces of LaTeX that has a letter in it as text."""
    texts = (text(piece) for piece in looked_at(pieces) if not is_template(piece))
    return next((found for found in texts if any(map(str.isalpha, found))), None)


def is_template(piece: str) -> bool:
    """Whether a piece is of a definition, with the places of arguments in it."""
    return _PARAMETER.search(piece) is not None


def looked_at(pieces: Iterable[str]) -> Iterator[str]:
    """Yield pieces until they are `MOST_LOOKED_AT` long: those within one another count again."""
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MOST_LOOKED_AT:
            return
        yield piece


def after_options(source: str, at: int) -> int:
    """Return the place behind the arguments in square brackets that begin at `at`."""
    match = _OPTIONS.match(source, at)
    return match.end() if match else at


def after_group(source: str, at: int, inside: str) -> int:
    """Return the place behind the group that opens at or after the spaces at `at`."""
    return skip_space(source, at) + len(inside) + 2


def skip_space(source: str, at: int) -> int:
    """Return the place behind the white space at a place."""
    match = _SPACE.match(source, at)
    return match.end() if match else at


@dataclass(frozen=True, slots=True)
class Definition:
    """A macro of the author's: what stands for it, and how many arguments it takes.

    defaults: of each argument that stands in square brackets and may be left out, None of one in
    braces; "*" is a star. after: what is written behind its name.
    """

    body: str
    arguments: int
    defaults: tuple[str | None, ...] = ()
    after: str = ""

    @property
    def calls(self) -> frozenset[str]:
        """The names of the commands in its body."""
        return frozenset(_MACRO.findall(self.body))

    @property
    def plain(self) -> bool:
        """Whether all of its arguments stand in braces, and nothing else belongs to it."""
        return not self.after and all(each is None for each in self.defaults)


@dataclass(frozen=True, slots=True)
class Call:
    """The values of a macro's arguments, and where what follows them begins.

    places: from where to where those in braces stand.
    """

    values: list[str]
    end: int
    places: list[tuple[int, int]]


def after_definition(source: str, at: int) -> int | None:
    """Return the place behind the definition of a macro that begins at `at`; None without one."""
    match = _DEFINITION.match(source, at)
    if match is None or match["let"]:
        return match.end() if match else None
    body = group(source, match.end())
    return None if body is None else after_group(source, match.end(), body)


def definitions(source: str) -> dict[str, Definition]:
    """Collect the macros that a source defines; of several definitions of one the last counts."""
    macros: dict[str, Definition] = {}
    for match in islice(_DEFINITION.finditer(source), MOST_DEFINITIONS):
        name = match["name"] or match["documented"] or match["defined"] or match["let"]
        if match["let"]:
            macros[name] = macros.get(match["same"][1:], Definition(match["same"], 0))
            continue
        body = group(source[match.end() : match.end() + LONGEST_DEFINITION], 0)
        if body is None or ((match["how"] or "").startswith("provide") and name in macros):
            continue
        if match["documented"]:
            kinds = [(kind[0][0], kind[1]) for kind in _KIND.finditer(match["kinds"])]
            defaults = tuple(
                None if kind in "mv" else _STAR if kind == "s" else default or ""
                for kind, default in kinds
            )
            macros[name] = Definition(body, len(defaults), defaults)
        elif match["defined"]:
            macros[name] = Definition(body, len(match["places"]) // 2, after=match["after"])
        else:
            count, default = int(match["count"] or 0), match["default"]
            optional = (default, *[None] * (count - 1)) if count and default is not None else ()
            macros[name] = Definition(body, count, optional)
    return macros


def called(source: str, at: int, macro: Definition) -> Call | None:
    """Read the arguments of a macro behind its name; None where they are not all there."""
    if not source.startswith(macro.after, at):
        return None
    at += len(macro.after)
    values, places = list[str](), list[tuple[int, int]]()
    for number in range(macro.arguments):
        default = macro.defaults[number] if number < len(macro.defaults) else None
        if default is None:
            value = group(source, at)
            if value is None:
                return None
            at = after_group(source, at, value)
            places.append((at - 1 - len(value), at - 1))
        elif default == _STAR:
            value, at = "", at + source.startswith("*", at)
        else:
            option = _LIKE_OPTION.match(source, at)
            value, at = (option[1], option.end()) if option else (default, at)
        values.append(value)
    return Call(values, at, places)


def expand(text: str, macros: Mapping[str, Definition]) -> str:
    """Put what they stand for in place of the author's macros.

    A macro that never ends, or makes the text longer than `LONGEST_EXPANSION`, stays as it is.
    """
    for _ in range(MOST_PASSES):
        pieces, at, length = list[str](), 0, 0
        for match in _MACRO.finditer(text):
            macro = macros.get(match[1])
            if macro is None or match.start() < at or length > LONGEST_EXPANSION:
                continue
            call = called(text, match.end(), macro)
            body = filled(macro.body, call.values) if call else None
            if call is None or body is None:
                continue
            # A command that takes arguments from behind itself stands without braces.
            braced = body if _CONTROL_WORD.fullmatch(body.strip()) else f"{{{body}}}"
            pieces += [text[at : match.start()], braced]
            at = call.end
            length += len(body)
        expanded = "".join(pieces) + text[at:]
        if expanded == text or len(expanded) > LONGEST_EXPANSION:
            break
        text = expanded
    return text


def filled(body: str, values: list[str]) -> str | None:
    """Put the values in their places, which they may name themselves; None if that is too long."""
    parts = _PLACE.split(body)  # Text and numbers of places, in turn.
    for at in range(1, len(parts), 2):
        place = int(parts[at]) - 1
        parts[at] = values[place] if place < len(values) else f"#{parts[at]}"
    return "".join(parts) if sum(map(len, parts)) <= LONGEST_EXPANSION else None
