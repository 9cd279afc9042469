"""Read cited references as the Web of Science writes them: "Smith J, 2010, NATURE, V1, P2"."""

import re

from recsys.formats import identifiers
from recsys.formats.references.bibliography import EARLIEST_YEAR, LATEST_YEAR, LONGEST_TEXT, text_in
from recsys.formats.references.people import name_of
from recsys.records import Reference

_PLAIN = r"10\.[0-9]{4,9}/[A-Za-z0-9./()_-]*[A-Za-z0-9]"
"""A DOI that `identifiers.doi` would give as it stands, but for capitals; others go that way."""
# Most lines; the others are taken apart from their end, which takes three times as long.
_USUAL = re.compile(
    r"(?!\(?[0-9]{4})([^,]+(?:, [A-Z]{1,4})?), ([0-9]{4}), "
    # No source may look like what follows one.
    r"(?!(?:V|[Pp] ?)[A-Za-z]{0,4}[0-9IVXLCDMSivxlcdm]\S*(?:,|$)|DOI"
    r"|(?:ART|Art|UNSP|Unsp)(?:N|n|\.|ICLE|icle)? )"
    r"([^,]+?)(?:, V([0-9]{1,6}))?(?:, P([0-9]{1,9}))?"
    rf"(?:, DOI (?:DOI )?({_PLAIN}))?"
)
_DOI = re.compile(r"(?:^|,) ?DOI:? ?(?=\[|10\.|DOI|ar[Xx]iv|AR[Xx]IV|https?:)")
_PLAIN_DOI = re.compile(rf"\[?(?:DOI )?({_PLAIN})(?=[\],]|$)")
_NUMBERS = re.compile(
    r"(?P<volume>V(?:\d[\w./+-]*|[A-Z]{1,4}\d\w*|[IVXLC]{1,7}|SUPPL?)(?: (?:S|SUPPL? ?)\d{0,4})?)"
    r"|[Pp] ?(?P<page>[A-Za-z]{0,4}\d[\w.:/+-]*?)(?:\. \d{1,4})?"
    r"|p(?P<roman>[ivxlcdmIVXLCDM]{1,9})"
    r"|(?:ARTN|Artn|UNSP|Unsp|ART(?:ICLE)?\.?(?: NO\.?)?|Art(?:icle)?\.?(?: [Nn]o\.?)?)"
    r" (?P<article>[\w.-]*\d[\w.-]*)"
)
_YEAR = re.compile(r"\(?[0-9]{4}[a-z]?(?:[-/][0-9]{2,4})?\)?")
_SQUASHED_ARXIV = re.compile(r"arxiv(\d{2}(?:0[1-9]|1[0-2]))(\d{4,5})(?!\d)", re.IGNORECASE)
_FIVE_DIGITS_SINCE = "1501"
"""The month from which numbers of arXiv have five digits, not four."""
_IN_PRESS = re.compile(r"(?:IN PRESS|In press|in press|UNPUB|Unpublished|IN PREPARATION)\b ?")
# Most names; to take the others apart takes ten times as long.
_USUAL_NAME = re.compile(r"([A-Z][a-z]+),? ([A-Z]{1,3})")
_NOBODY = frozenset({"anon", "anon.", "anonymous", "anonymus", "no author", "author"})
_NOTHING = frozenset({"[no title captured]", "no title captured", "unknown"})
_PARTS_OF_A_LIST = 8
"""Pieces of a cell in which the end of a list of DOIs is looked for."""


def cited_of(line: str) -> Reference:
    """Read one cited reference; any of its parts may be missing.

    What is neither year nor volume nor page is the source: a journal, or the title of a book, which
    then is the title, too. Its first author comes as "J Smith".
    """
    line = line[:LONGEST_TEXT].strip()
    if not (line.isascii() and line.isprintable()) or "&" in line or "<" in line:
        line = text_in(line) or ""
    if "  " in line or " ," in line:
        line = " ".join(line.split()).replace(" ,", ",")
    doi: str | None
    if match := _USUAL.fullmatch(line):
        author, date, source, volume, page, doi = match.groups()
        dois = [doi.lower()] if doi else []
    else:
        author, date, source, volume, page, dois = _taken_apart(line)
    year = int(date) if date else None
    if source[:2] in ("IN", "In", "in", "UN", "Un"):
        source = _IN_PRESS.sub("", source, count=1)
    venue = None if source.lower() in _NOTHING else source or None
    doi, arxiv = next(iter(dois), None), None
    in_arxiv = "rxiv" in line.lower()
    if in_arxiv and (squashed := _SQUASHED_ARXIV.search(line)):  # As ARXIV230111325, digits alone.
        month, number = squashed.groups()
        is_one = (len(number) == 5) == (month >= _FIVE_DIGITS_SINCE)
        arxiv = f"{month}.{number}" if is_one else None
    elif in_arxiv:
        arxiv = identifiers.arxiv(line)
    name = author_of(author)
    return Reference(
        title=None if volume or page or doi or arxiv else venue,
        authors=(name,) if name else (),
        year=year if year is not None and EARLIEST_YEAR <= year <= LATEST_YEAR else None,
        venue=venue,
        doi=doi,
        arxiv=arxiv,
        ids=tuple(dois[1:]),  # One work may have several, bare as the DOIs of papers are.
        volume=volume,
        page=page,
    )


def cited_in(cell: str) -> tuple[Reference, ...]:
    """Read the cited references of one cell of a table, where semicolons part them.

    Those in a list of DOIs do not: `DOI [10.1/a; 10.1/b]`.
    """
    cited, pieces, at = [], cell.split("; "), 0
    while at < len(pieces):
        end = at + 1
        if pieces[at].rfind("[") > pieces[at].rfind("]"):
            window = range(end, min(end + _PARTS_OF_A_LIST, len(pieces)))
            end = next((i + 1 for i in window if "]" in pieces[i]), end)
        if piece := "; ".join(pieces[at:end]).strip(" ;\n"):
            cited.append(cited_of(piece))
        at = end
    return tuple(cited)


def _taken_apart(line: str) -> tuple[str, str, str, str | None, str | None, list[str]]:
    """Return author, year, source, volume, page, DOIs; the source has all that is none of them."""
    dois: list[str] = []
    head = line
    if match := _DOI.search(line):
        head, text = line[: match.start()], line[match.end() :]
        plain = _PLAIN_DOI.fullmatch(text)
        texts = map(identifiers.doi, text.split(", ")[:_PARTS_OF_A_LIST])
        dois = [plain[1].lower()] if plain else list(dict.fromkeys(filter(None, texts)))
    parts = [part for part in map(str.strip, head.split(", ")) if part]
    volume = page = None
    # Volume and page stand at the end, in whichever order and with whatever between them.
    while len(parts) > 1 and (match := _NUMBERS.fullmatch(parts[-1])):
        if match["volume"] and volume is not None:
            break
        if match["volume"]:
            volume = match["volume"][1:]
        else:
            page = page or match["page"] or match["roman"] or match["article"]
        parts.pop()
    at = next((i for i, part in enumerate(parts[:4]) if _YEAR.fullmatch(part)), None)
    if at is None:
        author, rest = (parts[0], parts[1:]) if len(parts) > 1 else ("", parts)
        return author, "", ", ".join(rest), volume, page, dois
    year = parts[at].lstrip("(")[:4]
    return ", ".join(parts[:at]), year, ", ".join(parts[at + 1 :]), volume, page, dois


def author_of(name: str) -> str | None:
    """Put a cited author into the order in which a name is spoken, None for nobody.

    >>> author_of("van der Aalst WMP"), author_of("Park Joon Sung."), author_of("Aaker, JL")
    ('WMP van der Aalst', 'Joon Sung Park', 'JL Aaker')
    """
    if usual := _USUAL_NAME.fullmatch(name):
        return f"{usual[2]} {usual[1]}"
    name = name.strip(" ,\uff0c")
    if name[:1] in ("*", "["):
        name = name.strip("*[] ")
        return None if not name or name.lower() in _NOBODY else name
    if name.lower() in _NOBODY:
        return None
    words = name.split()
    if words and len(words[-1]) > 4:  # Whole names end at no full stop, initials and "Jr." do.
        name = name.rstrip(".")
    return name_of(name, order="index").natural or None
