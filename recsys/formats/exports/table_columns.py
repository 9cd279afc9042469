"""Which columns of a table say what: the header names of each program in one literal table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recsys.errors import InputError, near_miss
from recsys.formats.references.bibliography import alternatives

COLUMN_FIELDS = (
    *("id", "title", "authors", "year", "venue", "abstract", "doi", "pmid", "arxiv", "url"),
    *("keyphrases", "volume", "page", "references", "type"),
)
"""What `--columns` may name."""
SCHEMES = ("corpusid", "dimensions", "eid", "embase", "lens", "mag", "pmc", "s2", "wos", "zotero")
"""Fields that are names of a work beside its id."""
OWN = "recsys"
"""The program that this is."""
SPRINGER = "SpringerLink"
"""Its tables set names side by side, with nothing between them."""
_MOST_NAMED = 12
"""Columns that an error names."""
_IDENTIFYING = frozenset({"doi", "pmid", "arxiv"})


@dataclass(frozen=True, slots=True)
class Program:
    """A program's tables: the headers that give them away, and the headers of each field.

    signs: alternatives between " | ", each of headers between " + " that must all be there.
    columns: such as `title: Title; year: Publication Year | Date`. Of a field's headers, the first
    whose cell says something counts; the cells of keyphrases and fields are joined. Keywords Plus
    are no keyphrases, but a label: see `export_facts.parted_phrases`. quoted: whether quotation
    marks enclose cells where tabs separate them.
    """

    name: str
    signs: str
    columns: str
    quoted: bool = True


PROGRAMS = (
    Program(
        OWN,
        "id + title + authors + year + venue + doi + url",
        """id: id; title: title; authors: authors; year: year; venue: venue; doi: doi; url: url""",
    ),
    Program(
        "Web of Science",
        "PT + TI",
        """title: TI; authors: AF | AU | BF | BA | CA | GP; year: PY | EA | PD
        venue: SO | CT | SE | J9; abstract: AB; doi: DI | D2; pmid: PM; volume: VL
        page: BP | AR; keyphrases: DE; keywords_plus: ID; fields: WC | SC; type: DT | PT
        references: CR; wos: UT""",
        quoted=False,
    ),
    Program(
        "Web of Science",
        "UT (Unique WOS ID) | UT (Unique ID) | Article Title + Source Title | Keywords Plus",
        """title: Article Title | Title
        authors: Author Full Names | Authors | Book Authors | Group Authors
        year: Publication Year | Year Published | Early Access Date
        venue: Source Title | Conference Title | Book Series Title; abstract: Abstract
        doi: DOI | Book DOI | DOI Link; pmid: Pubmed Id; url: DOI Link; volume: Volume
        page: Start Page | Article Number; keyphrases: Author Keywords
        keywords_plus: Keywords Plus; fields: WoS Categories | Research Areas
        type: Document Type | Publication Type; references: Cited References
        wos: UT (Unique WOS ID) | UT (Unique ID)""",
    ),
    Program(
        "Scopus",
        "EID | Author(s) ID | Source title + Cited by | Index Keywords",
        """title: Title; authors: Author full names | Authors; year: Year
        venue: Source title | Conference name | Abbreviated Source Title; abstract: Abstract
        doi: DOI; pmid: PubMed ID; url: Link; volume: Volume
        page: Page start | Art. No. | Pages; keyphrases: Author Keywords | Index Keywords
        type: Document Type; references: References; eid: EID""",
    ),
    Program(
        "RefWorks",
        "Title Primary | Authors, Primary",
        """title: Title Primary; authors: Authors, Primary; year: Pub Year | Pub Date Free Form
        venue: Periodical Full | Title Secondary | Periodical Abbrev; abstract: Abstract
        doi: DOI; url: URL | Links; volume: Volume; page: Start Page; keyphrases: Keywords
        type: Reference Type""",
    ),
    Program(
        "Dimensions",
        "PubYear | Dimensions URL | Publication ID + Cited references",
        """title: Title; authors: Authors; year: PubYear | Publication Date
        venue: Source title | Source title/Anthology title | Anthology title | Book title
        venue: Proceedings title; abstract: Abstract; doi: DOI; pmid: PMID
        url: Source Linkout | Dimensions URL; volume: Volume; page: Pagination
        keyphrases: Keywords | MeSH terms
        fields: Fields of Research (ANZSRC 2020) | Fields of Study
        type: Publication Type | Document Type; references: Cited references
        dimensions: Publication ID; pmc: PMCID""",
    ),
    Program(
        "Lens",
        "Lens ID",
        """title: Title; authors: Author/s; year: Publication Year | Date Published
        venue: Source Title | Conference Name; abstract: Abstract; doi: DOI; pmid: PMID
        url: Source URLs | External URL; volume: Volume; page: Start Page; keyphrases: Keywords
        fields: Fields of Study; type: Publication Type; references: References; lens: Lens ID
        pmc: PMCID; mag: Microsoft Academic ID | MAG ID""",
    ),
    Program(
        "OpenAlex",
        "authorships.author.display_name | primary_location.source.display_name | "
        "cited_by_count + publication_year | Work ID + Title | referenced_works",
        """id: id | Work ID; title: title | display_name
        authors: authorships.author.display_name | author_names | Author | Authors
        year: publication_year | Year | publication_date
        venue: primary_location.source.display_name | host_venue | Source; abstract: abstract
        doi: doi | ids.doi; pmid: ids.pmid | pmid; url: primary_location.landing_page_url
        volume: biblio.volume; page: biblio.first_page; keyphrases: keywords.display_name
        fields: primary_topic.display_name | topics.field.display_name; type: type
        references: referenced_works; mag: ids.mag; pmc: ids.pmcid""",
    ),
    Program(
        "Embase",
        "Embase Accession ID | Medline PMID | Author Names + Source",
        """title: Title | Original Title; authors: Author Names
        year: Publication Year | Date of Publication; venue: Source title | Conference Name
        source: Source; abstract: Abstract | Original Abstract; doi: DOI; pmid: Medline PMID
        url: Full Text Link | Open URL Link | Embase Link; volume: Volume
        page: First Page | Pages
        keyphrases: Author Keywords | Emtree Medical Index Terms (Major Focus)
        type: Publication Type; embase: Embase Accession ID | PUI""",
    ),
    Program(
        "PubMed",
        "PMID + Journal/Book",
        """title: Title; authors: Authors; year: Publication Year | Create Date
        venue: Journal/Book; doi: DOI; pmid: PMID; citation: Citation; pmc: PMCID""",
    ),
    Program(
        "Zotero",
        "Key + Item Type",
        """key: Key; title: Title; authors: Author; year: Publication Year | Date
        venue: Publication Title | Conference Name | Series Title | Series
        abstract: Abstract Note; doi: DOI; arxiv: Extra; url: Url; volume: Volume; page: Pages
        keyphrases: Manual Tags | Automatic Tags; type: Item Type; zotero: Key""",
    ),
    Program(
        "IEEE Xplore",
        "Document Title + Publication Title | IEEE Terms",
        """title: Document Title; authors: Authors; year: Publication Year | Year
        venue: Publication Title; abstract: Abstract; doi: DOI; url: PDF Link; volume: Volume
        page: Start Page; keyphrases: Author Keywords | IEEE Terms; type: Document Identifier""",
    ),
    Program(
        "Publish or Perish",
        "Cites + Authors + Title",
        """title: Title; authors: Authors; year: Year; venue: Source; abstract: Abstract; doi: DOI
        url: ArticleURL | FullTextURL; volume: Volume; page: StartPage; type: Type""",
    ),
    Program(
        SPRINGER,
        "Item Title + Publication Title | Item Title + Item DOI",
        """title: Item Title; authors: Authors; year: Publication Year
        venue: Publication Title | Book Series Title; doi: Item DOI; url: URL
        volume: Journal Volume; type: Content Type""",
    ),
    Program(
        "Covidence",
        "Covidence # | Published Year + Published Month",
        """title: Title; authors: Authors; year: Published Year; venue: Journal
        abstract: Abstract; doi: DOI; volume: Volume; page: Pages""",
    ),
    Program(
        "ACM Digital Library",
        "booktitle + conf_loc",
        """title: title; authors: author; year: year | issue_date; venue: journal | booktitle
        doi: doi; volume: volume; page: pages | article_no; keyphrases: keywords; type: type""",
    ),
)
GENERIC = Program(
    "any",
    "",
    """id: id | paper id | corpus id; key: key | citation key | bibtex key
    title: title | article title | document title | paper title | primary title | work title
    title: item title | title primary
    title: título | titulo | titre | titel | titolo | tytuł
    title: название | 标题 | 题名 | タイトル | 제목
    authors: authors | author | author names | author full names | creator | creators
    authors: authors, primary
    authors: autores | autor | autoren | auteurs | autori | 作者
    year: year | publication year | pub year | year published | published | publication date
    year: published year | date published | date | año | ano | année | jahr | anno | 年 | 年份
    venue: venue | journal | journal title | journal name | source title | publication title
    venue: container title | publication | periodical | book title | conference
    venue: conference name | proceedings title | source | revista | revue | zeitschrift
    venue: rivista | 期刊
    abstract: abstract | abstract note | summary | description | resumen | 摘要
    doi: doi | digital object identifier | doi link | doi url | item doi
    pmid: pmid | pubmed id | pubmed; arxiv: arxiv | arxiv id | eprint
    url: url | link | web address | document url | plink | pdf link
    keyphrases: keyphrases | keywords | author keywords | subject terms | tags
    volume: volume | vol
    page: page | start page | page start | first page | pages | article number | art. no.
    type: type | document type | publication type | item type
    references: references | cited references | reference ids
    corpusid: s2 corpus id | semantic scholar corpus id; pmc: pmcid; eid: scopus id""",
)


@dataclass(frozen=True, slots=True)
class Header:
    """A header that is understood: the program, and for each field its columns in order."""

    program: str
    columns: Mapping[str, tuple[int, ...]]
    quoted: bool = True


def header_key(name: str) -> str:
    """Return what of a header's name is compared: letters and digits in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))


_KNOWN = tuple(
    (
        program,
        [frozenset(map(header_key, sign.split(" + "))) for sign in program.signs.split(" | ")],
        {
            field: tuple(map(header_key, names))
            for field, names in alternatives(program.columns).items()
        },
    )
    for program in (*PROGRAMS, GENERIC)
)


def understood(cells: Sequence[str]) -> Header:
    """Tell by its header which program wrote a table, and what its columns say."""
    places: dict[str, int] = {}
    for place, cell in enumerate(cells):
        places.setdefault(header_key(cell), place)
    fitting = (row for row in _KNOWN[:-1] if any(sign <= places.keys() for sign in row[1]))
    program, _, names = next(fitting, _KNOWN[-1])
    columns = {
        field: tuple(places[key] for key in keys if key in places) for field, keys in names.items()
    }
    return Header(program.name, {field: of for field, of in columns.items() if of}, program.quoted)


def heads_works(cells: Sequence[str]) -> bool:
    """Whether cells head a table of works: titles or identifiers, and something else."""
    if len(cells) < 2:
        return False
    fields = understood(cells).columns.keys()
    return len(fields) > 1 and ("title" in fields or not _IDENTIFYING.isdisjoint(fields))


def required_header(cells: Sequence[str], columns: Mapping[str, str]) -> Header:
    """Understand a header that has a column of titles, or but identifiers and known columns.

    columns: those that the reader of the table names: {field of COLUMN_FIELDS: header}.

    Raises:
        InputError: it has not, or has no such column.
    """
    header = understood(cells)
    shown = [f"{cell.strip()[:60]!r}" for cell in cells if cell.strip()]
    more = f" and {len(shown) - _MOST_NAMED} more" if len(shown) > _MOST_NAMED else ""
    names = ", ".join(shown[:_MOST_NAMED]) + more
    places = {header_key(cell): place for place, cell in reversed(list(enumerate(cells)))}
    exact = {cell.strip(): place for place, cell in reversed(list(enumerate(cells)))}
    for field, name in columns.items():
        place = exact.get(name.strip(), places.get(header_key(name)))
        if place is None:
            raise InputError(
                f"The table has no column {name!r}.{near_miss(name, exact)}",
                f"Its columns are: {names}.",
            )
        header = replace(header, columns={**header.columns, field: (place,)})
    known = {place for places in header.columns.values() for place in places}
    listing = all(place in known for place, cell in enumerate(cells) if cell.strip())
    if "title" in header.columns or (listing and not _IDENTIFYING.isdisjoint(header.columns)):
        return header
    raise InputError(
        f"No column of the table is known to hold titles; its columns are: {names}.",
        "Name the columns yourself, as in `--columns title=TI,year=PY`.",
    )


def check_fields(columns: Mapping[str, str]) -> None:
    """See that columns are named for fields that there are.

    Raises:
        InputError: they are not.
    """
    for field in columns:
        if field not in COLUMN_FIELDS:
            raise InputError(
                f"--columns cannot name {field!r}.{near_miss(field, COLUMN_FIELDS)}",
                f"It takes {', '.join(COLUMN_FIELDS)}.",
            )
