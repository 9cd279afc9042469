"""Read a draft written in Typst: what its template is given, its headings, and whom it cites.

Brackets are matched in one pass, and what `#let` names is put in place of its name; nothing is
computed, no program is run.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath

from recsys.errors import InputError
from recsys.formats.bodies.headings import ABSTRACT_NAMES
from recsys.formats.drafts.draft_files import Folder, folder_of, look_up, shelf
from recsys.formats.drafts.included import Inputs, Places
from recsys.formats.drafts.wording import (
    GUESSED_TITLE,
    abstract_in,
    before_keywords,
    clean,
    clipped,
    first_title,
    sections,
    stated_on_lines,
    told_apart,
)
from recsys.formats.files import decode, display_name
from recsys.formats.references.people import people_in
from recsys.records import Body, Manuscript, Reference
from recsys.store.words import cleaned_keyphrases

LONGEST_VALUE = 50_000
"""Characters of one argument that are read; a longer one counts as unclosed."""
LONGEST_FRONT = 4 * LONGEST_VALUE
"""Characters among which arguments are looked for."""
DEEPEST = 100
MOST_FACTS = 200
"""Arguments of the names below that are looked at."""
MOST_NAMES = 20
"""How often a name may stand for a name, or a value for values."""

_COMMENT = re.compile(
    r"(?<![:/])//[^\n]*|/\*.*?(?:\*/|\Z)|```.*?(?:```|\Z)|`[^`\n]{0,500}`", re.DOTALL
)
_INCLUDE = re.compile(r"(?P<sign>#?)(?<![\w-])include[^\S\n]+\"(?P<name>[^\"\n]{1,300})\"")
_IMPORT = re.compile(r"(?<![\w-])import[^\S\n]+\"(?P<name>[^\"@\n][^\"\n]{0,300})\"")
_PACKAGE = re.compile(r"\"@\w+/[^\"\n]{0,200}\"")
_NAMED_ABSTRACT = re.compile(r"(?i)(?:\d+\W?)?abstract\w*\Z")

_STRING = re.compile(r'"((?:[^"\\]|\\.){0,5000})"')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.){0,5000}"|\\.|[\[\](){},+\n]', re.DOTALL)
_NAMES = {
    "title": "title paper-title",
    "subtitle": "subtitle",
    "abstract": "abstract",
    "authors": "author authors",
    "keywords": "keywords keyphrases index-terms",
}
_KNOWN = {name: fact for fact, names in _NAMES.items() for name in names.split()}
_EVERY = "|".join(_KNOWN)
_FACT = re.compile(
    rf""""(?:[^"\\]|\\.){{0,5000}}" | \\.
    | \#(?P<called>{_EVERY})(?=[\[(])
    | \blet\s+(?P<variable>{_EVERY})\s*=\s*
    | (?<![\w-])(?P<key>{_EVERY})\s*:\s*(?=\S)
    | (?P<open>[(\[{{]) | (?P<close>[)\]}}])""",
    re.VERBOSE | re.DOTALL,
)
_CALL = re.compile(r"([\w.-]{1,60})\Z")
_SHOW = re.compile(r"#show\b[^\n]{0,200}\Z")
_PART_OF = re.compile(r"\b(?:\w+-)?(?:info\w*|meta\w*|document|paper|thesis|config\w*)\s*[:=]\s*\Z")
_LET = re.compile(r"(?<![\w-])let\s+([\w-]{1,60})\s*=\s*")
_FUNCTION = re.compile(r"#?(?<![\w-])let\s+[\w-]{1,60}(?=\()")
_STATEMENT = re.compile(
    r"(?m)^[^\S\n]*#(?:(?:import|include|set|show|let)\b|"
    r"(?:bibliography|figure|image|table|outline|pagebreak|colbreak|v|h|counter|metadata)(?=\())"
)
_PLUS = re.compile(r"\s*\+\s*")
_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*){0,4}")
_NAME_IN_TEXT = re.compile(r"#([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*){0,4})(?![\w(\[-])")
_CALLING = re.compile(r"[\w.-]{1,60}(?=[(\[])")
_ARGUMENT = re.compile(r"\s*(?:\"([^\"\n]{1,200})\"|([\w-]{1,60}))\s*:(?!:)\s*")
_GIVEN = re.compile(r"(?:given|first)[\w-]*\Z")
_FAMILY = re.compile(r"(?:family|last|surname)[\w-]*\Z")

_HEADING = re.compile(r"(?m)^(=+)[^\S\n]+([^\n]*)$")
_HEADING_CALL = re.compile(r"(?m)^[^\S\n]*#heading(?:\([^()\n]{0,200}\))?\[([^\[\]\n]{1,200})\]")
_SIZED = re.compile(
    r"#text\((?:[^()\n]{0,100},)?\s*(?:size:\s*)?(?:(?:1[4-9]|[2-9]\d)(?:\.\d+)?pt|"
    r"(?:1\.[3-9]\d?|[2-9](?:\.\d+)?)em)[^()\n]{0,100}\)(?=\[)"
)
"""Letters as large as those of a title."""
_ABSTRACT_LINE = re.compile(r"(?im)^(?!=)[^\n]{0,80}\babstract\b[^\n]{0,20}$")
ABSTRACT_HEADING = re.compile(rf"(?i){ABSTRACT_NAMES}\W*\Z")
_OWN_HEADING = re.compile(r"(?i)\A\s*=+[^\S\n]+(?:abstract|summary)\W*\n")
_LABEL = re.compile(r"<([\w:.-]{1,200})>")
_CITE_CALL = re.compile(r"#cite\([^()]{0,300}\)")
_CITED = re.compile(r"(?<![\w.@\\])@([\w:.-]{1,200})|#(?:cite|ref)\(\s*<([\w:.-]{1,200})>")
_LABELLED = re.compile(r'label\(\s*"([^"\n]{1,200})"\s*\)')
_BOOKS = re.compile(r"(?<![\w-])bibliography\s*\(\s*([^()]{0,500}|\([^()]{0,500}\)[^()]{0,200})\)")
_BOOK = re.compile(r'"([^"\n]{1,300}\.(?:bib|ya?ml))"')
_TYPST_MARKUP = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r'#link\((?:"[^"]{0,500}"|<[^<>]{0,200}>)\)\[([^\[\]]{0,1000})\]', r"\1"),
        (r'#link\("([^"]{0,500})"\)', r"\1"),
        (r"#lorem\([^()]{0,20}\)|\s?#footnote\[[^\[\]]{0,2000}\]", ""),
        (r"\s?#cite\([^()]{0,300}\)|#[hv]\([^()]{0,50}\)", ""),
        (r"\s?(?<![\w.@\\])@[\w:.-]{0,199}\w(?:\[[^\[\]]{0,300}\])?|<[\w:.-]{1,200}>", ""),
        (r"#linebreak\(\)|\\(?=\s)", " "),
        (r"#[\w.-]{1,50}(?:\([^()]{0,300}\))?(?=\[)|#(?=\w)", ""),
        (r"(?<![\w\\])[*_](?=\S)|(?<=\S)(?<!\\)[*_](?!\w)|[\[\]]|(?<!\\)\$", ""),
        (r"\\([^\w\s])", r"\1"),
        ("~", " "),
    )
)


def parse(raw: bytes, path: Path, folder: Folder | None = None) -> "TypstDraft":
    """Read a file of Typst; `folder` holds the files that it may name.

    Raises:
        InputError: the file is no text.
    """
    text, notes = clipped(decode(raw, display_name(path)))
    return TypstDraft(text, path, folder or folder_of(path), notes)


@dataclass(frozen=True, slots=True)
class TypstDraft:
    """A draft in Typst, and the folder of the files that it includes. notes: on what was cut."""

    text: str
    path: Path
    folder: Folder
    notes: tuple[str, ...] = ()

    def manuscript(self) -> Manuscript:
        """Read what its template is given, its headings, and whom it cites.

        Raises:
            DraftError: the draft and what it includes are too long.
        """
        return _manuscript(self.text, self.notes, Inputs(self._name, self.folder, "Typst"))

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences and their marks; `@` and a label of the draft cites nothing.

        Raises:
            DraftError: the draft and what it includes are too long.
        """
        from recsys.formats.drafts.typst_body import TypstText, pieces  # Only sentences need it.

        inputs = Inputs(self._name, self.folder, "Typst")
        source = inputs.source(pieces(self.text, [self.folder.draft], inputs))
        labels = _labels(source.text) - {work.key for work in references}
        read = TypstText(source.text, labels).text
        return Body(
            sentences=read.sentences(Places(source, self.folder.draft)),
            notes=(*self.notes, *source.notes),
            references=tuple(references),
        )

    @property
    def _name(self) -> str:
        return display_name(self.path)


def _labels(text: str) -> set[str]:
    """Return what a text gives a label: "@" refers to that, too."""
    return set(_LABEL.findall(_CITE_CALL.sub("", text)))


def _manuscript(text: str, notes: tuple[str, ...], inputs: Inputs) -> Manuscript:
    imported: list[str] = []
    text = _PACKAGE.sub('""', _whole(text, [inputs.folder.draft], inputs, imported))
    front = _Front(_without(text[:LONGEST_FRONT], _FUNCTION), imported)
    title, subtitle = front.title()
    abstract: str | None = front.abstract()
    body = _HEADING_CALL.sub(r"= \1", _without(text, _STATEMENT))
    body = _ABSTRACT_LINE.sub(_as_heading, body)
    parts = sections(body, _HEADING, lambda match: typst_text(match[2]))
    guess: tuple[str, ...] = ()
    if not abstract:
        abstract, guess = abstract_in(parts[len(parts) > 1 :], ABSTRACT_HEADING, typst_text)
    if not title:
        title, doubt = _title_of(body)
        guess += doubt
    named = [name for books in _BOOKS.findall(text) for name in _BOOK.findall(books)]
    keys = [(match[1] or match[2]).rstrip(".:-") for match in _CITED.finditer(text)]
    keys += _LABELLED.findall(text)
    books = shelf(inputs.folder, dict.fromkeys(named), (".bib",))
    labels = _labels(text) - {work.key for work in books.works}
    keys = list(dict.fromkeys(key for key in keys if key not in labels))
    cited = look_up(keys, books) if named else books
    return Manuscript(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        abstract=abstract or None,
        authors=front.authors(),
        references=cited.works,
        notes=(*notes, *inputs.notes, *guess, *cited.notes),
        details=cited.details,
        keyphrases=front.keyphrases() or stated_on_lines(body),
    )


def _whole(text: str, open_files: list[PurePath], inputs: Inputs, imported: list[str]) -> str:
    """Return a file's text with those in it that it includes; add what it imports to `imported`."""
    text = _COMMENT.sub(" ", text)
    inputs.take(open_files[-1], text)
    for match in islice(_IMPORT.finditer(text), MOST_FACTS):
        name = seen_from_draft(match["name"], open_files)
        try:
            inputs.folder.find(name, ())
        except InputError:  # A template that is not there has no text of the draft.
            continue
        if opened := inputs.open(name, (), open_files):
            inputs.take(*opened)
            imported.append(_COMMENT.sub(" ", opened[1]))

    def inside(match: re.Match[str]) -> str:
        """Return what a file holds, as markup or, in code, as a value."""
        opened = inputs.open(seen_from_draft(match["name"], open_files), (), open_files)
        if opened is None:
            return ""
        path, included = opened
        included = _whole(included, [*open_files, path], inputs, imported)
        if not match["sign"]:
            return f"[{included}]"
        is_abstract = _NAMED_ABSTRACT.match(path.stem) and not _OWN_HEADING.match(included)
        return f"\n#abstract[{included}]\n" if is_abstract else f"\n{included}\n"

    return _INCLUDE.sub(inside, text)


def seen_from_draft(name: str, open_files: Sequence[PurePath]) -> str:
    """Write a name, which counts from the file that has it, as seen from the draft's folder."""
    here, start = open_files[-1].parent, open_files[0].parent
    if name.startswith("/") or not here.is_relative_to(start):
        return name.lstrip("/")
    return str(PurePosixPath(here.relative_to(start).as_posix(), name))


@dataclass(frozen=True, slots=True)
class _Fact:
    """An argument or a variable that says what a draft is.

    code: what stands for its value. rank: how sure it is that the draft is meant; 0 is surest.
    call: where the arguments begin of which it is one; -1 where it is none.
    """

    name: str
    code: str
    rank: tuple[int, int]
    call: int = -1


class _Front:
    """What a template and `#let` are given."""

    def __init__(self, text: str, imported: Sequence[str]) -> None:
        """Collect what says what a draft is, and what its names stand for."""
        self._left = 0  # Characters that names may still stand for.
        self._named = {
            match[1]: code_at(piece, match.end(), ends="\n")
            for piece in (*imported, text)
            for match in islice(_LET.finditer(piece), MOST_FACTS)
        }
        self._facts = sorted(islice(_facts(text), MOST_FACTS), key=lambda fact: fact.rank)

    def title(self) -> tuple[str, str]:
        """Return the title, and the subtitle that is given beside it."""
        for fact in self._of("title"):
            if title := typst_text(self._text(fact.code)):
                beside = (each for each in self._of("subtitle") if each.call == fact.call)
                return title, next((typst_text(self._text(each.code)) for each in beside), "")
        return "", ""

    def abstract(self) -> str:
        """Return the abstract without its heading and keywords; "" where none is given."""
        for fact in self._of("abstract"):
            text = _OWN_HEADING.sub("", self._text(fact.code))
            if found := typst_text(before_keywords(_HEADING.split(text, maxsplit=1)[0])):
                return found
        return ""

    def authors(self) -> tuple[str, ...]:
        """Return the names of the authors."""
        every = [
            (fact.rank[0], self._people(fact.code, listed=False)) for fact in self._of("authors")
        ]
        # Those of the file are often the first of those that the template shows.
        named = [(-rank, len(names), names) for rank, names in every if names]
        return tuple(max(named, key=lambda found: found[:2])[2]) if named else ()

    def keyphrases(self) -> tuple[str, ...]:
        """Return the keywords."""
        for fact in self._of("keywords"):
            code = self._value_of(fact.code)
            if code.startswith("("):
                items = (self._text(value) for _, _, value in _arguments(in_brackets(code, 0)))
                found = cleaned_keyphrases(map(typst_text, items))
            else:
                found = told_apart(typst_text(self._text(code)))
            if found:
                return found
        return ()

    def _of(self, name: str) -> Iterator[_Fact]:
        return (fact for fact in self._facts if fact.name == name)

    def _value_of(self, code: str) -> str:
        """Put what a name stands for in its place; a field of it, too."""
        code = code.strip().lstrip(".")
        for _ in range(MOST_NAMES):
            if not _PATH.fullmatch(code):
                break
            name, *fields = code.split(".")
            code = self._named.get(name, "").strip()
            for field in fields:
                code = next(
                    (v for k, _, v in _arguments(in_brackets(code, 0)) if k == field), ""
                ).strip()
        return code

    def _text(self, code: str, depth: int = 0) -> str:
        """Return the markup that a value shows: strings and contents, joined by "+"."""
        code = self._value_of(code)
        self._left = (self._left if depth else LONGEST_VALUE) - len(code)
        if depth > MOST_NAMES or self._left < 0:
            return ""
        shown, at = "", 0
        while at < len(code):
            piece, at = self._term(code, at, depth)
            shown += piece
            plus = _PLUS.match(code, at)
            at = plus.end() if plus else len(code)
        return shown

    def _term(self, code: str, at: int, depth: int) -> tuple[str, int]:
        """Read a term of a value: its markup, and where it ends."""
        if string := _STRING.match(code, at):
            return re.sub(r"\\(.)", r"\1", string[1]), string.end()
        if code[at] in "[({":
            inside = in_brackets(code, at)
            shown = self._shown(inside, depth) if code[at] == "[" else self._text(inside, depth + 1)
            return shown, at + len(inside) + 2
        call = _CALLING.match(code, at)
        if call is None:
            path = _PATH.match(code, at)
            return (self._text(path[0], depth + 1), path.end()) if path else ("", len(code))
        at, shown = call.end(), ""
        while code[at : at + 1] in ("(", "["):  # The last content is what is shown.
            inside = in_brackets(code, at)
            if code[at] == "[":
                shown = self._shown(inside, depth)
            else:
                texts = (self._text(v, depth + 1) for key, _, v in _arguments(inside) if not key)
                shown = next(filter(None, texts), "")
            at += len(inside) + 2
        return shown, at

    def _shown(self, content: str, depth: int) -> str:
        """Put values in the place of their names in content."""

        def value(name: re.Match[str]) -> str:
            """Leave alone what no `#let` names."""
            known = name[1].split(".")[0] in self._named
            return self._text(name[1], depth + 1) if known else name[0]

        return _NAME_IN_TEXT.sub(value, content)

    def _people(self, code: str, *, listed: bool, depth: int = 0) -> list[str]:
        """Return the names in a value: of a person, a list of some, or a text with several."""
        code = self._value_of(code)
        call = _CALLING.match(code)
        start = call.end() if call else 0
        if depth > MOST_NAMES or not code.startswith("(", start):
            text = typst_text(self._text(code))
            return [text] if listed else list(people_in(text, commas="between").spoken)
        items = list(_arguments(in_brackets(code, start)))
        keyed = {key: value for key, quoted, value in items if key and not quoted}
        if "name" in keyed:
            return self._people(keyed["name"], listed=True, depth=depth + 1)
        parts = [
            next((typst_text(self._text(keyed[key])) for key in keyed if part.match(key)), "")
            for part in (_GIVEN, _FAMILY)
        ]
        if parts[1]:
            return [" ".join(filter(None, parts))]
        # A mapping has the names before its colons; of what is called, the name comes first.
        names = [key for key, quoted, _ in items if key and quoted]
        for value in (value for key, _, value in items if not key):
            names += self._people(value, listed=True, depth=depth + 1)
        return names[:1] if call else list(filter(None, names))


def _facts(text: str) -> Iterator[_Fact]:
    """Yield what says what a draft is: arguments of calls, variables, and calls of such names."""
    brackets: list[int] = []
    keys = 0
    for match in _FACT.finditer(text):
        keys += match["key"] is not None
        if keys > MOST_FACTS:
            return
        if match["open"]:
            brackets.append(match.start())
        elif match["close"]:
            del brackets[-1:]
        elif match["called"]:
            code = match["called"] + code_at(text, match.end(), ends="\n")
            yield _Fact(_KNOWN[match["called"]], code, (1, match.start()))
        elif match["variable"]:
            code = code_at(text, match.end(), ends="\n")
            yield _Fact(_KNOWN[match["variable"]], code, (1, match.start()))
        elif match["key"] and brackets and text[brackets[-1]] == "(":
            rank = _rank(text, brackets)
            if rank is not None:
                code = code_at(text, match.end(), ends=",")
                yield _Fact(_KNOWN[match["key"]], code, (rank, match.start()), brackets[-1])


def _rank(text: str, brackets: Sequence[int]) -> int | None:
    """Tell how sure it is that arguments say what the draft is; None: they say another thing."""
    at = brackets[-1]
    before = text[max(0, at - 300) : at]
    call = _CALL.search(before)
    if call is None:  # A mapping; one in a list is a person, a work, or the like.
        return 2 if _PART_OF.search(before) else None
    if sum(text[each] == "(" for each in brackets) > 1:
        return None
    is_shown = call[1].endswith(".with") and _SHOW.search(before[: call.start()])
    return 0 if call[1] == "document" or is_shown else 2


def code_at(text: str, at: int, *, ends: str = "") -> str:
    """Return the code from a place up to a sign outside of brackets; "" where one never closes.

    ends: the sign, beside the bracket that closes what the place is in; "": only that.
    """
    depth = 0
    end = min(len(text), at + LONGEST_VALUE)
    for match in _TOKEN.finditer(text, at, end):
        sign = match[0]
        if depth == 0 and (sign == ends or sign in ")]}"):
            return text[at : match.start()]
        depth += (sign in "[({") - (sign in "])}") if len(sign) == 1 else 0
        if depth > DEEPEST:
            return ""
    return text[at:end] if depth == 0 and ends else ""


def in_brackets(code: str, at: int) -> str:
    """Return what stands in the brackets that open at a place; "" where none do, or never close."""
    return code_at(code, at + 1) if code[at : at + 1] in ("(", "[", "{") else ""


def _arguments(inside: str) -> Iterator[tuple[str, bool, str]]:
    """Yield of each argument its name, "" where it has none, whether that is quoted, its value."""
    at = 0
    while at < len(inside):
        code = code_at(inside, at, ends=",")
        at += len(code) + 1
        if name := _ARGUMENT.match(code):
            yield name[1] or name[2], name[1] is not None, code[name.end() :]
        elif code.strip():
            yield "", False, code


def _without(text: str, statements: re.Pattern[str]) -> str:
    """Take statements of code out of a text, each up to the end of its last line."""
    pieces, at, unclosed = [], 0, 0
    for match in statements.finditer(text):
        if match.start() >= at and unclosed < MOST_FACTS:
            pieces.append(text[at : match.start()])
            code = code_at(text, match.end(), ends="\n")
            unclosed += not code
            at = match.end() + len(code)
    return "".join(pieces) + text[at:]


def _title_of(body: str) -> tuple[str, tuple[str, ...]]:
    """Take large letters or the first heading for the title, and say what is a guess."""
    headings = list(islice(_HEADING.finditer(body), MOST_FACTS))
    front = body[: headings[0].start() if headings else LONGEST_FRONT]
    for sized in islice(_SIZED.finditer(front), MOST_NAMES):
        if title := typst_text(in_brackets(body, sized.end())):
            return title, (GUESSED_TITLE,)
    return first_title((len(heading[1]), typst_text(heading[2])) for heading in headings)


def _as_heading(line: re.Match[str]) -> str:
    """Make a heading of a line that says nothing but "Abstract", in whatever letters."""
    text = typst_text(line[0])
    return f"= {text}" if ABSTRACT_HEADING.match(text) else line[0]


def typst_text(text: str) -> str:
    """Remove the mark-up of Typst from a piece of text, its citations too.

    >>> typst_text("*Dust* in _the_ #link(\\"https://w.example\\")[wind] @dust2020, #emph[now] <x>")
    'Dust in the wind, now'
    """
    for pattern, replacement in _TYPST_MARKUP:
        text = pattern.sub(replacement, text)
    return clean(text)
