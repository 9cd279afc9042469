"""The formats of tagged lines: RIS, EndNote, PubMed's nbib and the Web of Science's plain text.

Each is a map from the fields of a work to tags, and a function for what a map cannot say.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recsys.formats.exports import scopus_citations, wos_citations
from recsys.formats.exports.export_facts import (
    abstract_in,
    accession,
    first_page,
    parted_phrases,
    phrases,
    volume_in,
)
from recsys.formats.papers.paper_fields import labelled
from recsys.formats.references.bibliography import (
    LONGEST_TEXT,
    SECOND,
    Problem,
    address_in,
    alternatives,
    identified,
    in_two_ways,
    keywords_in,
    kinds_by_word,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import Name, People, name_of, people_in
from recsys.records import Reference

LONGEST_RECORD = 64 * 2**20
"""Characters of a record that are kept; what ends nowhere fills no memory."""
_PER_LINE = 64
"""Characters that a line counts for beside its own: an empty one takes memory, too."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a format marks its facts and its records.

    tag: matches the beginning of a line that begins a fact, up to what it says; its group is the
    tag. first, last: the tags that begin and end a record; without `last` an empty line ends one.
    outside: tags of the file, which belong to no record. strict: without `first` it is no record,
    wherever in it that stands; what is between records is nobody's concern but for facts.
    """

    tag: re.Pattern[str]
    first: str
    last: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    strict: bool = False

    def begins(self, tag: str) -> bool:
        """Whether a tag may begin a record where none is open."""
        return tag == self.first or tag not in (*self.last, *self.outside)


class TaggedRecord:
    """The facts of one record by their tags, each fact as its lines without white space around.

    line: where it begins. ended: whether it has an end, where its format asks for one.
    """

    def __init__(self, line: int) -> None:
        self.line, self.ended = line, True
        self.facts: dict[str, list[list[str]]] = {}
        self._fact: list[str] = []
        self._size = 0
        self._after_blank = False

    @property
    def cut(self) -> bool:
        """Whether it was longer than LONGEST_RECORD."""
        return self._size > LONGEST_RECORD

    def begin(self, tag: str, text: str) -> None:
        """Begin a fact."""
        self._fact, self._after_blank = [text], False
        self._size += len(text) + _PER_LINE
        if not self.cut:
            self.facts.setdefault(tag, []).append(self._fact)

    def go_on(self, text: str) -> None:
        """Take in a line without a tag."""
        self._after_blank = not text
        if text:
            self._size += len(text) + _PER_LINE
            if not self.cut:
                self._fact.append(text)

    def is_over(self, tag: str, layout: Layout) -> bool:
        """Whether a tag begins another record."""
        if layout.strict and layout.first not in self.facts:
            return tag == layout.first and self._after_blank
        if tag == layout.first:
            # Some write it after the title; then it begins none.
            return (
                bool(layout.last)
                or self._after_blank
                or (len(self.facts) > 1 and tag in self.facts)
            )
        # Empty lines stand within abstracts, too: what follows one is another record only if this
        # one has such a fact already, or did not begin as records do.
        anew = tag in self.facts or layout.first not in self.facts
        return self._after_blank and anew and not layout.last

    def lines(self, *tags: str) -> list[str]:
        """Return the lines of all facts under these tags."""
        return [line for tag in tags for fact in self.facts.get(tag, ()) for line in fact if line]

    def texts(self, *tags: str, between: str = " ") -> list[str]:
        """Return each fact under these tags, its lines joined."""
        texts = (between.join(fact) for tag in tags for fact in self.facts.get(tag, ()))
        return [text for text in texts if text]

    def text(self, *tags: str) -> str | None:
        """Return the first fact under these tags that says something."""
        return next(iter(self.texts(*tags)), None)


def records(lines: Iterator[str], layout: Layout) -> Iterator[TaggedRecord | Problem]:
    """Gather records; at the end say how many lines stood outside of all."""
    record: TaggedRecord | None = None
    strayed = strayed_at = 0  # How much stood outside of all records, and where the first of it.
    for number, line in enumerate(lines, start=1):
        match = layout.tag.match(line)
        if match is None:
            text = line.strip()
            if record is not None:
                record.go_on(text)
            elif text and not layout.strict:
                strayed, strayed_at = strayed + 1, strayed_at or number
            continue
        tag = match[1]
        ends = tag in layout.last
        if record is not None and (ends or record.is_over(tag, layout)):
            record.ended = ends or not layout.last
            if not layout.strict or layout.first in record.facts:
                yield record
            else:
                strayed, strayed_at = strayed + 1, strayed_at or record.line
            record = None
        if record is None and layout.begins(tag):
            record = TaggedRecord(number)
        if record is not None:
            record.begin(tag, line[match.end() :].strip())
    if record is not None and (not layout.strict or layout.first in record.facts):
        record.ended = not layout.last
        yield record
    if strayed:
        what, reason = (
            (f"records without {layout.first}", "record without beginning")
            if layout.strict
            else ("lines outside of records", "line outside of records")
        )
        yield Problem(f"{strayed:,} {what} were passed over.", reason, strayed_at)


@dataclass(frozen=True, slots=True)
class TaggedFormat:
    """One such format.

    head: is found in the beginning of its files. fields: such as `title: TI | FT; volume: VL`:
    fields of `Reference`, and their tags, of which the first that says something counts. more: what
    the map cannot say, by field, `places`: texts that may hold a DOI, an arXiv or an ACL id, and
    `people`: the authors of each field; it comes before what the map says.
    """

    head: re.Pattern[str]
    layout: Layout
    fields: str
    more: Callable[[TaggedRecord], dict[str, Any]]

    def looks_so(self, head: str) -> bool:
        """Whether the beginning of a text is that of such a file."""
        return self.head.search(head) is not None

    def read(self, lines: Iterator[str]) -> Iterator[Reference | Problem]:
        """Read each record; those that never end are read and reported with their line."""
        for record in records(lines, self.layout):
            if isinstance(record, Problem):
                yield record
                continue
            line = record.line
            if not record.ended:
                text = f"line {line}: the record has no end ({self.layout.last[0]})."
                yield Problem(text, "record without end", line)
            if record.cut:
                text = f"line {line}: the record has no end in sight; what is beyond is left out."
                yield Problem(text, "record too long", line)
            yield from self._work(record)

    def _work(self, record: TaggedRecord) -> Iterator[Reference | Problem]:
        values: dict[str, Any] = {}
        for field, tags in alternatives(self.fields).items():
            texts = record.texts(*tags)
            if field == "abstract":
                values[field], more = abstract_in(texts)
                if more:
                    shown = f"{values[field][:_SHOWN]}..."
                    text = f"line {record.line}: of several abstracts one counts: {shown}"
                    yield Problem(text, SECOND, record.line, kept=True)
            elif reader := _READERS.get(field):
                values[field] = next(filter(None, map(reader, texts)), None)
            else:
                values[field] = text_in(texts[0]) if texts else None
        values["key"] = values["key"] or ""
        values |= self.more(record)
        places, people = values.pop("places"), values.pop("people")
        authors: list[str] = []
        for read in people:  # Programs write some of them into two fields.
            authors += [name for name in names_in(read.spoken) if name not in authors]
        if any(read.unsure or read.mixed for read in people):
            yield in_two_ways(authors, f"line {record.line}", record.line)
        yield identified(Reference(**values, authors=tuple(authors)), *places)


_SHOWN = 60
"""Characters of an abstract that a remark shows."""
_READERS: Mapping[str, Callable[[str], int | str | None]] = {
    "year": year_in,
    "url": address_in,
    "page": first_page,
}
"""Fields of which the first fact counts that is understood, not the first that is there."""
_KINDS_OF_RIS = kinds_by_word(
    """article: PREPRINT; article-journal: ABST | EJOUR | INPR | JOUR; article-magazine: MGZN
    article-newspaper: NEWS; book: BOOK | EBOOK | EDBOOK | SER; chapter: CHAP | ECHAP
    dataset: DATA; entry-dictionary: DICT; entry-encyclopedia: ENCYC
    manuscript: MANSCPT | UNPB | UNPD; paper-conference: CONF | CPAPER; patent: PAT
    post-weblog: BLOG; report: RPRT; software: COMP; standard: STAND; thesis: THES
    webpage: ELEC"""
)
_CITED = re.compile(r"(?:Cited )?References: ?")
_NAMED = re.compile(r"\b(?:PMID ?: ?\d{1,9}|PMC\d{1,10})")
# Where databases put PubMed's number of a paper.
_NUMBERS_OF = {"medline": "AN", "nlm": "AN", "pubmed": "AN", "scopus": "C2"}


def more_of_ris(record: TaggedRecord) -> dict[str, Any]:
    """Read names, numbers and cited works from wherever programs put them."""
    notes = record.texts("N1")
    names = [accession(text) for text in record.texts("AN", "C2", "UR", "L2", "M1", "PM", "U1")]
    for note in notes:
        names += [accession(text) for text in _NAMED.findall(note[:LONGEST_TEXT])]
    ids = tuple(dict.fromkeys(name for _, others in names for name in others))
    source = " ".join(record.texts("DB", "DP")).lower()
    tags = [tag for database, tag in _NUMBERS_OF.items() if database in source]
    pmid = next((pmid for pmid, _ in names if pmid), None)
    # EndNote has a keyword a line, and the tag only before the first.
    keyphrases, made = parted_phrases(phrases(record.lines("KW")), ids)
    work = text_in(record.text("M3"))
    book = text_in(record.text("BT"))
    title = text_in(record.text("TI", "T1", "CT"))
    cited = [match for note in notes if (match := _CITED.match(note))]
    people = (  # "null" is The Lens'.
        [name.removesuffix(", null") for name in record.texts(tag)] for tag in ("AU", "A1")
    )
    return {
        "title": title or book or text_in(record.text("ST", "TT")),
        "venue": text_in(record.text("JF", "JO", "T2", "JA", "J2", "C3")) or (title and book),
        "people": [people_in(*names, commas="within") for names in people],
        "kind": _KINDS_OF_RIS.get(record.text("TY") or "", "document"),
        "pmid": _digits(record.text(*tags, "PM")) or pmid,
        "ids": ids,
        "volume": volume_in(record.text("VL")),
        "keyphrases": keyphrases,
        "labels": labelled(
            type=None if work is None or "10." in work else work,
            database=text_in(record.text("DB")),
            keywords_plus=made,
        ),
        "places": [
            *record.texts("DO", "M3", "UR", "M1", "C7", "AN", "DI", "L3", between="\n"),
            *(note for note in notes if _CITED.match(note) is None),
        ],
        # Scopus writes what a work cites into a note.
        "cites": tuple(
            work
            for match in cited
            for work in scopus_citations.cited_in(match.string[match.end() :])
        ),
    }


def _digits(text: str | None) -> str | None:
    plain = (text or "").strip()
    return plain if plain.isascii() and plain.isdecimal() else None


KINDS_OF_ENDNOTE = kinds_by_word(
    """article-journal: Electronic Article | Journal Article; article-magazine: Magazine Article
    article-newspaper: Newspaper Article; book: Book | Edited Book | Electronic Book
    chapter: Book Section | Electronic Book Section; dataset: Dataset
    entry-encyclopedia: Encyclopedia; manuscript: Manuscript | Unpublished Work
    paper-conference: Conference Paper | Conference Proceedings; patent: Patent
    post-weblog: Blog; report: Report; software: Computer Program; thesis: Thesis
    webpage: Web Page"""
)


def more_of_endnote(record: TaggedRecord) -> dict[str, Any]:
    """Read one author a line, as the format has them, or several with semicolons."""
    told = filter(None, map(text_in, record.texts("0")))
    pmid, ids = accession(record.text("M"))
    source = " ".join(record.texts("~", "W")).lower()
    of_pubmed = any(name in source for name in ("pubmed", "medline", "nlm"))
    keyphrases, made = parted_phrases(phrases(record.lines("K")), ids)
    return {
        "people": [people_in(*record.lines("A", "Q"), commas="within")],
        "url": next(filter(None, map(address_in, record.lines("U"))), None),
        "kind": next(
            (KINDS_OF_ENDNOTE[kind] for kind in told if kind in KINDS_OF_ENDNOTE), "document"
        ),
        "pmid": pmid or (_digits(record.text("M")) if of_pubmed else None),
        "ids": ids,
        "keyphrases": keyphrases,
        "labels": labelled(
            type=text_in(record.text("9")), database=text_in(record.text("~")), keywords_plus=made
        ),
        "places": [*record.texts("R", "M", "Z"), *record.lines("U")],
    }


_KINDS_OF_NBIB = kinds_by_word(
    """article: Preprint; article-journal: Journal Article; article-newspaper: Newspaper Article
    book: Book | Books; chapter: Book Chapter; dataset: Dataset
    motion_picture: Video-Audio Media; report: Technical Report"""
)
_ARTICLE = re.compile(r"([A-Za-z]{0,2}\d{1,8})\s*\[pii\]")
"""What a publisher calls its article, where it is what reference lists give."""
_DAY = re.compile(r"\d{8}")


def more_of_nbib(record: TaggedRecord) -> dict[str, Any]:
    """Drop PubMed's full stops and its brackets around translated titles; sort identifiers."""
    title = text_in(record.text("TI", "TT", "BTI", "CTI")) or ""
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1]
    if title.startswith("[") and title.endswith("]") and title.count("[") == 1:
        title = title[1:-1].removesuffix(".")
    full = people_in(*record.texts("FAU"), commas="within")
    short = (name_of(name, order="index") for name in record.texts("AU"))
    # A day of electronic publication is 20190111.
    dates = record.texts("DP", "DEP", "EDAT", "CRDT")
    years = (year_in(date[:4] if _DAY.fullmatch(date) else date) for date in dates)
    types = tuple(filter(None, map(text_in, record.texts("PT"))))
    kind = "article-journal" if record.text("JT", "TA") else "document"
    numbers = record.texts("LID", "AID")
    articles = (match[1] for each in numbers if (match := _ARTICLE.fullmatch(each.strip())))
    headings = [heading.split("/")[0].replace("*", "") for heading in record.texts("MH")]
    words = keywords_in([*record.texts("OT", "KW"), *headings])
    dois = [each for each in numbers if each.endswith("[doi]")]
    return {
        "title": title.strip() or None,
        "people": [
            full if full.names else People(tuple(short)),
            People(tuple(Name(literal=group) for group in record.texts("CN"))),
        ],
        "year": next(filter(None, years), None),
        "kind": next((_KINDS_OF_NBIB[each] for each in types if each in _KINDS_OF_NBIB), kind),
        "pmid": _digits(text_in(record.text("PMID"))),
        "ids": tuple(
            f"pmc:{number}"
            for number in map(text_in, record.texts("PMC"))
            if number and number.startswith("PMC")
        ),
        "page": first_page(record.text("PG")) or next(articles, None),
        # The authors' keywords, then subject headings without their qualifiers.
        "keyphrases": tuple(dict.fromkeys(words)),
        "labels": labelled(type="; ".join(types)),
        "places": dois or [each for each in record.texts("SO") if "doi:" in each],
    }


_SEVERAL = re.compile(r"; [^,;]{1,60}, (?:[^,;]{1,20}, )?\d{4},")
_ASIDE = re.compile(r"\s*\(.{0,200}")
_KINDS_OF_WOS = kinds_by_word(
    "article-journal: J; book: B; chapter: S; paper-conference: C; patent: P"
)
# Types of documents that tell more than the type of the publication.
_TYPES_OF_WOS = kinds_by_word(
    "article: preprint; chapter: book chapter; dataset: data set; thesis: dissertation/thesis"
)


def more_of_wos(record: TaggedRecord) -> dict[str, Any]:
    """Read full names, groups behind them; the accession number; what a work cites."""
    people = record.lines("AF") or record.lines("AU") or record.lines("BF") or record.lines("BA")
    # Some exports write all names into one line, some records say "Yu, M (Yu Min)".
    names = (_ASIDE.sub("", name.strip()) for line in people for name in line.split(";"))
    groups = record.texts("CA") or ([] if people else record.texts("GP"))
    number = text_in(record.text("UT")) or ""
    pmid, ids = accession(number)
    scheme, _, value = number.partition(":")
    if value and scheme.isascii() and scheme.isalpha() and not (pmid or ids):
        ids = (f"{scheme.lower()}:{value}",)  # Each database of the platform has its own scheme.
    types = text_in(" ".join(record.lines("DT")))
    told, letter = (types or "").lower(), (text_in(record.text("PT")) or "")[:1]
    kind = _KINDS_OF_WOS.get(letter, "document")
    if letter != "J" and "proceedings paper" in told.split("; "):
        kind = "paper-conference"  # In a journal it is an article, too.
    kinds = (_TYPES_OF_WOS[each] for each in told.split("; ") if each in _TYPES_OF_WOS)
    # The DOI of the book would name more than the record of a chapter, or of a paper.
    is_part = any(word in told for word in ("chapter", "paper", "article"))
    cited = record.lines("CR")
    if len(cited) == 1 and _SEVERAL.search(cited[0]):  # Other programs write all into one line.
        cites = wos_citations.cited_in(cited[0])
    else:
        cites = tuple(map(wos_citations.cited_of, cited))
    return {
        "people": [
            people_in(*names, commas="within"),
            People(tuple(Name(literal=group) for group in groups)),
        ],
        "kind": next(kinds, kind),
        "pmid": _digits(record.text("PM")) or pmid,
        "ids": ids,
        "keyphrases": phrases(record.texts("DE")),
        "labels": labelled(
            type=types,
            fields=phrases(record.texts("WC") or record.texts("SC")),
            keywords_plus=tuple(phrase.lower() for phrase in phrases(record.texts("ID"))),
        ),
        "cites": cites,
        "places": record.texts("DI", "DL", *(() if is_part else ("D2",)), between="\n"),
    }


RIS = TaggedFormat(
    re.compile(
        r"^[ \t]{0,8}\ufeff?TY {1,2}- [^\n]{0,200}"
        r"(?:(?:\n[ \t]{0,80}){1,9}[A-Z][A-Z0-9] {1,2}-|\s*\Z)",
        re.MULTILINE,
    ),
    Layout(
        tag=re.compile(r"[ \t]{0,8}\ufeff?([A-Z][A-Z0-9]) {1,2}-(?:[ \r]|$)"),
        first="TY",
        last=("ER",),
        strict=True,
    ),
    "key: ID; year: PY | Y1 | DA; abstract: AB | N2; url: UR; page: SP | SE | C7",
    more_of_ris,
)
ENDNOTE = TaggedFormat(
    re.compile(r"\A\s*\ufeff?%(?:0 {1,3}[A-Z]|[A-Z] {1,3}\S[^\n]*\n\s{0,20}%[A-Z0-9@] {1,3}\S)"),
    Layout(tag=re.compile(r"[ \t]{0,8}%([0-9A-Z!#$&()*+<=>?@\[\]^~])(?:[ \t\r]|$)"), first="0"),
    "key: F; title: T; year: D | 8; venue: J | B | S; abstract: X; volume: V; page: P",
    more_of_endnote,
)
NBIB = TaggedFormat(
    re.compile(
        r"\A(?![\s\S]*?^TY {1,2}- )[\s\S]*?^(?:PMID- ?\d{1,12}|OWN - [A-Z][^\n]{0,40})[ \t]{0,9}"
        r"(?:\n\s{0,9}[A-Z][A-Z0-9]{1,3} {0,2}- |\s*\Z)",
        re.MULTILINE,
    ),
    Layout(tag=re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?:[ \r]|$)"), first="PMID"),
    "key: PMID; venue: JT | TA | BTI | CTI; abstract: AB | OAB; url: LID | AID; volume: VI",
    more_of_nbib,
)
WOS = TaggedFormat(
    re.compile(
        r"\A\s*\ufeff?(?:FN [^\n]{0,200}\n\s{0,9}VR [^\n]{0,20}(?:\n|$)"
        r"|PT [A-Z][ \t]{0,9}\n(?:[A-Z][A-Z0-9] |ER))"
    ),
    Layout(
        # A file that others were appended to has the next one's mark of UTF-8 after EF.
        tag=re.compile(r"\ufeff?([A-Z][A-Z0-9])(?:[ \t\r]|$|(?<=EF)(?=\ufeff|FN))"),
        first="PT",
        last=("ER", "EF"),
        outside=("FN", "VR"),
    ),
    """key: UT; title: TI | FT | X1 | Y1; year: PY | EY | EA | PD; venue: SO | JI | J9 | CT | SE
    abstract: AB | X4 | Y4; url: DL; volume: VL; page: BP | PS | AR""",
    more_of_wos,
)
