"""What a person does on the page, without a script: forms are sent as they were shown."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from recsys.app.web.page_routes import NOT_ENGLISH, TOO_LONG
from tests.built_index import ROOT, Built
from tests.recsys.app.web.page_reader import Element, forms, read, sent
from tests.recsys.app.web.served import DRAFT, serving, settings_of
from tests.recsys.app.web.test_api import BIB, FILES, TEX
from tests.rows import each_row

Pairs = list[tuple[str, str]]
ASKED = {"title": DRAFT["title"], "abstract": DRAFT["abstract"]}


def fields_of(html: str, action: str = "/answer") -> Pairs:
    """Read what a browser would send of a page's form, if no button were pressed."""
    return sent(forms(html, action)[-1])


def led(client: TestClient, path: str, **sending: Any) -> Response:  # noqa: ANN401  # As httpx.
    """Send a form as a browser does, and follow to the page that shows what came of it."""
    answer = client.post(path, **sending)
    assert answer.status_code == 303, answer.text
    return client.get(answer.headers["location"].partition("#")[0])


def post(client: TestClient, path: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Send a form, and return the page that shows its answer."""
    answer = led(client, path, files=[(name, (None, value.encode())) for name, value in pairs])
    assert answer.status_code == 200, answer.text
    return answer.text


def give(client: TestClient, path: str, *files: tuple[str, bytes]) -> str:
    """Send files, and return the page that shows their answer."""
    answer = led(client, path, files=[("file", each) for each in files])
    assert answer.status_code == 200, answer.text
    return answer.text


def go(client: TestClient, address: str) -> str:
    """Open an address as a browser does."""
    answer = client.get(address, follow_redirects=True)
    assert answer.status_code == 200, answer.text
    return answer.text


def links(html: str, *words: str) -> list[str]:
    """Return where the links of some words lead."""
    return [
        each.attributes["href"]
        for each in read(html).all("a")
        if any(each.words().startswith(word) for word in words)
    ]


def shown(html: str) -> list[str]:
    """List the ids of the recommended papers on a page."""
    cards = [each for each in read(html).all("li") if list(each.all("h3"))]
    return [
        each.attributes["value"]
        for card in cards
        for each in card.all("button")
        if each.attributes.get("form") == "pins"
    ]


def test_a_question_is_answered_and_asked_again_says_the_same(client: TestClient) -> None:
    html = post(client, "/answer", ASKED.items())
    assert len(shown(html)) == 20
    assert "Understood: title, abstract" in html
    again = post(client, "/answer", fields_of(html))
    assert shown(again) == shown(html)


@each_row(
    "asking",
    [
        ("/answer", ASKED),
        ("/cite", {"passage": "Rivers were measured |."}),
        ("/map", ASKED),
        ("/answer", {"title": "Rivers", "min_year": "soon"}),
        ("/cite", {"passage": "a | b | c"}),
    ],
)
def test_every_state_has_an_address_that_shows_it_again(
    client: TestClient, asking: tuple[str, dict[str, str]]
) -> None:
    path, fields = asking
    answer = client.post(path, data=fields)
    assert (answer.status_code, answer.text) == (303, "")
    address = answer.headers["location"]
    assert "Rivers" not in address
    first, second = client.get(address), client.get(address)
    assert first.status_code in (200, 422)
    assert first.text == second.text
    assert first.headers["cache-control"] == "private, no-cache"


def test_an_answer_that_is_gone_says_so_and_offers_the_form(client: TestClient) -> None:
    for view in ("", "/sentences", "/map"):
        answer = client.get(f"/answers/none{view}?min_year=2001&page=2")
        assert answer.status_code == 410
        assert "keeps a draft only in memory" in answer.text
        assert ("min_year", "2001") in fields_of(answer.text)
    for answer in (
        client.post("/answers/none/pins", data={"pin": "rivers-05"}),
        client.get("/answers/none/export?format=bibtex"),
    ):
        assert (answer.status_code, answer.headers["location"]) == (303, "/answers/none")


def test_the_next_pages_go_on_and_the_first_comes_back(client: TestClient) -> None:
    first = post(client, "/answer", ASKED.items())
    second = go(client, links(first, "Next 20")[0])
    assert not set(shown(first)) & set(shown(second))
    assert "Papers 21 to" in second
    assert shown(go(client, links(second, "Previous 20")[0])) == shown(first)
    address = urlsplit(links(first, "Next 20")[0]).path
    for page in ("0", "x", "51", "9" * 30, "\u0662"):
        assert client.get(address, params={"page": page}).status_code in (400, 422)


def test_more_like_one_keeps_it_and_not_like_another_does_not(client: TestClient) -> None:
    first = post(client, "/answer", ASKED.items())
    liked, disliked = shown(first)[0], shown(first)[1]
    html = go(client, links(first, "More like this")[0])
    assert shown(html)[0] == liked
    html = go(client, next(each for each in links(html, "Not this") if f"less={disliked}" in each))
    assert shown(html)[0] == liked and disliked not in shown(html)
    exported = client.get(links(html, "CSV")[0]).text
    assert exported.count("\n") == 1 + len(shown(html))
    html = go(client, links(html, "More like On")[0])
    html = go(client, links(html, "Not like On")[0])
    assert shown(html) == shown(first)


def test_filters_are_a_form_of_addresses(client: TestClient) -> None:
    html = post(client, "/answer", ASKED.items())
    address = links(html, "Papers")[0]
    assert forms(html, address)
    dated = client.get(address, params={"min_year": "2005", "max_year": "2003"}).text
    assert shown(dated)
    assert links(dated, "Clear") == [address]


def test_pinned_papers_are_a_collection_that_one_menu_exports(client: TestClient) -> None:
    first = post(client, "/answer", ASKED.items())
    (pins,) = [each for each in read(first).all("form") if each.attributes.get("id") == "pins"]
    address = pins.attributes["action"]
    chosen = shown(first)[2:4]
    for paper in chosen:
        answer = client.post(address, data={"pin": paper, "view": ""})
        assert answer.status_code == 303
        html = client.get(answer.headers["location"].partition("#")[0]).text
    assert "Export 2 pinned" in html
    again = post(client, "/answer", [*fields_of(html), ("min_year", "2001")])
    assert "Export 2 pinned" in again  # It goes along to the next question.
    (bibtex,) = links(again, "BibTeX")
    text = client.get(bibtex).text
    assert text.count("@") == 2
    client.post(address, data={"unpin": chosen[0], "view": "/map"})
    assert client.get(bibtex).text.count("@") == 1
    strange = client.post(address, data={"pin": "\ud800".encode("utf-8", "replace"), "view": "//x"})
    assert strange.headers["location"].startswith("/answers/")


def test_an_example_and_pasted_texts_are_answered(client: TestClient) -> None:
    assert len(shown(go(client, "/example"))) == 20
    plain = f"{DRAFT['title']}\n\n{DRAFT['abstract']}"
    tex = f"\\title{{{DRAFT['title']}}}\\begin{{abstract}}{DRAFT['abstract']}\\end{{abstract}}"
    direct = shown(post(client, "/answer", ASKED.items()))
    for text in (plain, tex):
        html = post(client, "/answer", [("pasted", text)])
        assert shown(html) == direct
        assert 'class="where"' not in html  # A title and an abstract are no running text.
    both = led(
        client, "/answer", files=[("file", ("a.md", b"# Rivers"))], data={"pasted": "Rivers"}
    )
    assert both.status_code == 422 and "one of them" in both.text


@each_row(
    ("name", "content", "said"),
    [
        ("fig.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not a text: it may be a picture"),
        ("empty.tex", b"", "is empty"),
        ("draft.docx", b"PK\x03\x04abc", "is damaged"),
        ("draft.pdf", b"%PDF-1.4 nothing", "cannot be read as PDF"),
        ("draft.tex", b"\\begin{document}x\\end{document}", "neither a title nor an abstract"),
    ],
)
def test_what_cannot_be_read_is_said_to_a_person(
    client: TestClient, name: str, content: bytes, said: str
) -> None:
    answer = led(client, "/answer", files=[("file", (name, content))])
    assert answer.status_code == 422
    (alert,) = [e for e in read(answer.text).all() if e.attributes.get("role") == "alert"]
    assert said in alert.words()
    assert not re.search(r"--|UTF-8|NUL|first stage|byte", alert.words())


def test_a_form_that_is_too_large_leads_to_a_page_that_says_so(built: Built) -> None:
    with serving(settings_of(built.index, body=2**20)) as client:
        answer = led(client, "/answer", files=[("file", ("big.pdf", b"x" * 2**21))])
        assert answer.status_code == 413
        assert "larger than 1 MB" in answer.text and fields_of(answer.text)


def test_a_slip_costs_neither_the_text_nor_the_library_nor_the_pins(client: TestClient) -> None:
    library = ("library_file", ("mine.bib", b"@article{a, title = {On rivers in survey 7}}"))
    html = led(client, "/answer", files=[("file", ("draft.tex", TEX)), library]).text
    (pins,) = [each for each in read(html).all("form") if each.attributes.get("id") == "pins"]
    client.post(pins.attributes["action"], data={"pin": shown(html)[0]})
    slip = [pair for pair in fields_of(html) if pair[0] != "as_of"]
    pairs = [(name, (None, value.encode())) for name, value in [*slip, ("as_of", "soon")]]
    refused = led(client, "/answer", files=pairs)
    assert refused.status_code == 422
    mended = [pair for pair in fields_of(refused.text) if pair[0] != "as_of"]
    again = post(client, "/answer", mended)
    assert links(again, "Fill my")
    assert "Your library: 1" in again and "Export 1 pinned" in again


def test_a_draft_in_another_language_is_answered_with_a_warning(client: TestClient) -> None:
    text = "Die Messung der Gletscher\n\nWir messen das Eis und die Seen mit einem Messer."
    assert NOT_ENGLISH in read(post(client, "/answer", [("pasted", text)])).words()
    assert NOT_ENGLISH not in read(post(client, "/answer", ASKED.items())).words()


def test_the_help_page_and_the_navigation_lead_everywhere(client: TestClient) -> None:
    html = client.get("/help").text
    (navigation, *_) = read(html).one("header").all("nav")
    assert [each.words() for each in navigation.all("a")] == [
        "Ask",
        "Map",
        "Check",
        "Watch",
        "Help",
    ]
    for address in (
        *(each.attributes["href"] for each in navigation.all("a")),
        "/sentence",
        "/api",
    ):
        assert client.get(address).status_code == 200
    assert "API" in [each.words() for each in read(html).one("footer").all("a")]


def test_what_was_found_can_be_unticked_and_what_was_not_can_be_corrected(
    client: TestClient,
) -> None:
    lines = "rivers-05\nN. Nobody (1999). On rivrs in survey 99"
    html = post(client, "/answer", [*ASKED.items(), ("references", lines)])
    fields = fields_of(html)
    assert ("cites", "rivers-05") in fields
    assert any(name == "references" and "rivrs" in value for name, value in fields)
    changed = [pair for pair in fields if pair[0] not in ("cites", "references")]
    html = post(client, "/answer", [*changed, ("references", "On rivers in survey 9")])
    assert [value for name, value in fields_of(html) if name == "cites"] == ["rivers-09"]


@each_row(
    ("form", "suffix", "sign"),
    [("bibtex", "bib", "@"), ("ris", "ris", "TY  - "), ("csl-json", "json", "["),
     ("csv", "csv", ""), ("markdown", "md", ""), ("zotero", "ris", "TY  - ")],
)  # fmt: skip
def test_papers_are_a_file(client: TestClient, form: str, suffix: str, sign: str) -> None:
    chosen = ["rivers-05", "glaciers-03", "rivers-07"]
    answer = client.get("/export", params={"paper": chosen, "format": form})
    assert answer.headers["content-disposition"] == f'attachment; filename="papers.{suffix}"'
    assert answer.text.startswith(sign)
    titles = [client.get(f"/v1/papers/{each}").json()["title"] for each in chosen]
    assert all(title in answer.text for title in titles)
    assert answer.text.count("On ") == 3


def test_no_paper_or_another_format_is_told(client: TestClient) -> None:
    for pairs in ({"format": "bibtex"}, {"format": "word", "paper": "rivers-05"}):
        answer = client.get("/export", params=pairs)
        assert answer.status_code == 422
        assert read(answer.text).one("h1").words()


def test_a_draft_is_a_file_with_its_bibliography(built: Built) -> None:
    examples = ROOT / "examples"
    paths = [examples / name for name in ("paper.tex", "paper.bib")]
    files = [("file", (path.name, path.read_bytes())) for path in paths]
    with serving(settings_of(built.index)) as client:
        answer = led(client, "/answer", files=files, data={"title": ""})
    assert answer.status_code == 200
    assert "references" in answer.text
    typed = dict(fields_of(answer.text))
    assert typed["title"].startswith("MarginNote: Suggesting Missing Citations")
    assert typed["references"]


def test_a_library_is_marked_and_goes_along(client: TestClient) -> None:
    given = ("mine.bib", b"@article{a, title = {On rivers in survey 7}, year = 2007}")
    html = led(client, "/answer", files=[("library_file", given)], data=ASKED).text
    assert ("keep_library", "1") in fields_of(html)
    assert "Your library: 1 of its papers" in html
    assert "in your library" in html
    left = post(client, "/answer", [*fields_of(html), ("exclude_library", "1")])
    assert "rivers-07" in shown(html)
    assert "rivers-07" not in shown(left)
    without = [pair for pair in fields_of(html) if pair[0] != "keep_library"]
    assert "in your library" not in post(client, "/answer", without)


@each_row(
    ("pairs", "said"),
    [
        ({}, "Nothing is asked"),
        ({"title": "Rivers", "min_year": "soon"}, "four digits"),
        ({"title": "Rivers", "mmr": "much"}, "number"),
        ({"title": "Rivers", "mmr": "nan"}, "diversity"),
        ({"title": "Rivers", "library": "{"}, "library"),
        ({"references": "nothing-of-the-kind"}, "title"),
    ],
)
def test_what_makes_no_sense_is_told_above_what_was_typed(
    client: TestClient, pairs: dict[str, str], said: str
) -> None:
    answer = led(client, "/answer", data=pairs or {"title": ""})
    assert answer.status_code == 422
    assert said in answer.text
    assert ("title", pairs.get("title", "")) in fields_of(answer.text)


def test_filters_that_leave_nothing_are_told_beside_the_question(client: TestClient) -> None:
    html = post(client, "/answer", [*ASKED.items(), ("min_year", "2999")])
    assert shown(html) == []
    assert "No paper is left" in html and "--" not in read(html).one("main").words()
    assert ("min_year", "2999") in fields_of(html)
    assert len(shown(go(client, links(html, "Show the papers without filters")[0]))) == 20
    drawn = client.get(links(html, "Map")[1])
    assert drawn.status_code == 422
    assert "No paper is left for this draft." in drawn.text and "first stage" not in drawn.text


def test_a_file_that_cannot_be_read_is_told(client: TestClient) -> None:
    for name, content in (
        ("x.pdf", b"%PDF-1.4 nothing"),
        ("x.doc", b"\xd0\xcf\x11\xe0"),
        ("", b""),
    ):
        answer = led(client, "/answer", files=[("file", (name, content))])
        assert answer.status_code == 422
        assert read(answer.text).one("h1").words()


def test_an_unknown_index_is_told(client: TestClient) -> None:
    for path in ("/?index=none", "/answer?title=x&index=none", "/search?q=x&index=none"):
        assert client.get(path).status_code == 404


def test_a_paper_has_a_page_and_its_neighbours_have_theirs(client: TestClient) -> None:
    html = client.get("/paper", params={"id": "rivers-05"}).text
    assert read(html).one("h1").words() == "On rivers in survey 5"
    links = re.findall(r'href="(/paper\?[^"]+)"', html)
    assert links
    for link in set(links):
        assert client.get(link.replace("&amp;", "&")).status_code == 200
    assert client.get("/paper?id=none").status_code == 404
    assert client.get("/paper").status_code == 404


def test_a_search_lists_papers(client: TestClient) -> None:
    html = client.get("/search?q=rivers").text
    assert "On rivers in survey 5" in html
    assert client.get("/search?q=").status_code == 200
    assert client.get("/search?q=x&page=y").status_code == 400


def test_the_api_is_described_to_people(client: TestClient) -> None:
    html = client.get("/api").text
    assert "/v1/recommendations" in html
    assert "http://127.0.0.1:8000/v1/search?q=" in html
    (example,) = re.findall(r"http://127.0.0.1:8000(/v1/papers/[^'&<]+)", html)
    assert client.get(example).status_code == 200


def test_a_draft_that_no_index_holds_is_answered_by_each(built: Built, tmp_path: Path) -> None:
    other = built.copy(tmp_path).rename(tmp_path / "other.index")
    with serving(settings_of(built.index, other)) as client:
        html = go(client, "/answer?title=Rivers&index=other")
        assert ("index", "other") in fields_of(html)
        assert "index=other" in html


# What do I cite here? As a person asks it: forms are sent as they were shown.

PASSAGE = {"passage": "Rivers were measured with an instrument |, glaciers were not."}
DRAFT_TEXT = ("Rivers run", "Glaciers melt")


def places(html: str) -> list[Element]:
    """List the places that are shown."""
    return [each for each in read(html).all("section") if each.attributes.get("class") == "place"]


def test_a_passage_is_answered_and_asked_again_says_the_same(client: TestClient) -> None:
    fields = [*PASSAGE.items(), ("title", "Rivers, again"), ("references", "rivers-05\nnone-such")]
    first = post(client, "/cite", fields)
    assert len(shown(first)) == 10
    assert "rivers-05" not in shown(first)
    assert read(first).one("mark").words() == "[?]"
    assert "Not in the corpus: 1" in read(first).words()
    again = fields_of(first, "/cite")
    assert ("cites", "rivers-05") in again
    assert shown(post(client, "/cite", again)) == shown(first)


def test_a_draft_is_gone_through_and_goes_back_to_the_whole(client: TestClient) -> None:
    html = give(client, "/cite", *(each for _, each in FILES))
    heads = [each.one("h2").words() for each in places(html)]
    assert heads[:2] == ["draft.tex:5:12", "draft.tex:6:27"]
    for place, words in zip(places(html), DRAFT_TEXT, strict=False):
        assert f"{words} [?]." in place.words() or words in place.words()
    whole = go(client, links(html, "Papers")[0])
    direct = give(client, "/answer", *(each for _, each in FILES))
    assert shown(whole) == shown(direct)
    assert "mine" not in shown(whole)


def test_a_draft_keeps_its_sentences_while_it_is_asked_again(client: TestClient) -> None:
    html = give(client, "/answer", ("draft.tex", TEX), ("refs.bib", BIB))
    again = post(client, "/answer", [*fields_of(html), ("more", shown(html)[0])])
    places_of = [
        [each.words() for each in places(go(client, links(each, "Fill my")[0]))]
        for each in (html, again)
    ]
    assert len(places_of[0]) >= 2
    assert [each[:60] for each in places_of[0]] == [each[:60] for each in places_of[1]]
    assert links(go(client, links(again, "Map")[1]), "Fill my")


def test_marks_are_offered_to_be_filled_only_where_the_draft_has_some(client: TestClient) -> None:
    text = "# Rivers\n\n" + "Rivers run to the sea and glaciers melt in the sun. " * 9
    offered = [
        bool(links(give(client, "/answer", ("a.md", f"{text}{end}".encode())), "Fill my"))
        for end in ("Deserts are dry.", "Deserts are dry [@mine].", "Deserts are dry [CITE].")
    ]
    assert offered == [False, False, True]


def test_each_paper_says_where_it_fits_as_long_as_the_draft_is_asked_about(
    client: TestClient,
) -> None:
    html = give(client, "/answer", ("draft.tex", TEX), ("refs.bib", BIB))
    again = post(client, "/answer", [*fields_of(html), ("less", shown(html)[-1])])
    for page in (html, again):
        fits = [
            each.words() for each in read(page).all("p") if each.attributes.get("class") == "where"
        ]
        assert 'Fits at draft.tex:5: "Rivers run."' in fits
    listed = give(client, "/answer", ("refs.bib", BIB))
    pasted = go(client, "/answer?title=Rivers")
    assert 'class="where"' not in listed + pasted


def test_filters_of_the_whole_draft_are_said_not_to_count(client: TestClient) -> None:
    html = give(client, "/answer", ("draft.tex", TEX))
    address = links(html, "Fill my")[0]
    assert "do not count here" in read(go(client, f"{address}?min_year=2003")).words()
    assert "do not count" not in read(go(client, address)).words()


def test_what_cannot_be_answered_is_told_above_what_was_typed(client: TestClient) -> None:
    for fields, said in (
        ({"passage": " "}, "There is no sentence to look at."),
        ({"title": "Rivers"}, "There is no sentence to look at."),
        ({"passage": "..."}, "The passage is empty."),
        ({"passage": "a | b | c"}, "Mark one place at a time."),
        ({"passage": "x" * 100_001}, "100,001"),
        ({**PASSAGE, "as_of": "soon"}, "four digits"),
        ({**PASSAGE, "text": "x"}, "changed on its way"),
        ({"text": "x"}, "Give its file again."),
    ):
        answer = led(client, "/cite", data=fields)
        assert answer.status_code == 422
        tree = read(answer.text)
        (alert,) = [each for each in tree.all() if each.attributes.get("role") == "alert"]
        assert said in alert.words()
        assert fields.get("passage", "").strip() in [each.text[1:] for each in tree.all("textarea")]
        assert not [each for each in tree.all("input") if each.attributes.get("name") == "text"]
    listed = led(client, "/cite", files=[("file", ("a.bib", BIB))])
    assert listed.status_code == 422
    assert "no running text" in listed.text
    assert client.get("/cite?index=none&passage=Rivers").status_code == 404


def test_a_draft_that_is_too_long_for_the_page_says_so(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.app.web.uploads.LONGEST", 100)
    html = give(client, "/answer", ("draft.tex", TEX))
    assert TOO_LONG in read(html).words()
    assert not links(html, "Fill my")
    refused = led(client, "/cite", files=[("file", ("draft.tex", TEX))])
    assert refused.status_code == 422 and TOO_LONG in refused.text


def test_a_list_is_checked_and_its_page_has_an_address(client: TestClient) -> None:
    entry = b"@article{a, title={On deserts in survey 1}, author={Ada Deserts}, year={2004}}"
    html = give(client, "/check", ("refs.bib", entry))
    assert "1 reference: 1 differs." in html
    assert [cell.words() for cell in read(html).all("td")] == ["2004", "2001"]
    assert "deserts-01" in links(html, "Its record")[0]
    pasted = go(client, f"/check?pasted={entry.decode()}")
    assert "1 reference: 1 differs." in pasted
    draft = give(client, "/check", *(each for _, each in FILES))
    assert "references:" in draft or "reference:" in draft
    assert "Drop your bibliography here" in go(client, "/check")


@each_row(
    ("files", "told"),
    [
        ([], "No references were given."),
        ([("refs.bib", b"nothing")], "refs.bib"),
        ([("a.png", b"\x89PNG\r\n\x1a\n" + bytes(200))], "picture"),
    ],
)
def test_what_cannot_be_checked_is_said_above_the_form(
    client: TestClient, files: list[tuple[str, bytes]], told: str
) -> None:
    sending: list[Any] = [("file", each) for each in files] or [("pasted", (None, b""))]
    answer = led(client, "/check", files=sending)
    assert answer.status_code >= 400 and told in answer.text
    assert "Drop your bibliography here" in answer.text
