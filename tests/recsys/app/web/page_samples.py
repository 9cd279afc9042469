"""Every state of every page, with invented papers: what the tests read and the pictures show."""

from dataclasses import replace

from recsys.app.web.pages import page_writing
from recsys.app.web.pages.page_contents import (
    Form,
    Found,
    FoundHere,
    IndexChoice,
    Item,
    Listed,
    Operation,
    PaperShown,
    PlaceShown,
    Site,
    Where,
)
from recsys.app.web.problem_details import Problem
from recsys.formats.references.web_page import span
from recsys.records import Paper

SITE = Site((IndexChoice("starter", 469, "469 papers, 1952 to 2023"),), "starter", "0.9.0", True)
SEVERAL = Site(
    (
        IndexChoice("tides", 6951, "6,951 papers, 1986 to 2026"),
        IndexChoice("reefs", 27464, "27,464 papers, 1931 to 2025"),
    ),
    "tides",
    "0.9.0",
)
TITLES = (
    "Reading the tide: how shore birds time their meals",
    "A second look at salt marshes as stores of carbon",
    "Small boats, long records: what log books tell of drift ice",
    "Counting limpets twice: agreement between volunteers and surveyors",
    "Storm surges in shallow bays, from gauges and from memory",
    "Why lighthouse keepers wrote about the weather",
    "Mapping eelgrass from kites",
)
PEOPLE = ("Ada Quill", "Bo Larsen", "Chidi Okoro", "Dana Ferro", "Eun-ji Park")
REASONS = (
    "cited by 6 of your 20 nearest papers",
    "shares the terms shallow bays, drift ice, gauges",
    "cited together with 3 of your references",
)
DRAFT = Form(
    index="tides",
    title="Drift ice and storm surges in shallow bays since 1850",
    abstract="We join log books of small boats with gauges of the tide to date every storm surge "
    "in four shallow bays, and ask what drift ice has to do with them. Keepers of lighthouses "
    "wrote more on the weather than was thought, and their words agree with the gauges.",
    authors="Ada Quill\nBo Larsen",
    cites=tuple(
        Listed(f"tides:{i}", title, f"Quill et al. {2001 + i}, Shore Letters")
        for i, title in enumerate(TITLES)
    ),
    references="10.1234/none.such\nFerro (1998) A gazetteer of forgotten harbours",
)


def paper(number: int) -> Paper:
    """Invent a paper."""
    return Paper(
        id=f"tides:{number:04}",
        title=TITLES[number % len(TITLES)],
        year=1990 + number,
        authors=PEOPLE[: 1 + number % 5],
        venue=("Shore Letters", "Proceedings of the 14th Conference on Coasts")[number % 2],
        doi=f"10.1234/shore.{number}",
    )


def item(number: int) -> Item:
    """Recommend an invented paper at the rank of that number."""
    one = paper(number)
    probability = 0.93 / (1 + number * 0.2)
    return Item(
        rank=number,
        id=one.id,
        title=one.title,
        link=f"https://doi.org/{one.doi}",
        authors=one.authors,
        year=one.year,
        venue=one.venue,
        probability=probability,
        percent=f"{probability * 100:.0f} %",
        reasons=(*REASONS[: 1 + number % 3], *(["in your library"] if number % 7 == 2 else [])),
        in_library=number % 7 == 2,
        key=f"Quill{one.year}Reading",
        coins=span(one),
        address=f"/paper?index=tides&id=tides%3A{number:04}",
        doi=one.doi,
    )


ITEMS = tuple(map(item, range(1, 21)))
FOUND = Found(
    form=DRAFT,
    understood="Understood: title, abstract (57 words), 2 authors (1 in the corpus), 9 references: "
    "7 matched, 2 not in the corpus.",
    notes=("The bibliography named in the draft was not given: refs.bib.",),
    missing=("10.1234/none.such", "Ferro (1998) A gazetteer of forgotten harbours"),
    items=ITEMS,
    removed="The filters left out 41 papers: 38 older than 1990, 3 that you have.",
    next="b3BhcXVl",
    share="/answer?index=tides&title=Drift+ice",
)
ODD = (
    replace(
        ITEMS[0],
        title="שעון הגאות: כיצד עופות חוף מתזמנים את ארוחותיהם (Tide Clock)",
        authors=("נועה ים", "Ada Quill"),
        venue="كتاب الشواطئ والمدّ",
    ),
    replace(ITEMS[1], authors=tuple(f"Observer Number-{i}" for i in range(1, 301))),
    replace(
        ITEMS[2],
        title="Untersuchungenzurgezeitenabhängigkeit" * 5,
        authors=("Wolfeschlegelsteinhausenbergerdorff" * 4, "B. Larsen"),
        venue="Transactions of the International Society for the Study of Everything That Happens "
        "Between the Highest and the Lowest Line of the Tide and Somewhat Beyond It" * 2,
        key="Wolfeschlegelsteinhausenbergerdorff" * 3,
        reasons=("shares the term " + "gezeitenabhängigkeit" * 8,),
    ),
    replace(ITEMS[3], authors=(), year=None, venue=None, link=None, reasons=()),
    replace(ITEMS[4], title=" ", probability=0.004, percent="<1 %"),
    replace(ITEMS[5], title='A <b>bold</b> claim & "others" <script>alert(1)</script>'),
)
LONG_SENTENCE = (
    "Surges that came with drift ice were told of more often than those that came without, "
    "whichever bay the keepers of the lighthouses looked out on, and in whichever year they did"
)
WHERE = replace(
    FOUND,
    form=replace(DRAFT, text="cGFja2Vk"),
    items=(
        replace(ITEMS[0], where=Where("bays.tex:120", "Keepers wrote down the weather.")),
        replace(ITEMS[1], where=Where("chapters/ice.tex:7", f"{LONG_SENTENCE}.")),
        ITEMS[2],
        replace(ODD[0], rank=4, where=Where("bays.docx, paragraph 3", "עופות חוף ליד המים.")),
    ),
)
HERE = FoundHere(
    form=Form("tides", title=DRAFT.title, passage="Keepers wrote down the weather |, it is said."),
    draft="",
    understood="Understood: title, no abstract.",
    counted="",
    notes=("A note on the passage.",),
    missing=FOUND.missing,
    places=(
        PlaceShown(
            "passage:1:31",
            "Keepers wrote down the weather ",
            ", it is said.",
            "citation missing",
            "",
            ITEMS[:10],
        ),
    ),
    share="/cite?index=tides&passage=x",
)
PLACES = FoundHere(
    form=replace(DRAFT, text="cGFja2Vk"),
    draft="bays.tex",
    understood=FOUND.understood,
    counted="Looked at: 120 sentences, 80 with a citation, 2 marked places, 1 without a mark.",
    notes=FOUND.notes,
    missing=FOUND.missing,
    places=(
        PlaceShown(
            "bays.tex:12:34",
            "Log books tell of ice ",
            ".",
            "citation missing",
            "Drift ice in letters",
            ITEMS[:3],
        ),
        PlaceShown(
            "chapters/ice.tex:7:1",
            f"{LONG_SENTENCE} ",
            " and after.",
            "may need a citation, 81 %",
            "",
            tuple(replace(each, rank=rank) for rank, each in enumerate(ODD[:3], start=1)),
        ),
        PlaceShown("bays.tex:90:2", "עופות חוף ", " ליד המים.", "citation missing", "", ()),
    ),
)
SHOWN = PaperShown(
    id="tides:0003",
    title=TITLES[3],
    link="https://doi.org/10.1234/shore.3",
    authors=PEOPLE,
    year=1993,
    venue="Shore Letters",
    abstract="Volunteers and surveyors counted the same limpets on the same rocks. They agreed "
    "within five in a hundred where the rocks were dry, and hardly at all where they were not. "
    "We say which counts can be joined, and how.",
    doi="10.1234/shore.3",
    url="https://shore.example/3",
    cites=DRAFT.cites[:4],
    cited_by=tuple(replace(each, address="/paper?index=tides&id=x") for each in DRAFT.cites[2:]),
    cites_more=0,
    cited_by_more=1204,
    similar=tuple(replace(each, address="/paper?index=tides&id=x") for each in DRAFT.cites[:5]),
    bibtex="@article{Quill1993Counting,\n  title = {Counting limpets twice: agreement between "
    "volunteers and surveyors},\n  author = {Quill, Ada and Larsen, Bo},\n  year = {1993},\n}\n",
    coins=span(paper(3)),
    keyphrases=("limpets", "volunteers", "agreement of counts"),
)
OPERATIONS = (
    Operation(
        "POST",
        "/v1/recommendations",
        "What should this draft cite?",
        "The draft is JSON, or files as multipart/form-data.\n\nThe answer has the records of "
        "`recsys recommend --format json`.",
        "curl -s http://127.0.0.1:8000/v1/recommendations \\\n  -H 'content-type: application/json'"
        ' \\\n  -d \'{"title": "Drift ice and storm surges", "k": 5}\'',
        (
            ("index", "query", False, "The index to ask; the first one where none is named."),
            ("title", "body", True, "Title of the draft."),
        ),
    ),
    Operation(
        "GET",
        "/v1/papers/{id}",
        "One paper of the corpus.",
        "",
        "curl -s http://127.0.0.1:8000/v1/papers/tides:0003",
        (("id", "path", True, "Its id in the corpus."),),
    ),
)
PROBLEM = Problem(
    422,
    "harbour.pdf holds no text: it may be scanned pictures.",
    "Paste its title and abstract instead.",
)
_SVG = (
    '<svg viewBox="0 0 600 240" role="group" aria-label="Map"><g><a href="/paper?index=tides&amp;'
    'id=x"><title>A paper</title><circle cx="80" cy="90" r="12" fill="#4a8"/></a></g></svg>'
)
_TABLE = (
    "<table><thead><tr><th>Paper</th><th>Year</th><th>Group</th></tr></thead><tbody><tr><td>"
    '<a href="/paper?index=tides&amp;id=x">A paper</a></td><td>1993</td><td>tides</td></tr>'
    "</tbody></table>"
)


def all_pages() -> dict[str, str]:
    """Render every state, by a name that tells it."""
    many = tuple(
        Listed(f"many:{i}", f"{TITLES[i % 7]}, part {i}", f"Larsen {1900 + i}") for i in range(120)
    )
    liked = replace(
        DRAFT,
        more=DRAFT.cites[:2],
        less=DRAFT.cites[2:3],
        library=("tides:0001", 'odd" id, with\nall'),
        min_year="1990",
        venues="Shore*",
        exclude_own=True,
        mmr="0.3",
    )
    empty = Form("starter")
    return {
        "ask": page_writing.ask(SITE, empty),
        "ask-several": page_writing.ask(SEVERAL, Form("reefs")),
        "ask-error": page_writing.ask(SEVERAL, replace(liked, more_like="10.1/x"), PROBLEM),
        "answer": page_writing.answer(SEVERAL, FOUND),
        "answer-second-page": page_writing.answer(
            SEVERAL,
            replace(
                FOUND,
                form=liked,
                items=(item(21),),
                first_rank=21,
                next="",
                previous="cA",
                notes=(),
            ),
        ),
        "answer-odd": page_writing.answer(SEVERAL, replace(FOUND, items=ODD)),
        "answer-many": page_writing.answer(
            SEVERAL,
            replace(
                FOUND,
                form=replace(DRAFT, cites=many, references="\n".join(TITLES * 6)),
                missing=TITLES,
                items=ITEMS[:3],
            ),
        ),
        "answer-nothing": page_writing.answer(
            SITE,
            replace(FOUND, form=replace(liked, index="starter"), items=(), next="", missing=()),
        ),
        "ask-passage-error": page_writing.ask(SEVERAL, HERE.form, PROBLEM),
        "answer-where": page_writing.answer(SEVERAL, WHERE),
        "here": page_writing.here(SEVERAL, HERE),
        "here-odd": page_writing.here(
            SITE, replace(HERE, form=Form("starter"), places=(PLACES.places[1],), share="")
        ),
        "here-nothing": page_writing.here(
            SEVERAL,
            replace(HERE, form=replace(HERE.form, as_of="1001"), places=(PLACES.places[2],)),
        ),
        "here-draft": page_writing.here(SEVERAL, PLACES),
        "here-draft-none": page_writing.here(
            SEVERAL,
            replace(
                PLACES,
                places=(),
                counted="No place that lacks a citation was found in bays.tex. Looked at: 9 "
                "sentences, 9 with a citation, 0 marked places, 0 without a mark.",
            ),
        ),
        "paper": page_writing.paper(SEVERAL, SHOWN),
        "paper-bare": page_writing.paper(
            SITE,
            replace(
                SHOWN,
                title="",
                link=None,
                authors=(),
                year=None,
                venue=None,
                abstract=None,
                doi=None,
                url=None,
                cites=(),
                cited_by=(),
                cited_by_more=0,
                similar=(),
                keyphrases=(),
            ),
        ),
        "search": page_writing.search(SEVERAL, "drift ice", SHOWN.cited_by, "bmV4dA"),
        "search-nothing": page_writing.search(SITE, "עופות חוף", ()),
        "search-empty": page_writing.search(SITE, "", ()),
        "map": page_writing.map(
            SEVERAL, liked, _SVG, _TABLE, ("Log books of ships: 14 near papers, you cite 0",)
        ),
        "failure": page_writing.failure(SITE, PROBLEM),
        "api": page_writing.api(SITE, OPERATIONS),
    }
