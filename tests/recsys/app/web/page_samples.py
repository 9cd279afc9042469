"""Every state of every page, with invented papers: what the tests read and the pictures show."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

from recsys.app.web.api_description import OPERATIONS
from recsys.app.web.choices import Choices
from recsys.app.web.form_fields import FormFields
from recsys.app.web.page_writing import AnswerAddress, Form, Item, Site, render
from recsys.app.web.pick_routes import Pick
from recsys.app.web.replies import Problem
from recsys.app.web.watch_routes import MOST_SHOWN
from recsys.mapping import map_view
from recsys.query.resolve_draft import IN_LIBRARY
from recsys.records import Paper, Reason, Recommendation
from recsys.watching.feeds import draft_name, headline
from recsys.watching.state import Watch, entry_of
from tests.recsys.mapping.drawn_worlds import hand_made

Values: TypeAlias = dict[str, Any]
"""What a template takes."""
SITE = Site({"starter": "469 papers, 1952 to 2023"}, "starter", "0.9.0", True)
SEVERAL = Site(
    {"tides": "6,951 papers, 1986 to 2026", "reefs": "27,464 papers, 1931 to 2025"},
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
    "6 of the 20 most similar papers cite it",
    "shares the terms shallow bays, drift ice, gauges",
    "cited together with 3 of your references",
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
    one, chance = paper(number), 0.93 / (1 + number * 0.2)
    reasons = [Reason("x", text) for text in REASONS[: 1 + number % 3]]
    reasons += [IN_LIBRARY] if number % 7 == 2 else []
    found = Recommendation(number, one, chance, chance, (), tuple(reasons))
    excerpt = "We read the tides of four bays, and say what they were like." if number % 3 else ""
    return Item(found, f"Quill{one.year}Reading", excerpt, number % 5)


def changed(one: Item, key: str = "", chance: float | None = None, **facts: Any) -> Item:  # noqa: ANN401
    """Recommend the same paper with other facts."""
    found = one.recommendation
    found = replace(found, paper=replace(found.paper, **facts))
    found = found if chance is None else replace(found, probability=chance)
    return replace(one, recommendation=found, key=key or one.key)


def ranked(one: Item, rank: int) -> Item:
    """Recommend the same paper at another rank."""
    return replace(one, recommendation=replace(one.recommendation, rank=rank))


def form(index: str, **fields: str) -> Form:
    """Fill a form with fields alone."""
    return filled(Form(FormFields(index=index)), **fields)


def filled(of: Form, **fields: str) -> Form:
    """Fill some fields of a form otherwise, options of the question among them."""
    own: dict[str, Any] = {name: text for name, text in fields.items() if hasattr(of.fields, name)}
    chosen = {name: text for name, text in fields.items() if name not in own}
    return replace(of, fields=replace(of.fields, options={**of.fields.options, **chosen}, **own))


CITES = tuple(
    Paper(f"tides:{i}", title, year=2001 + i, authors=PEOPLE[:2], venue="Shore Letters")
    for i, title in enumerate(TITLES)
)
DRAFT = replace(
    form(
        "tides",
        title="Drift ice and storm surges in shallow bays since 1850",
        abstract="We join log books of small boats with gauges of the tide to date every storm "
        "surge in four shallow bays, and ask what drift ice has to do with them. Keepers of "
        "lighthouses wrote more on the weather than was thought, and their words agree with the "
        "gauges.",
        authors="Ada Quill\nBo Larsen",
        references="10.1234/none.such\nFerro (1998) A gazetteer of forgotten harbours",
    ),
    cites=CITES,
)
ITEMS = tuple(map(item, range(1, 21)))
AT = AnswerAddress("a-key-of-many-letters")
CHOICES = Choices(
    venues=tuple((f"shore letters {n}", f"Shore Letters, part {n}", 90 - n) for n in range(60)),
    types=(("article", 301), ("short-report", 12)),
    papers=500,
)
VIEW: Values = {"at": AT, "pins": (), "keys": None, "marked": False}
"""What all views of an answer show."""
PINNED: Values = {
    "at": replace(AT, pinned=(paper(1).id, paper(3).id)),
    "pins": (paper(1), paper(3)),
}
FOUND: Values = {
    "form": DRAFT,
    "understood": "Understood: title, abstract (57 words), 2 authors (1 in the corpus), 9 "
    "references: 7 matched, 2 not in the corpus.",
    "notes": ("The bibliography named in the draft was not given: refs.bib.",),
    "missing": ("10.1234/none.such", "Ferro (1998) A gazetteer of forgotten harbours"),
    "items": ITEMS,
    "choices": CHOICES,
    "years": (1986, 2026),
    "papers": 459,
    "first_rank": 1,
    "number": 1,
    "next": True,
    "share": "/answer?index=tides&title=Drift+ice",
    **VIEW,
}
"""What the page of an answer shows; the others that follow likewise."""
ODD = (
    changed(
        ITEMS[0],
        title="שעון הגאות: כיצד עופות חוף מתזמנים את ארוחותיהם (Tide Clock)",
        authors=("נועה ים", "Ada Quill"),
        venue="كتاب الشواطئ والمدّ",
    ),
    changed(ITEMS[1], authors=tuple(f"Observer Number-{i}" for i in range(1, 301))),
    changed(
        ITEMS[2],
        title="Untersuchungenzurgezeitenabhängigkeit" * 5,
        authors=("Wolfeschlegelsteinhausenbergerdorff" * 4, "B. Larsen"),
        venue="Transactions of the International Society for the Study of Everything That Happens "
        "Between the Highest and the Lowest Line of the Tide and Somewhat Beyond It" * 2,
        key="Wolfeschlegelsteinhausenbergerdorff" * 3,
    ),
    changed(ITEMS[3], authors=(), year=None, venue=None, doi=None),
    changed(ITEMS[4], title=" ", chance=0.004),
    changed(ITEMS[5], title='A <b>bold</b> claim & "others" <script>alert(1)</script>'),
)
LONG_SENTENCE = (
    "Surges that came with drift ice were told of more often than those that came without, "
    "whichever bay the keepers of the lighthouses looked out on, and in whichever year they did"
)
WHERE: Values = FOUND | {
    "form": filled(DRAFT, text="cGFja2Vk"),
    "marked": True,
    "items": (
        replace(ITEMS[0], where=("bays.tex:120", "Keepers wrote down the weather.")),
        replace(ITEMS[1], where=("chapters/ice.tex:7", f"{LONG_SENTENCE}.")),
        ITEMS[2],
        replace(
            ranked(changed(ODD[0], id="odd"), 4),
            where=("bays.docx, paragraph 3", "עופות חוף ליד המים."),
        ),
    ),
}
HERE: Values = {
    "form": form(
        "tides",
        title=DRAFT.fields.title,
        passage="Keepers wrote down the weather |, it is said.",
    ),
    "draft": "",
    "understood": "Understood: title, no abstract.",
    "counted": "",
    "notes": ("A note on the passage.",),
    "missing": FOUND["missing"],
    "places": (
        {
            "name": "passage:1:31",
            "before": "Keepers wrote down the weather ",
            "after": ", it is said.",
            "kind": "citation missing",
            "section": "",
            "papers": ITEMS[:10],
            "confident": True,
        },
    ),
    "share": "/cite?index=tides&passage=x",
    **VIEW,
}
PLACES: Values = HERE | {
    "form": WHERE["form"],
    "marked": True,
    "at": replace(AT, view="/sentences"),
    "draft": "bays.tex",
    "understood": FOUND["understood"],
    "counted": "Looked at: 120 sentences, 80 with a citation, 2 marked places, 1 without a mark.",
    "notes": FOUND["notes"],
    "places": (
        {
            "name": "bays.tex:12:34",
            "before": "Log books tell of ice ",
            "after": ".",
            "kind": "citation missing",
            "section": "Drift ice in letters",
            "papers": ITEMS[:3],
            "confident": True,
        },
        {
            "name": "chapters/ice.tex:7:1",
            "before": f"{LONG_SENTENCE} ",
            "after": " and after.",
            "kind": "may need a citation, 81 %",
            "section": "",
            "papers": [
                replace(ranked(each, rank), savable=False)
                for rank, each in enumerate(ODD[:3], start=1)
            ],
            "confident": False,
        },
        {
            "name": "bays.tex:90:2",
            "before": "עופות חוף ",
            "after": " ליד המים.",
            "kind": "citation missing",
            "section": "",
            "papers": (),
            "confident": False,
        },
    ),
    "share": "",
}
SHOWN: Values = {
    "paper": replace(
        paper(3),
        authors=PEOPLE,
        venue="Shore Letters",
        abstract="Volunteers and surveyors counted the same limpets on the same rocks. They agreed "
        "within five in a hundred where the rocks were dry, and hardly at all where they were not. "
        "We say which counts can be joined, and how.",
        url="https://shore.example/3",
        keyphrases=("limpets", "volunteers", "agreement of counts"),
    ),
    "key": "Quill1993Counting",
    "similar": CITES[:5],
    "cites": CITES[:4],
    "cited_by": CITES[2:],
    "cites_more": 0,
    "cited_by_more": 1204,
}
BARE: Values = {
    "paper": Paper("tides:0003", ""),
    "key": "Anonymous",
    "similar": (),
    "cites": (),
    "cited_by": (),
    "cites_more": 0,
    "cited_by_more": 0,
}
PROBLEM = Problem(
    422,
    "harbour.pdf holds no text: it may be scanned pictures.",
    "Paste its title and abstract instead.",
)
MAP: Values = {
    "map": map_view(
        hand_made(TITLES), paper_address=lambda paper: f"/paper?index=tides&id={paper.id}"
    ),
    **VIEW,
    **PINNED,
}
API: Values = {"operations": OPERATIONS, "base": "http://127.0.0.1:8000", "paper": "x"}


def watched() -> Values:
    """Show drafts that are watched: one was told of much, one of nothing yet."""
    watch = Watch("tides", "0" * 32, "1" * 32, "/drafts/tides.tex", every="week")
    when = datetime(2026, 11, 28, 7, 30, tzinfo=UTC)
    papers = [each.recommendation.paper for each in ITEMS]
    entries = [entry_of(watch, "new", paper, when, probability=0.31) for paper in papers]
    retracted = entry_of(watch, "retracted", CITES[0], when, text="It was retracted.")
    told = replace(watch, ran=when, entries=(retracted, *entries))
    other = replace(watch, name="نص", draft="/drafts/نص.docx", every=None)
    watches = [(each, draft_name(each)) for each in (told, other)]
    return {"watches": watches, "headline": headline, "most": MOST_SHOWN}


PICK: Values = {
    "key": "a-key-of-many-letters",
    "pick": Pick("pandoc", passage="Shore birds wait for the tide |.", words="<tides>"),
    "problem": None,
    "chosen": [paper(3)],
    "offered": [each.recommendation for each in (*ITEMS[:4], *ODD)],
    "found": [paper(8), paper(9)],
    "text": "@Quill1993Storm",
    "entries": "@article{Quill1993Storm,\n  title = {A <b>storm</b>},\n}\n",
}


def all_states() -> dict[str, tuple[str, Site, Values]]:
    """List every state by a name that tells it: its template, the site, and what it shows."""
    liked = replace(
        filled(DRAFT, min_year="1990", venues="Shore*", exclude_own="1", mmr="0.3"),
        more=CITES[:2],
        less=CITES[2:3],
        library=("tides:0001", 'odd" id, with\nall'),
    )
    many = replace(
        filled(DRAFT, references="\n".join(TITLES * 6)),
        cites=[Paper(f"many:{i}", f"{TITLES[i % 7]}, part {i}", year=1900 + i) for i in range(120)],
    )
    nothing = filled(liked, index="starter")
    choice = FormFields(
        more=tuple(each.id for each in liked.more),
        less=tuple(each.id for each in liked.less),
        options=liked.fields.options,
    )
    wanted = replace(ranked(changed(ITEMS[4], id=CITES[0].id), 0))
    search: Values = {"query": "drift ice", "papers": SHOWN["cited_by"], "next": "bmV4dA"}
    return {
        "ask": ("ask", SITE, {"form": form("starter"), "problem": None, "tab": "/"}),
        "ask-several": ("ask", SEVERAL, {"form": form("reefs"), "problem": None, "tab": "/"}),
        "ask-sentence": ("ask", SITE, {"form": form("reefs"), "problem": None, "tab": "/sentence"}),
        "ask-map": ("ask", SITE, {"form": form("reefs"), "problem": None, "tab": "/map"}),
        "ask-error": (
            "ask",
            SEVERAL,
            {"form": filled(liked, more_like="10.1/x"), "problem": PROBLEM, "tab": "/"},
        ),
        "ask-passage-error": (
            "ask",
            SEVERAL,
            {"form": HERE["form"], "problem": PROBLEM, "tab": "/sentence"},
        ),
        "answer": ("answer", SEVERAL, FOUND),
        "answer-second-page": (
            "answer",
            SEVERAL,
            FOUND
            | {"form": liked, "items": [item(21)], "first_rank": 21, "number": 2, "next": False}
            | {"notes": (), "at": replace(AT, choice=replace(choice, page="2"))},
        ),
        "answer-liked": (
            "answer",
            SITE,
            FOUND
            | {"form": liked, "items": (wanted, *ITEMS[:3])}
            | PINNED
            | {"at": replace(PINNED["at"], choice=choice)},
        ),
        "answer-odd": ("answer", SEVERAL, FOUND | {"items": ODD}),
        "answer-many": (
            "answer",
            SEVERAL,
            FOUND | {"form": many, "missing": TITLES, "items": ITEMS[:3]},
        ),
        "answer-nothing": (
            "answer",
            SITE,
            FOUND
            | {"form": nothing, "items": (), "missing": (), "advice": "Loosen --min-year 2998."}
            | {"at": replace(AT, choice=choice)},
        ),
        "watch": ("watch", SEVERAL, watched()),
        "watch-nothing": ("watch", SITE, watched() | {"watches": []}),
        "answer-where": ("answer", SEVERAL, WHERE),
        "here": ("here", SEVERAL, HERE),
        "here-odd": (
            "here",
            SITE,
            HERE | {"form": form("starter"), "places": PLACES["places"][1:2], "share": ""},
        ),
        "here-nothing": (
            "here",
            SEVERAL,
            HERE | {"form": filled(HERE["form"], as_of="1001"), "places": PLACES["places"][2:]},
        ),
        "here-draft": ("here", SEVERAL, PLACES),
        "here-draft-none": (
            "here",
            SEVERAL,
            PLACES
            | {"places": (), "marked": False}
            | {
                "counted": "No missing citation was found in bays.tex. Looked at: 9 "
                "sentences, 9 with a citation, 0 marked places, 0 without a mark."
            },
        ),
        "paper": ("paper", SEVERAL, SHOWN),
        "paper-bare": ("paper", SITE, BARE),
        "search": ("search", SEVERAL, search),
        "search-nothing": ("search", SITE, {"query": "עופות חוף", "papers": (), "next": ""}),
        "search-empty": ("search", SITE, {"query": "", "papers": (), "next": ""}),
        "map": ("map", SEVERAL, MAP | {"form": liked}),
        "pick": ("pick", SITE, PICK),
        "pick-first": (
            "pick",
            SEVERAL,
            PICK | {"pick": Pick("latex"), "problem": PROBLEM, "chosen": (), "offered": ()},
        ),
        "pick-nothing": ("pick", SITE, PICK | {"chosen": (), "offered": (), "found": ()}),
        "pick-cited": ("pick", SITE, PICK | {"pick": Pick("latex", done="cited")}),
        "pick-late": ("pick", SITE, PICK | {"pick": Pick("latex", done="late")}),
        "failure": ("failure", SITE, {"problem": PROBLEM}),
        "help": ("help", SITE, {"hours": "12"}),
        "api": ("api", SITE, API),
    }


def all_pages() -> dict[str, str]:
    """Render every state."""
    return {name: render(page, site, **shown) for name, (page, site, shown) in all_states().items()}
