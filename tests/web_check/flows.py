"""What a person does with the page, from the draft to the downloaded file."""

import csv
import io
import json
import re
import textwrap
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlencode

from tests.recsys.formats.drafts.small_docx import packed
from tests.recsys.formats.drafts.small_pdf import Text, down, write_pdf
from tests.web_check.browser import Visit

# The same draft in every format that the page takes.


@dataclass(frozen=True, slots=True)
class Given:
    """Files that are given together. title: whether the page must find the draft's title."""

    name: str
    files: Sequence[tuple[str, bytes]]
    title: bool = True


def given_drafts(paper: dict[str, Any], cited: Sequence[dict[str, Any]]) -> list[Given]:
    """Write a paper of the corpus as drafts that cite others."""
    title, abstract = paper["title"], paper["abstract"]
    bib = bibliography(cited).encode()
    tex = _latex(title, abstract, [f"p{n}" for n in range(len(cited))]).encode()
    body = {"title": title, "abstract": abstract, "references": [each["id"] for each in cited]}
    ris = "".join(f"TY  - JOUR\nTI  - {each['title']}\nER  - \n\n" for each in cited)
    return [
        Given("tex-bib", [("draft.tex", tex), ("refs.bib", bib)]),
        Given("zip", [("draft.zip", packed({"main.tex": tex, "refs.bib": bib}))]),
        Given("md", [("draft.md", f"# {title}\n\n## Abstract\n\n{abstract}\n".encode())]),
        Given("docx", [("draft.docx", _word(title, abstract))]),
        Given("pdf", [("draft.pdf", _pdf(title, abstract))]),
        Given("bib", [("library.bib", bib)], title=False),
        Given("ris", [("library.ris", ris.encode())], title=False),
        Given("json", [("draft.json", json.dumps(body).encode())]),
    ]


def unfinished(
    paper: dict[str, Any], cited: Sequence[dict[str, Any]]
) -> Sequence[tuple[str, bytes]]:
    """Write a draft in LaTeX that lacks a citation at a sentence on each of some papers."""
    said = "\n".join(f"{_escaped(each['title'])} was said before \\cite{{?}}." for each in cited)
    tex = _latex(paper["title"], paper["abstract"], ["p0"]).replace("As has been", f"{said}\n\nAs")
    return [("draft.tex", tex.encode()), ("refs.bib", bibliography(cited[:1]).encode())]


def bibliography(papers: Sequence[dict[str, Any]]) -> str:
    """Write papers as BibTeX, by title and, where it is known, year."""
    return "\n".join(_entry(number, paper) for number, paper in enumerate(papers))


def _entry(number: int, paper: dict[str, Any]) -> str:
    year = f"  year = {{{paper['year']}}},\n" if paper["year"] else ""
    return f"@article{{p{number},\n  title = {{{{{_escaped(paper['title'])}}}}},\n{year}}}"


def _latex(title: str, abstract: str, keys: Sequence[str]) -> str:
    return (
        "\\documentclass{article}\n\\title{"
        + _escaped(title)
        + "}\n\\begin{document}\n\\maketitle\n"
        "\\begin{abstract}\n" + _escaped(abstract) + "\n\\end{abstract}\n"
        "As has been said \\cite{" + ",".join(keys) + "}.\n\\bibliography{refs}\n\\end{document}\n"
    )


def _escaped(text: str) -> str:
    for sign in "&%$#_":
        text = text.replace(sign, "\\" + sign)
    return text


def _word(title: str, abstract: str) -> bytes:
    import docx

    document, out = docx.Document(), io.BytesIO()
    document.add_heading(title, 0)
    document.add_heading("Abstract", 1)
    document.add_paragraph(abstract)
    document.add_heading("1 Introduction", 1)
    document.add_paragraph("We begin.")
    document.save(out)
    return out.getvalue()


def _pdf(title: str, abstract: str) -> bytes:
    """Typeset a page: the title large, then the abstract in lines, in the signs of Times."""
    said = (text.encode("cp1252", "replace").decode("cp1252") for text in (title, abstract))
    heading, lines = next(said), textwrap.wrap(next(said), 80)
    page = [Text(heading, y=720, size=18), Text("Abstract", y=680, size=12), *down(lines, y=664)]
    return write_pdf([[*page, *down(["1 Introduction", "We begin."], y=650 - 12 * len(lines))]])


# Read what the page gives to download with libraries that know nothing of recsys.

READERS: "Mapping[str, Callable[[str], list[str]]]"


def plain(title: str) -> str:
    """Return the letters and digits of a title: marks of LaTeX and accents are left out."""
    apart = unicodedata.normalize("NFKD", title).casefold()
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\\[a-z]+\b|[{}\\]", "", apart))


def _bibtex(text: str) -> list[str]:
    from bibtexparser.entrypoint import parse_string

    library = parse_string(text)
    if library.failed_blocks:
        raise ValueError(f"{len(library.failed_blocks)} blocks of BibTeX cannot be read")
    return [str(entry.fields_dict["title"].value) for entry in library.entries]


def _ris(text: str) -> list[str]:
    import rispy

    found = rispy.loads(text)
    return [str(each.get("title") or each.get("primary_title")) for each in found]


def _csl(text: str) -> list[str]:
    return [str(each["title"]) for each in json.loads(text)]


def _csv(text: str) -> list[str]:
    rows = list(csv.DictReader(io.StringIO(text)))
    names = [name for name in (rows[0] if rows else {}) if name.casefold() == "title"]
    return [str(row[names[0]]) for row in rows]


READERS = {"bibtex": _bibtex, "ris": _ris, "csl-json": _csl, "csv": _csv}
"""The titles that a file holds, by format."""


ITEM = ".items > li"
CHOSEN = 3
"""Papers that are selected for a download."""

Paper = dict[str, Any]
Step: TypeAlias = Callable[[], object]
"""What a person does, such as a click."""


def ask(visit: Visit, paper: Paper) -> None:
    """Paste a title and an abstract, and read the answer."""
    visit.go("/")
    visit.step("ask")
    visit.page.fill("#pasted", f"{paper['title']}\n\n{paper['abstract']}")
    visit.press("text=Find what to cite", shows=ITEM)
    count = visit.page.locator(ITEM).count()
    visit.expect(count == 20, f"an answer has {count} papers")
    same = plain(visit.texts("h1")[0]) == plain(paper["title"])
    visit.expect(same, "the title that was understood is another")
    visit.step("answer")


def correct(visit: Visit, paper: Paper) -> None:
    """Correct the title in place, and ask again."""
    visit.page.click("text=Edit the draft")
    visit.page.fill("#title", paper["title"])
    visit.press("text=Ask again", shows=ITEM)
    same = plain(visit.texts("h1")[0]) == plain(paper["title"])
    visit.expect(same, "a corrected title is lost")
    visit.step("corrected")


def like(visit: Visit) -> None:
    """Ask for more like the first paper, then for nothing like the second; take both back."""
    first = visit.texts(f"{ITEM} h3")
    visit.page.locator(f"{ITEM} .like").first.click()
    visit.page.wait_for_selector(".chips")
    visit.expect(visit.texts(f"{ITEM} h3")[0] == first[0], "a liked paper leaves the list")
    visit.expect(visit.texts(".like[aria-current]"), "it is not seen that a paper is liked")
    visit.step("more")
    second = visit.texts(f"{ITEM} h3")[1]
    visit.page.locator(f"{ITEM} >> nth=1").get_by_text("Not this", exact=True).click()
    visit.page.wait_for_selector(".chips a >> nth=1")
    visit.expect(second not in visit.texts(f"{ITEM} h3"), "a disliked paper stays in the list")
    _check_download(visit, "csv", visit.texts(f"{ITEM} h3"), "liked")
    visit.step("less")
    for _ in range(2):
        visit.page.locator(".chips a").first.click()
        visit.page.wait_for_load_state("load")
    visit.expect(visit.texts(f"{ITEM} h3") == first, "choices that are taken back leave a trace")


def sift(visit: Visit) -> None:
    """Choose years and a venue, and show all papers again."""
    first = visit.texts(f"{ITEM} h3")
    filters = visit.page.locator(".filters")
    if filters.get_attribute("open") is None:
        visit.page.click("#filters")
    visit.page.fill("#min_year", "1900")
    visit.page.locator("input[name=venues]").first.check()
    visit.press("text=Apply")
    visit.expect("pass the filters" in visit.texts("#results")[0], "filters are not said to count")
    visit.expect(visit.page.locator("input[name=venues]").first.is_checked(), "a box is lost")
    visit.step("filtered")
    visit.press("text=Clear")
    visit.expect(visit.texts(f"{ITEM} h3") == first, "cleared filters leave a trace")


def turn(visit: Visit) -> None:
    """Go to the next page and back."""
    first = visit.texts(f"{ITEM} h3")
    visit.press("text=Next 20")
    visit.page.wait_for_selector("text=Papers 21 to 40")
    second = visit.texts(f"{ITEM} h3")
    visit.expect(not set(first) & set(second), "a paper is on two pages")
    visit.step("next")
    visit.press("text=Previous 20")
    visit.page.wait_for_selector("text=Next 20")
    visit.expect(visit.texts(f"{ITEM} h3") == first, "the first page has changed")


def _states(visit: Visit, paper: Paper, cited: Sequence[Paper]) -> Mapping[str, Sequence[Step]]:
    """Name every state of the pages, and say how it is reached from the one before."""
    draft, send = unfinished(paper, cited), partial(_send, visit)

    def chosen(query: str) -> None:
        visit.go(f"{visit.page.url.removeprefix(visit.base).partition('?')[0]}?{query}")

    def press(selector: str) -> Step:
        return partial(visit.page.click, selector)

    return {
        "ask": [partial(visit.go, "/")],
        "wrong": [partial(visit.give, "#file", [("x.png", b"\x89PNG\0")]), send],
        "answer": [partial(visit.give, "#file", draft), send],
        "more": [press(f"{ITEM} .like >> nth=0")],
        "less": [press(f"{ITEM} >> nth=2 >> text=Not this")],
        "next": [press("text=Next 20")],
        "filtered": [partial(chosen, "min_year=1900")],
        "nothing": [partial(chosen, "min_year=2998")],
        "all": [press("text=Show the papers without filters")],
        "paper": [press(f"{ITEM} h3 a >> nth=0")],
        "like it": [press("text=Find papers like this")],
        "map": [press(".tabs >> text=Map")],
        "papers": [press(".tabs >> text=Papers")],
        "edited": [press("text=Edit the draft"), send],
        "sentence": [partial(visit.go, "/sentence")],
        "here": [partial(visit.page.fill, "#passage", "Data | help."), send],
        "check": [press("header nav >> text=Check")],
        "checked": [partial(visit.page.fill, "#pasted", bibliography(cited)), send],
        "help": [press("header nav >> text=Help")],
        "gone": [partial(visit.go, "/answers/none")],
    }


def back_and_forward(visit: Visit, paper: Paper, cited: Sequence[Paper]) -> None:
    """Go through every state, then all the way Back and Forward: each shows what it showed."""
    seen = list[tuple[str, str, list[str]]]()
    for name, steps in _states(visit, paper, cited).items():
        before = re.escape(visit.page.url)
        for step in steps:
            step()
        visit.page.wait_for_url(re.compile(f"^(?!{before}$)"))
        visit.page.wait_for_load_state("load")
        seen.append((name, visit.page.url, visit.texts("h1, h2, h3")))
    ways = (
        ("Back", visit.page.go_back, seen[-2::-1]),
        ("Forward", visit.page.go_forward, seen[1:]),
    )
    for way, go, states in ways:
        for name, address, headings in states:
            go()
            visit.page.wait_for_load_state("load")
            visit.expect(visit.page.url == address, f"{way} to {name} leads to {visit.page.url}")
            shown = visit.texts("h1, h2, h3")
            visit.expect(shown == headings, f"{way} to {name} shows {shown[:4]}: {headings[:4]}")
    visit.step("forward")


def _send(visit: Visit) -> None:
    """Press the main button of the form that is seen."""
    visit.page.locator("button.main:visible").first.click()


def download(visit: Visit) -> None:
    """Export all papers, then those that are pinned."""
    for form in READERS:
        _check_download(visit, form, visit.texts(f"{ITEM} h3"), "all")
    chosen = [visit.texts(f"{ITEM} h3")[2 * at] for at in range(CHOSEN)]
    for at in range(CHOSEN):
        visit.page.locator(f"{ITEM} button[name=pin]").nth(at).click()  # The others are pinned.
        visit.page.wait_for_selector(f".collection > ul li >> nth={at}")
    listed = visit.texts(".collection > ul a")  # Long titles are cut.
    same = [
        plain(title).startswith(plain(each)) for title, each in zip(chosen, listed, strict=False)
    ]
    visit.expect(all(same) and len(same) == CHOSEN, f"the collection holds {listed}")
    visit.step("pinned")
    for form in READERS:
        _check_download(visit, form, chosen, "pinned")
    visit.page.locator(".collection > ul button").first.click()
    visit.page.wait_for_selector(f"text=Export {CHOSEN - 1} pinned")


def _check_download(visit: Visit, form: str, titles: Sequence[str], which: str) -> None:
    try:
        found = READERS[form](visit.download(form, which))
    except (ValueError, KeyError, IndexError) as error:
        visit.expect(False, f"{form} of {which} papers cannot be read: {error!r}")
        return
    same = sorted(map(plain, found)) == sorted(map(plain, titles))
    visit.expect(same, f"{form} holds {found}, {which} were {list(titles)}")
    visit.report.counts["downloads"] += 1


def upload(visit: Visit, paper: Paper, cited: Sequence[Paper]) -> None:
    """Give the draft as every kind of file, and ask with the example."""
    for given in given_drafts(paper, cited):
        visit.go("/")
        visit.give("#file", given.files)
        visit.press("text=Find what to cite", shows="main :is(.answer, .problem)")
        wrong = visit.texts(".problem, .failure")
        if not visit.expect(not wrong, f"{given.name} is refused: {wrong}"):
            continue
        title = visit.page.locator("#title").input_value()
        if given.title:
            visit.expect(plain(title) == plain(paper["title"]), f"{given.name}: title is {title!r}")
        if given.name in ("tex-bib", "zip", "bib", "ris", "json"):
            cites = visit.page.locator("input[name=cites]").count()
            visit.expect(cites == len(cited), f"{given.name}: {cites} of {len(cited)} references")
        count = visit.page.locator(ITEM).count()
        visit.expect(count, f"{given.name}: no paper is recommended")
        visit.step(f"given-{given.name}")
    visit.go("/")
    visit.press("text=Try an example", shows=ITEM)


def cite_here(visit: Visit, paper: Paper) -> None:
    """Ask what belongs to a place of a passage, correct it, and download what is found."""
    visit.go("/")
    visit.press("text=One sentence", shows="#passage")
    visit.page.fill("#passage", f"{paper['title']} | was said before.")
    visit.press("text=Find papers for this place", shows=ITEM)
    visit.expect(visit.page.locator(ITEM).count() == 10, "a passage does not get 10 papers")
    visit.expect(visit.texts("mark") == ["[?]"], "the place is not shown in its sentence")
    visit.step("here")
    titles = visit.texts(f"{ITEM} h3")
    _check_download(visit, "bibtex", titles, "all")
    visit.page.click("text=Edit the sentence")
    visit.page.fill("#title", paper["title"])
    visit.press("text=Ask again", shows=ITEM)
    visit.expect(visit.page.input_value("#title") == paper["title"], "the title is lost")
    visit.step("here-again")


def go_through(visit: Visit, paper: Paper, cited: Sequence[Paper]) -> None:
    """Give a draft that lacks citations: the whole, its sentences, and the whole again."""
    visit.go("/")
    visit.give("#file", unfinished(paper, cited))
    visit.press("text=Find what to cite", shows=ITEM)
    visit.expect(visit.page.locator(".where").count(), "no paper says where it fits")
    visit.step("whole")
    visit.press("text=Next 20")
    visit.press("text=Fill my [CITE] marks", shows=".place")
    places = visit.texts(".place h2")
    visit.expect(len(places) == len(cited), f"{len(places)} of {len(cited)} places are shown")
    visit.expect(all(each.startswith("draft.tex:") for each in places), f"the places: {places}")
    visit.step("places")
    visit.press(".tabs >> text=Papers", shows=ITEM)
    same = plain(visit.texts("h1")[0]) == plain(paper["title"])
    visit.expect(same, f"the title is {visit.texts('h1')}")


def mark_library(visit: Visit, paper: Paper) -> None:
    """Give one's library: what one has is marked, then left out."""
    ask(visit, paper)
    titles = visit.texts(f"{ITEM} h3")[:CHOSEN]
    library = bibliography([{"title": title, "year": None} for title in titles]).encode()
    visit.page.click("text=Edit the draft")
    visit.give("#library_file", [("mine.bib", library)])
    visit.press("text=Ask again", shows=".mine")
    marked = visit.page.locator(".mine").count()
    visit.expect(marked == len(titles), f"{marked} papers of {len(titles)} are marked as owned")
    visit.step("library")
    visit.page.locator(".filters").evaluate("each => { each.open = true; }")
    visit.page.locator("input[name=exclude_library]").check()
    visit.press("text=Apply")
    left = {plain(title) for title in visit.texts(f"{ITEM} h3")}
    visit.expect(not left & set(map(plain, titles)), "owned papers are not left out")


def look_around(visit: Visit, paper: Paper) -> None:
    """Visit a paper, one that is like it, a search, the API and pages that are not there."""
    visit.go(f"/search?q={paper['title'].split()[0]}")
    visit.page.fill("#q", paper["title"])
    visit.page.press("#q", "Enter")
    visit.page.wait_for_load_state("load")
    visit.expect(visit.texts(".papers a"), "a search by title finds nothing")
    visit.step("search")
    visit.page.locator(".papers a").first.click()
    visit.page.wait_for_load_state("load")
    visit.step("paper")
    heading = plain(visit.texts("h1")[0])
    found = [plain(each) for each in READERS["bibtex"](visit.download("bibtex", "paper"))]
    visit.expect(found == [heading], f"the page's BibTeX is of {found}, not of {heading}")
    visit.page.locator("#similar ~ .papers a").first.click()
    visit.page.wait_for_load_state("load")
    visit.expect(plain(visit.texts("h1")[0]) != heading, "a similar paper is the same one")
    visit.press("text=Find papers like this", shows=ITEM)
    visit.go("/help")
    visit.step("help")
    visit.press("footer >> text=API")
    visit.expect(visit.page.locator("section").count() >= 6, "the API's page lacks operations")
    visit.step("api")
    for path_of, name in (
        ("/search?q=qqqqxyzzy", "nothing"),
        ("/paper?id=none", "no-paper"),
        ("/none", "no-page"),
        ("/answers/none", "gone"),
    ):
        visit.go(path_of)
        visit.expect(visit.page.locator("h1").count() == 1, f"{path_of} is no page")
        visit.step(name)


def draw(visit: Visit, paper: Paper) -> None:
    """Draw the map around a draft, go to a paper of it and back to the answer."""
    ask(visit, paper)
    visit.press(".tabs >> text=Map", shows="svg.map")
    links = visit.page.locator("svg.map-wide a").count()
    visit.expect(links, "the map has no papers")
    rows = visit.page.locator(".map-table tbody tr").count()
    visit.expect(rows >= links, f"the map has {links} papers, its table {rows}")
    visit.step("map")
    visit.press(".tabs >> text=Papers", shows=ITEM)
    visit.press("header nav >> text=Map", shows="#pasted")
    visit.page.fill("#pasted", paper["title"])
    visit.press("text=Draw the map", shows="svg.map")


def read_map(visit: Visit, paper: Paper) -> None:
    """Step through a map, by keys and by taps where its script runs; open a paper, and go back."""
    page = visit.page
    visit.go(f"/map?{urlencode({'title': paper['title'], 'abstract': paper['abstract'][:1200]})}")
    page.wait_for_selector("svg.map-wide")
    page.locator("svg.map-wide a[data-paper]").first.focus()
    if page.locator(".map-live").count():
        here = page.locator("tr.map-here")
        first = here.get_attribute("id")
        for key in ("ArrowRight", "ArrowDown", "End"):
            page.keyboard.press(key)
        visit.expect(here.count() == 1, "no row is marked beside the paper that has the focus")
        visit.expect(here.get_attribute("id") != first, "the arrow keys do not move")
        visit.expect(page.locator(".map-card").is_visible(), "there is no card about the paper")
        visit.step("map-focus")
        page.keyboard.press("Escape")
        visit.expect(not page.locator(".map-card").is_visible(), "Escape leaves the card")
        page.set_viewport_size({"width": 390, "height": 844})
        dot = page.locator("svg.map-small .map-dots circle").last
        dot.scroll_into_view_if_needed()
        place = dot.bounding_box()
        page.mouse.click(place["x"] - 9, place["y"] - 9)
        visit.expect(page.locator(".map-card").is_visible(), "a click beside a dot finds none")
        visit.step("map-phone")
        page.keyboard.press("Escape")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.locator("svg.map-wide a[tabindex='0']").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/paper?*")
    page.go_back()
    visit.expect(page.locator("svg.map").count() == 2, "Back from a paper does not show the map")


_DROP = """([name, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name));
  const told = {dataTransfer: carried, bubbles: true, cancelable: true};
  document.querySelector('.drop').dispatchEvent(new DragEvent('drop', told));
}"""


def check_list(visit: Visit, paper: Paper) -> None:
    """Check a list of a paper in a wrong year and of one that nobody wrote; open the record."""
    page, unknown = visit.page, "Quiet zeppelins of the lunar autumn"
    wrong = {**paper, "year": (paper["year"] or 2000) - 9}
    listed = bibliography([wrong, {"title": unknown, "year": 2001}])
    visit.go("/")
    visit.press(".tabs >> text=Check references", shows="text=Drop your bibliography here")
    visit.press("button.main", shows=".problem")
    if page.locator(".js").count():
        page.evaluate(_DROP, ["refs.bib", listed])
        page.wait_for_selector(".drop .notes >> text=refs.bib")
    else:
        visit.give("#file", [("refs.bib", listed.encode())])
    visit.press("button.main", shows=".checked > li")
    verdicts, titles = visit.texts(".checked .by strong"), visit.texts(".checked h2")
    visit.expect(verdicts == ["differs", "not found"], f"the verdicts are {verdicts}")
    visit.expect(list(map(plain, titles)) == [plain(paper["title"]), plain(unknown)], f"{titles}")
    visit.expect(visit.texts(".checked tbody th") == ["year"], "the wrong year is not shown")
    visit.step("checked")
    address, seen = page.url, visit.texts("h1, h2, .checked strong")
    visit.press("text=Its record", shows="#abstract")
    visit.expect(plain(visit.texts("h1")[0]) == plain(paper["title"]), "the record is another's")
    ways = (page.go_back, address), (page.go_forward, page.url), (page.go_back, address)
    for go, expected in ways:
        go()
        page.wait_for_load_state("load")
        visit.expect(page.url == expected, f"Back and Forward lead to {page.url}, not {expected}")
    visit.expect(visit.texts("h1, h2, .checked strong") == seen, "Back shows other verdicts")
    visit.press("text=Check another list", shows="#pasted")
    page.fill("#pasted", bibliography([paper]))
    visit.press("button.main", shows=".lead >> text=1 confirmed")
    visit.step("confirmed")


def by_keyboard(visit: Visit, paper: Paper) -> None:
    """Ask with the keys alone: what has the focus is always seen."""
    visit.go("/")
    keys = visit.page.keyboard
    keys.press("Tab")
    visit.expect(_focused(visit)["name"] == "skip", "the first stop is not the link to the content")
    visit.expect(_focused(visit)["seen"], "the link to the content is not seen")
    visit.step("skip")
    keys.press("Enter")
    typed = {"pasted": f"{paper['title']}\n\n{paper['abstract'].splitlines()[0]}"}
    for _ in range(60):
        keys.press("Tab")
        now = _focused(visit)
        visit.expect(now["seen"], f"the focus on {now['what']} is not seen")
        if now["id"] in typed:
            keys.insert_text(typed.pop(now["id"]))
        if now["text"] == "Find what to cite":
            break
    visit.expect(not typed, f"the keys do not reach {list(typed)}")
    visit.step("keys-ask")
    keys.press("Enter")
    visit.page.wait_for_selector(ITEM)
    reached = set[str]()
    for _ in range(160):
        keys.press("Tab")
        now = _focused(visit)
        visit.expect(now["seen"], f"the focus on {now['what']} is not seen")
        reached.add(now["text"] or now["name"])
        if now["text"] == "Cite":
            break
    for words in ("Edit the draft", "Map", "Apply", "Pin", "More like this", "Not this", "Cite"):
        visit.expect(words in reached, f"the keys do not reach {words!r}")
    visit.step("keys-answer")


_FOCUS = """() => {
  const element = document.activeElement;
  // A choice of files is shown by its label.
  const shown = element.type === 'file' && document.querySelector(`.js .choose [for=${element.id}]`)
    || element;
  const style = getComputedStyle(shown), box = shown.getBoundingClientRect();
  return {
    id: element.id, name: element.getAttribute('name') || element.className,
    text: (element.innerText || '').trim(), what: element.outerHTML.slice(0, 120),
    seen: element === document.body || (style.outlineStyle !== 'none'
      && parseFloat(style.outlineWidth) > 0 && box.width > 0
      && box.height > 0 && box.bottom > 0 && box.top < innerHeight),
  };
}"""


def _focused(visit: Visit) -> dict[str, Any]:
    found: dict[str, Any] = visit.page.evaluate(_FOCUS)
    return found
