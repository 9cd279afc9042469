"""Read a draft in Markdown, a notebook's, too: front matter, citations, sentences."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise, zip_longest
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.bodies.headings import ABSTRACT_NAMES, ends_text, is_section_name
from recsys.formats.bodies.printed_citations import named_works, split_keys
from recsys.formats.bodies.running_text import Lines, Origin, RunningText
from recsys.formats.drafts.draft_files import (
    Folder,
    Shelf,
    folder_of,
    look_up,
    named_by,
    resolve,
    shelf,
)
from recsys.formats.drafts.front_matter import (
    BLOCK,
    FENCE,
    MOST_NAMED,
    FrontMatter,
    blank,
    split_front_matter,
)
from recsys.formats.drafts.included import Places, Source
from recsys.formats.drafts.plain import DOUBTS, PlainDraft, split_list
from recsys.formats.drafts.wording import (
    MOST_SECTIONS,
    abstract_in,
    before_keywords,
    clean,
    clipped,
    first_title,
    paragraphs,
    sections,
    short,
    stated_on_lines,
)
from recsys.formats.files import display_name
from recsys.records import Body, Manuscript, Reference

_LONGEST_HEADING = 1_000
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SETEXT = re.compile(r"(?m)^(\S[^\n]{0,500})\n(=|-)\2{2,}[^\S\n]*$")
_HEADING = re.compile(r"(?m)^ {0,3}(#{1,6})[^\S\n]+([^\n]*)$")
_ATTRIBUTES = re.compile(r"\{[^{}]{0,200}\}\s*\Z")
_ABSTRACT = re.compile(rf"(?i)(?:\d{{1,2}}\.?\s+)?{ABSTRACT_NAMES}\W*\Z")
_MARKED_ABSTRACTS = tuple(
    re.compile(rf"(?ms)^{pattern}")
    for pattern in (
        r":{3,} *\{?[^\n]{0,40}\babstract\b[^\n]{0,40}\n(.*?)(?:^:{3,}|\Z)",
        # A part of MyST goes up to the next one, or to a heading.
        r"\+\+\+[^\S\n]*\{[^\n]{0,200}\"abstract\"[^\n]{0,200}\n(.*?)(?=^\+\+\+|^#|\Z)",
        r"[^\S\n]*\\begin\{abstract\}(.*?)\\end\{abstract\}",
    )
)
_PART = re.compile(r"(?m)^\+\+\+[^\n]*$")
_LEAD_IN = re.compile(
    r"(?i)\A(?:>\s?)?(?:[*_]{0,3}abstract[*_]{0,3}\s*[:.\u2013\u2014-]+[*_]{0,3}|"
    r"[*_]{1,3}abstract[*_]{1,3}(?=\s))\s*"
)
_BOLD_LINE = re.compile(r"(?m)^ {0,3}(\*\*|__)([^\n*_]{3,100}?)[:.]?\1[:.]?[^\S\n]*$")
_SCHEMES = "doi|arxiv|pmid|pmcid|pmc|isbn|url|wikidata|https?"
_KEY = re.compile(
    rf"(?<![\w.@\\/])-?@(?:\{{([^{{}}\s]{{1,300}})\}}|(\*(?![\w*])|(?:{_SCHEMES}):[^\s\];,]{{1,300}}|"
    r"\w(?:\w|[:.#$%&\-+?<>~/](?=\w)){0,200}))"
)
_ROLE = re.compile(
    r"\{(?:foot)?cite(?::[a-z]{1,10}|[a-z]{1,3})?\}`([^`]{1,500})`"
)  # As MyST has it.
_TAG = re.compile(r"(?m)^ {0,3}\[@([^\]\s]{1,200})\]:[^\S\n]*<?([^\s<>]{1,500})")
"""What a key of Manubot stands for."""
_BESIDE_KEYS = re.compile(r"\{[^{}]{0,200}\}")
_FOOTNOTE = re.compile(r"(?m)^ {0,3}\[\^[^\]\n]{1,100}\]:[^\S\n]*(\S[^\n]*(?:\n {2,}\S[^\n]*)*)")
_EMPTY_LINK = re.compile(
    r"(?:\[\]\(<?|<(?=doi:))((?:doi:|https?://(?:dx\.)?doi\.org/)"
    r"(?:[^\s()<>]|\([^\s()<>]{0,100}\)){1,300})(?:>?\)|>)"
)
"""A link without text, which MyST fills with what the DOI names."""
_BRACKETED = re.compile(r"\[[^\[\]@]{0,500}(@[^\[\]]{1,1500})\]")
_COMMAND_LINE = re.compile(
    r"(?m)^[^\S\n]*(?:\\(?!text|emph|href|cite|\w*cite)[A-Za-z]{2,30}\*?"
    r"(?:\[[^\[\]\n]{0,200}\]|\{[^{}\n]{0,200}\}){0,3}[^\S\n]*)+$"
)
"""A line of nothing but commands of LaTeX, such as one that begins a page."""
_MARKUP = (
    (re.compile(rf"\s?(?:{_ROLE.pattern}|{_EMPTY_LINK.pattern})"), ""),
    (re.compile(r"\{\{<[^<>\n]{0,500}>\}\}"), " "),  # What Quarto puts in.
    (_COMMAND_LINE, ""),
    (re.compile(r"`r [^`\n]{1,300}`"), ""),  # What R works out.
    (re.compile(r"!\[[^\[\]\n]{0,500}\]\([^()\n]{0,500}\)(?:\{[^{}\n]{0,200}\})?"), " "),
    (re.compile(r"\[\^[^\[\]\n]{1,100}\]|\^\[[^\[\]]{0,1000}\]"), ""),
    (re.compile(r"\s?\[(?=[^\[\]@]{0,500}@)[^\[\]]{1,1500}\]"), ""),
    (re.compile(r"\[([^\[\]]{1,1000})\]\([^()\s]{0,1000}(?: \"[^\"\n]{0,500}\")?\)"), r"\1"),
    (re.compile(r"\[([^\[\]]{1,1000})\](?:\[[^\[\]]{0,200}\]|\{[^{}\n]{0,200}\})"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>]{0,500}>"), " "),
    (re.compile(r"(?m)^ {0,3}(?:>|[-*+]|\d{1,3}[.)])[^\S\n]+"), ""),
    (re.compile(r"(?<!\\)\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|~~|(?<!\\)\$+"), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
LONGEST_FORMULA = 60
"""Characters of a formula that is read as a word of its sentence."""

_BLOCKS = re.compile(  # What is no running text, over several lines.
    r"""
    ^[ ]{0,9}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ ]{0,9}(?P=fence)[^\n]*(?:\n|\Z)|\Z)
    | <!--.*?(?:-->|\Z)
    | <(?P<tag>table|pre|script|style|figure|math|svg)\b[^>]{0,500}>.*?(?:</(?P=tag)>|\Z)
    | ^:{3,}[ ]*\{?[^\n]{0,40}\b(?:abstract|figure|table|fig-|tbl-)[^\n]{0,80}\n
        .*?(?:^:{3,}[^\S\n]*$|\Z)
    | \$\$.{0,10000}?\$\$
    | ^\+\+\+[^\S\n]*\{[^\n]{0,200}"abstract"[^\n]{0,200}\n.*?(?=^\+\+\+|^\#|\Z)
    | \{\{<[^<>\n]{0,500}>\}\}
    | \\begin\{(?P<environment>[a-z]{1,20}\*?)\}.{0,3000}?\\end\{(?P=environment)\}
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_NOTE = re.compile(r"[ ]{0,3}\[\^[^\]\n]{1,100}\]:[^\S\n]*")
_TARGET = re.compile(r"[ ]{0,3}\[[^\]\n]{1,200}\]:[^\S\n]*<?(?:[a-z]+:|[./#]|www\.)[^\n]*\Z")
_HEADING_LINE = re.compile(r"[ ]{0,3}(#{1,6})[^\S\n]+(.*)\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(=+|-{2,})[^\S\n]*\Z")
_NO_PROSE = re.compile(  # Rules, tables and their captions, fenced divs, code by indent.
    r"""[ ]{0,3}(?:(?:\*[ ]*){3,}|(?:-[ ]*){3,}|(?:_[ ]*){3,})\Z
    | [^\S\n]*\| | [^\S\n]*[+|:=-][-+|:=\s]{3,}\Z | (?:[^|\n]*[^\\|\n]\|){2,}[^|\n]*\Z
    | [^\S\n]*(?:(?i:table)?:[^\S\n]+\S|(?i:table|figure|fig\.)[^\S\n]\d+[:.])
    | [ ]{0,3}(?::{3,}|\+\+\+) | \\(?:begin|end|newpage|clearpage|appendix|bibliography)\b""",
    re.VERBOSE,
)
_ITEM = re.compile(
    r"\s*(?:[-*+\u2022]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4}|@)[.)])[^\S\n]+(?:\[[ xX]\] )?"
)
_QUOTE = re.compile(r"[ ]{0,3}(?:>[ ]?)+")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")

_ADDRESS = r"\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)"
_INSIDE = r"(?:[^\[\]]|\[[^\[\]]{0,300}\])"
_TARGETED = rf"(?:{_ADDRESS}|\[[^\[\]\n]{{0,200}}\]|\{{[^{{}}\n]{{0,200}}\}})"
_INLINE = re.compile(
    rf"""
    (?P<bookdown>\\?@ref\([^()\s]{{1,100}}\))
    | (?P<escape>\\[!-/:-@\[-`{{-~])
    | (?P<role>{_ROLE.pattern})
    | (?P<empty>{_EMPTY_LINK.pattern})
    | (?P<code>(?P<ticks>`{{1,5}})(?!`)[^`](?:(?!\n\s*\n).){{0,1000}}?(?<!`)(?P=ticks)(?!`))
    | (?P<image>!\[{_INSIDE}{{0,1500}}\](?:{_ADDRESS})?(?:\{{[^{{}}\n]{{0,300}}\}})?)
    | (?P<noted>\[\^[^\[\]\n]{{1,100}}\])
    | (?P<note>\^\[(?P<inner>{_INSIDE}{{0,2000}})\])
    | (?P<citation>\[(?=[^\[\]@]{{0,500}}@){_INSIDE}{{1,1500}}\](?![(\[{{]))
    | (?P<link>\[(?P<label>{_INSIDE}{{1,1000}})\]{_TARGETED})
    | (?P<formula>(?<![\\$\w])\$(?![\s$])(?:\\.|(?!\n\s*\n)[^$\\]){{1,1000}}?(?<!\s)\$(?!\d))
    | (?P<latex>\\[A-Za-z]{{1,20}}\*?(?:\[[^\]\n]{{0,200}}\]){{0,2}}(?:\{{[^{{}}\n]{{0,1000}}\}})?)
    | (?P<address><(?:https?|mailto|ftp):[^<>\s]{{1,500}}>)
    | (?P<html></?[A-Za-z][A-Za-z0-9-]{{0,30}}(?:\s[^<>]{{0,500}})?/?>)
    | (?P<bare>(?<![\w.@\\/])-?@(?:\{{[^{{}}\n]{{0,300}}\}}|(?:{_SCHEMES}):[^\s\];,]{{1,300}}
        |\w(?:\w|[:.\#$%&\-+?<>~/](?=\w)){{0,200}}|\?+)(?:[ ]\[[^\[\]\n@]{{0,100}}\])?)
    | (?P<mask>\*{{1,3}}|(?<!\w)_{{1,3}}(?=\S)|(?<=\S)_{{1,3}}(?!\w)|~~)
    """,
    re.VERBOSE | re.DOTALL,
)
# What https://quarto.org/docs/authoring/cross-references.html and pandoc-crossref number.
_CROSS = re.compile(
    r"(?i:(?:sup)?(?:fig|tbl)|tab|eq|sec|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|vid|nte|tip|"
    r"wrn|imp|cau)[-:]"
)
_LABEL = re.compile(
    r"(?m)\{[^{}\n#]{0,200}#([\w:.-]{1,200})|^[^\S\n]*#\|[^\S\n]*label:[^\S\n]*[\"']?([\w:.-]{1,200})"
    r"|^ {0,3}\(@([\w-]{1,200})\)[^\S\n]"
)
"""What a draft gives a label of its own: `{#one}`, `#| label: one`, an example `(@one)`."""
_KEY_PARTS = re.compile(r"-?@(?:\{([^{}\n]{0,300})\}|([^\s,;\]]{0,300}))")


@dataclass(frozen=True, slots=True)
class MarkdownDraft:
    """A text in Markdown: pandoc's, Quarto's, R Markdown, MyST, GitHub's.

    source: where its lines stand, if it is put together out of several files. around: what the
    project says of it.
    """

    text: str
    path: Path
    folder: Folder | None = None
    source: Source | None = None
    around: FrontMatter = field(default_factory=FrontMatter)

    def manuscript(self) -> Manuscript:
        """Read the front matter first, then headings and paragraphs for what it does not say.

        The references are the works that are cited by key, and those that a list at the end names.

        Raises:
            DraftError: the front matter is broken.
        """
        front, body = split_front_matter(self.text, display_name(self.path))
        front = front.within(self.around)
        body, notes = clipped(body)
        body = _COMMENT.sub("", FENCE.sub("", body))
        body = _SETEXT.sub(lambda match: f"{'#' if match[2] == '=' else '##'} {match[1]}", body)
        body, listed, unnamed = split_list(body, stripped)
        notes += (*(self.source.notes if self.source else ()), *front.notes, *unnamed)
        (title, doubt), (abstract, guess) = _title_and_abstract(body, front.title)
        doubt, guess = () if front.title else doubt, () if front.abstract else guess
        citing = "\n".join((front.abstract or "", body, front.cited))
        labels = labels_in(self.text)
        cited = _cited(citing, front, self.folder or folder_of(self.path), labels)
        if "[^" in body and not listed:  # Footnotes that print one work each and nothing else.
            from recsys.formats.bodies.printed_works import LONGEST_ENTRY, is_printed, printed_work

            printed = [stripped(note[1])[:LONGEST_ENTRY] for note in _FOOTNOTE.finditer(body)]
            listed = tuple(w for note in printed if is_printed(note, w := printed_work(note)))
        works = tuple(dict.fromkeys((*cited.works, *listed)))
        if not (works or cited.notes):
            text = "\n".join((stripped(front.abstract or ""), stripped(body)))
            works, named = named_works(text)
            notes += named
        if front.year is not None:
            notes += (f"The draft is dated {front.year}: nothing newer is considered.",)
        return Manuscript(
            title=stripped(front.title) or title,
            abstract=stripped(front.abstract or "") or abstract,
            authors=tuple(map(stripped, front.authors)),
            references=works,
            as_of=front.year,
            notes=(*notes, *doubt, *guess, *cited.notes),
            details=(*self._together(), *cited.details),
            keyphrases=tuple(map(stripped, front.keyphrases)) or stated_on_lines(body),
        )

    def _together(self) -> tuple[str, ...]:
        """Say which files are read as one draft, where these are several."""
        if not (self.source and self.folder):
            return ()
        names = [*map(short, Places(self.source, self.folder.draft).names.values())]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        said = f"Read as one draft: {', '.join(names[:MOST_NAMED])}{more}."
        return (said,) if len(names) > 1 else ()

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences and their marks."""
        text, notes = clipped(self.text)
        try:
            _, prose = split_front_matter(text, "")
        except DraftError:
            prose = BLOCK.sub(blank, text)
        # Spaces stand for the front matter and for what is no running text.
        known = frozenset(work.key.casefold() for work in references)
        reader = _Reader(_BLOCKS.sub(blank, prose), labels_in(text), known)
        places: Origin = Lines(text)
        if self.source and self.folder:
            places = Places(self.source, self.folder.draft)
        return Body(
            sentences=reader.text.sentences(places), notes=notes, references=tuple(references)
        )


def stripped(text: str) -> str:
    """Remove the markup of Markdown from a piece of text, its citations too."""
    if "\\" in text:
        from recsys.formats.latex.latex_cited import without_citations  # Few drafts need it.

        text = without_citations(text)
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return clean(text)


def citation_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites in pandoc's way, `[@key; @other]` or `@key`, in order."""
    places = [(match.start(), match[1] or match[2]) for match in _KEY.finditer(text)]
    for role in _ROLE.finditer(text):
        keys = re.split("[,;]", _BESIDE_KEYS.sub("", role[1]))
        places += [(role.start(), key.strip()) for key in keys]
    places += [(link.start(), link[1]) for link in _EMPTY_LINK.finditer(text)]
    places.sort(key=lambda place: place[0])
    return tuple(dict.fromkeys(filter(None, (key.rstrip(".:;,?") for _, key in places))))


def labels_in(text: str) -> frozenset[str]:
    """Return what a text gives a label, so that "@label" is a cross-reference."""
    return frozenset(filter(None, chain.from_iterable(_LABEL.findall(text))))


def true_keys(keys: Iterable[str], labels: Set[str], known: Set[str]) -> tuple[str, ...]:
    """Leave out the keys of cross-references: labels, or "fig-one" and the like.

    known: keys of the bibliography, folded; they are none.
    """
    return tuple(
        key for key in keys if key.casefold() in known or not (_CROSS.match(key) or key in labels)
    )


def _title_and_abstract(
    body: str, known: str
) -> tuple[tuple[str, tuple[str, ...]], tuple[str | None, tuple[str, ...]]]:
    """Return title and abstract of a text, each with a note where it is a guess.

    known: the title that the front matter has; "" where it has none.
    """
    marked = next(filter(None, (pattern.search(body) for pattern in _MARKED_ABSTRACTS)), None)
    own = stripped(before_keywords(marked[1])) if marked else ""
    if marked:
        body = body[: marked.start()] + body[marked.end() :]
    body = _PART.sub("", body)
    # Lines in bold letters with the name of a heading are one; all are, where nothing else is.
    bold = [line[2] for line in islice(_BOLD_LINE.finditer(body), MOST_SECTIONS)]
    if any(map(is_section_name, bold)):
        other = "{}" if _HEADING.search(body) else "# {}"
        forms = {text: "###### {}" if is_section_name(text) else other for text in bold}
        body = _BOLD_LINE.sub(lambda line: forms.get(line[2], other).format(line[2]), body)
    headings = list(islice(_HEADING.finditer(body), MOST_SECTIONS))
    if not headings:
        plain = PlainDraft(f"{known}\n\n{body}").manuscript()
        abstract = own or stripped(plain.abstract or "") or None
        doubt = tuple(note for note in plain.notes if note in DOUBTS)
        guess = () if own else tuple(note for note in plain.notes if note not in DOUBTS)
        return (stripped(plain.title), doubt), (abstract, guess)
    title = first_title((len(heading[1]), _heading_text(heading)) for heading in headings)
    parts = sections(body, _HEADING, _heading_text)
    abstract, guess = (own, ()) if own else abstract_in(parts, _ABSTRACT, stripped)
    if guess or abstract is None:
        for part in (part for _, text in parts for part in paragraphs(text)):
            if lead_in := _LEAD_IN.match(part):
                return title, (stripped(before_keywords(part[lead_in.end() :])), ())
    return title, (abstract, guess)


def _heading_text(heading: re.Match[str]) -> str:
    """Return a heading without pandoc's attributes and closing number signs."""
    text = _ATTRIBUTES.sub("", heading[2][:_LONGEST_HEADING]).strip()
    stem = text.rstrip("#")
    return stripped(stem if stem.endswith(" ") else text)


def _cited(text: str, front: FrontMatter, folder: Folder, labels: Set[str]) -> Shelf:
    """Return the works that are cited, and all that the front matter itself describes."""
    books = shelf(folder, front.bibliography, (".bib",)) if front.bibliography else Shelf()
    known = {work.key.casefold() for work in (*front.references, *books.works)}
    keys = dict.fromkeys(true_keys(citation_keys(text), labels, known))
    if "\\" in text:
        from recsys.formats.latex.latex_cited import cited_keys

        keys |= dict.fromkeys(cited_keys(text))
    cited = tuple(key for key in keys if key != "*")
    tags = tuple(filter(None, (named_by(key, said) for key, said in _TAG.findall(text))))
    if not (front.bibliography or front.references or tags):
        # Then @name is a person or a place, but for what stands in the brackets of a citation.
        sure = " ".join(_BRACKETED.findall(text) + [match[0] for match in _ROLE.finditer(text)])
        books = shelf(folder, front.beside, ())
        if not {work.key for work in books.works} & keys.keys():
            books = Shelf()
        found = resolve(cited, books.works).works
        missing = true_keys(citation_keys(sure), labels, known)
        return replace(look_up(missing, books), works=found)
    if "*" in keys:  # All of them.
        cited += tuple(work.key for work in (*front.references, *books.works))
    looked_up = look_up(cited, books, (*front.references, *tags))
    return replace(looked_up, works=tuple(dict.fromkeys((*looked_up.works, *front.references))))


class _Reader:
    """A way down the lines of a draft, which collects the running text."""

    def __init__(self, masked: str, labels: Set[str], known: Set[str]) -> None:
        """Read a draft in which blocks that are no running text are spaces; see `true_keys`."""
        self.masked, self.labels, self.known = masked, labels, known
        self.text = RunningText(numbers=True)
        self.skipping = 0  # The level of the section that is left out.
        self.pieces: list[tuple[int, int]] = []  # Where the lines of a paragraph begin and end.
        self.listed = False
        at, lines = 0, masked.split("\n")
        for line, following in zip_longest(lines, lines[1:], fillvalue=""):
            self._line(at, line, following)
            at += len(line) + 1
        self._end_paragraph()

    def _line(self, at: int, line: str, following: str) -> None:
        if not line.strip() or _NO_PROSE.match(line) or _TARGET.match(line):
            if self.pieces and _UNDERLINE.match(line):
                self.pieces.clear()
            else:
                self._end_paragraph()
                self.listed = self.listed and not line.strip()
        elif heading := _HEADING_LINE.match(line):
            self._heading(len(heading[1]), heading[2])
        elif (bold := _BOLD_LINE.match(line)) and is_section_name(bold[2]) and not self.pieces:
            self._heading(6, bold[2])
        elif not self.pieces and _UNDERLINE.match(following) and not _ITEM.match(line):
            self._heading(1 if "=" in following else 2, line)
        elif self.pieces or self.listed or not _INDENTED.match(line):
            self._prose(at, line)

    def _prose(self, at: int, line: str) -> None:
        start = 0
        for pattern in (_QUOTE, _NOTE, _ITEM):
            if prefix := pattern.match(line, start):
                if pattern is not _QUOTE:
                    self._end_paragraph()
                    self.listed = True
                start = prefix.end()
        if not self.skipping:
            self.pieces.append((at + start, at + len(line)))

    def _heading(self, level: int, title: str) -> None:
        self._end_paragraph()
        self.listed = False
        if self.skipping and level > self.skipping:
            return
        shown = stripped(_ATTRIBUTES.sub("", title[:_LONGEST_HEADING]).strip().rstrip("#"))
        # In a paper of JOSS, the summary is where the text begins.
        self.skipping = level if ends_text(shown) and not _ABSTRACT.match(shown) else 0
        self.text.heading(shown)

    def _end_paragraph(self) -> None:
        """Read the lines of a paragraph together: what is marked in it may go over several."""
        if self.pieces:
            start, end = self.pieces[0][0], self.pieces[-1][1]
            text = self.masked[start:end]
            for (_, before), (after, _) in pairwise(self.pieces):
                text = text[: before - start] + " " * (after - before) + text[after - start :]
            self._inline(text, start)
            self.text.end_paragraph()
        self.pieces = []

    def _inline(self, text: str, base: int) -> None:
        at = 0
        for match in _INLINE.finditer(text):
            self.text.words(text[at : match.start()], base + at)
            self._token(match, base)
            at = match.end()
        self.text.words(text[at:], base + at)

    def _token(self, match: re.Match[str], base: int) -> None:
        start, end = base + match.start(), base + match.end()
        kind = match.lastgroup or ""
        if kind in _SHOWN:
            self.text.words(_SHOWN[kind](match[0]), start, end, opaque=kind != "escape")
        elif kind == "formula":
            from recsys.formats.latex.latex_text import plain

            shown = plain(match[0]) if len(match[0]) <= LONGEST_FORMULA else ""
            self.text.words(shown, start, end, opaque=True)
        elif kind == "note":
            self.text.begin_aside()
            self._inline(match["inner"], base + match.start("inner"))
            self.text.end_aside(end)
        elif kind == "link":
            self._inline(match["label"], base + match.start("label"))
        elif kind in ("role", "empty"):
            textual = match[0].startswith("{cite:t}")
            self.text.mark(start, end, citation_keys(match[0]), gap=False, textual=textual)
        elif kind in ("citation", "bare"):
            self._citation(match[0], start, end, textual=kind == "bare")
        elif kind == "latex":
            from recsys.formats.latex.latex_cited import citation_at

            if citation := citation_at(match[0], 0):
                keys, gap = split_keys(citation.keys)
                self.text.mark(start, end, keys, gap=gap)

    def _citation(self, printed: str, start: int, end: int, *, textual: bool) -> None:
        written = [braced or bare for braced, bare in _KEY_PARTS.findall(printed)]
        all_keys = citation_keys(printed)
        cited = true_keys(all_keys, self.labels, self.known)
        if all_keys and not cited:
            return
        _, gap = split_keys([key.strip(" .:,?") or "?" for key in written])
        keys, _ = split_keys(cited)
        if textual or cited or gap:
            self.text.mark(start, end, keys, gap=gap or not written, textual=textual)


_SHOWN: dict[str, Callable[[str], str]] = {
    "escape": lambda printed: printed[1],
    "code": lambda printed: printed.strip("`").strip(),
    "address": lambda printed: printed[1:-1],
}
