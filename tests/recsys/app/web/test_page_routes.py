"""What a person does on the page, without a script: forms are sent as they were shown."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from recsys.app.web.page_routes import TOO_LONG
from tests.built_index import ROOT, Built
from tests.recsys.app.web.page_reader import Element, forms, read, sent
from tests.recsys.app.web.served import DRAFT, serving, settings_of
from tests.recsys.app.web.test_api import BIB, FILES, TEX
from tests.rows import each_row

Pairs = list[tuple[str, str]]
ASKED = {"title": DRAFT["title"], "abstract": DRAFT["abstract"]}


def fields_of(html: str) -> Pairs:
    """Read what a browser would send of the page's large form, if no button were pressed."""
    return sent(forms(html, "/answer")[-1])


def post(client: TestClient, path: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Send a form as a browser does."""
    parts = [(name, (None, value.encode())) for name, value in pairs]
    answer = client.post(path, files=parts)
    assert answer.status_code == 200, answer.text
    return answer.text


def shown(html: str) -> list[str]:
    """List the ids of the recommended papers on a page."""
    return [
        each.attributes["value"]
        for each in read(html).all("input")
        if each.attributes.get("name") == "shown"
    ]


def test_a_question_is_answered_and_asked_again_says_the_same(client: TestClient) -> None:
    html = post(client, "/answer", ASKED.items())
    assert len(shown(html)) == 20
    assert "Understood: title, abstract" in html
    again = post(client, "/answer", fields_of(html))
    assert shown(again) == shown(html)


def test_the_next_pages_go_on_and_the_first_comes_back(client: TestClient) -> None:
    first = post(client, "/answer", ASKED.items())
    (forward,) = set(re.findall(r'name="page" value="([^"]+)"', first))
    second = post(client, "/answer", [*fields_of(first), ("page", forward)])
    assert not set(shown(first)) & set(shown(second))
    assert "Papers 21 to" in second
    back = re.findall(r'name="page" value="([^"]+)"', second)[0]
    assert shown(post(client, "/answer", [*fields_of(second), ("page", back)])) == shown(first)


def test_a_page_of_another_question_is_the_first_and_says_so(client: TestClient) -> None:
    first = post(client, "/answer", ASKED.items())
    (forward,) = set(re.findall(r'name="page" value="([^"]+)"', first))
    changed = [("title", "Deserts"), *fields_of(first), ("page", forward)]
    html = post(client, "/answer", changed)
    assert "has changed" in html
    assert "Papers 1 to 20" in html


def test_more_like_one_and_not_like_another(client: TestClient) -> None:
    first = post(client, "/answer", ASKED.items())
    liked, disliked = shown(first)[0], shown(first)[1]
    html = post(client, "/answer", [*fields_of(first), ("more", liked)])
    html = post(client, "/answer", [*fields_of(html), ("less", disliked)])
    assert {("more", liked), ("less", disliked)} <= set(fields_of(html))
    assert not {liked, disliked} & set(shown(html))


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
     ("csv", "csv", ""), ("markdown", "md", "")],
)  # fmt: skip
def test_chosen_papers_are_a_file(client: TestClient, form: str, suffix: str, sign: str) -> None:
    first = post(client, "/answer", ASKED.items())
    chosen = shown(first)[2:5]
    pairs = [*fields_of(first), *(("paper", each) for each in chosen), ("format", form)]
    answer = client.post("/export", files=[(name, (None, value.encode())) for name, value in pairs])
    assert answer.headers["content-disposition"] == f'attachment; filename="recommended.{suffix}"'
    assert answer.text.startswith(sign)
    titles = [client.get(f"/v1/papers/{each}").json()["title"] for each in chosen]
    assert all(title in answer.text for title in titles)
    assert answer.text.count("On ") == 3


def test_no_paper_or_another_format_is_told(client: TestClient) -> None:
    for pairs in ({"format": "bibtex"}, {"format": "word", "paper": "rivers-05"}):
        answer = client.post("/export", data=pairs)
        assert answer.status_code == 422
        assert read(answer.text).one("h1").words()


def test_a_draft_is_a_file_with_its_bibliography(built: Built) -> None:
    examples = ROOT / "examples"
    paths = [examples / name for name in ("paper.tex", "paper.bib")]
    files = [("file", (path.name, path.read_bytes())) for path in paths]
    with serving(settings_of(built.index)) as client:
        answer = client.post("/answer", files=files, data={"title": ""})
    assert answer.status_code == 200
    assert "references" in answer.text
    typed = dict(fields_of(answer.text))
    assert typed["title"].startswith("MarginNote: Suggesting Missing Citations")
    assert typed["references"]


def test_a_library_is_marked_and_goes_along(client: TestClient) -> None:
    given = ("mine.bib", b"@article{a, title = {On rivers in survey 7}, year = 2007}")
    html = client.post("/answer", files=[("library_file", given)], data=ASKED).text
    assert json.loads(dict(fields_of(html))["library"]) == ["rivers-07"]
    assert "in your library" in html.lower()
    left = post(client, "/answer", [*fields_of(html), ("exclude_library", "on")])
    assert "rivers-07" in shown(html)
    assert "rivers-07" not in shown(left)


@each_row(
    ("pairs", "said"),
    [
        ({}, "Nothing is asked"),
        ({"title": "Rivers", "min_year": "soon"}, "four digits"),
        ({"title": "Rivers", "min_year": "2020", "max_year": "2001"}, "No year"),
        ({"title": "Rivers", "mmr": "much"}, "number"),
        ({"title": "Rivers", "mmr": "nan"}, "diversity"),
        ({"title": "Rivers", "library": "{"}, "library"),
        ({"references": "nothing-of-the-kind"}, "title"),
    ],
)
def test_what_makes_no_sense_is_told_above_what_was_typed(
    client: TestClient, pairs: dict[str, str], said: str
) -> None:
    answer = client.post("/answer", data=pairs or {"title": ""})
    assert answer.status_code == 422
    assert said in answer.text
    assert ("title", pairs.get("title", "")) in fields_of(answer.text)


def test_filters_that_leave_nothing_are_told_beside_the_question(client: TestClient) -> None:
    html = post(client, "/answer", [*ASKED.items(), ("min_year", "2999")])
    assert shown(html) == []
    assert "No paper is left" in html
    assert ("min_year", "2999") in fields_of(html)


def test_a_file_that_cannot_be_read_is_told(client: TestClient) -> None:
    for name, content in (
        ("x.pdf", b"%PDF-1.4 nothing"),
        ("x.doc", b"\xd0\xcf\x11\xe0"),
        ("", b""),
    ):
        answer = client.post("/answer", files=[("file", (name, content))])
        assert answer.status_code in (422, 400)
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
        html = client.get("/answer?title=Rivers&index=other").text
        assert ("index", "other") in fields_of(html)
        assert "index=other" in html


# What do I cite here? As a person asks it: forms are sent as they were shown.

PASSAGE = {"passage": "Rivers were measured with an instrument |, glaciers were not."}
DRAFT_TEXT = ("Rivers run", "Glaciers melt")


def form_of(html: str, action: str) -> list[tuple[str, str]]:
    """Read what a form of the page sends, but the papers that it shows."""
    return [pair for pair in sent(forms(html, action)[-1]) if pair[0] not in ("shown", "paper")]


def places(html: str) -> list[Element]:
    """List the places that are shown."""
    return [each for each in read(html).all("section") if each.attributes.get("class") == "place"]


def give(client: TestClient, path: str, *files: tuple[str, bytes]) -> str:
    answer = client.post(path, files=[("file", each) for each in files])
    assert answer.status_code == 200, answer.text
    return answer.text


def test_a_passage_is_answered_and_asked_again_says_the_same(client: TestClient) -> None:
    fields = [*PASSAGE.items(), ("title", "Rivers, again"), ("references", "rivers-05\nnone-such")]
    first = post(client, "/cite", fields)
    assert len(shown(first)) == 10
    assert "rivers-05" not in shown(first)
    assert read(first).one("mark").words() == "[?]"
    assert "Not in the corpus: 1" in read(first).words()
    again = form_of(first, "/cite")
    assert ("cites", "rivers-05") in again
    assert shown(post(client, "/cite", again)) == shown(first)


def test_a_draft_is_gone_through_and_goes_back_to_the_whole(client: TestClient) -> None:
    html = give(client, "/cite", *(each for _, each in FILES))
    heads = [each.one("h2").words() for each in places(html)]
    assert heads[:2] == ["draft.tex:5:12", "draft.tex:6:27"]
    for place, words in zip(places(html), DRAFT_TEXT, strict=False):
        assert f"{words} [?]." in place.words() or words in place.words()
    whole = post(client, "/answer", form_of(html, "/answer"))
    direct = give(client, "/answer", *(each for _, each in FILES))
    assert shown(whole) == shown(direct)
    assert "mine" not in shown(whole)


def test_a_draft_keeps_its_sentences_while_it_is_asked_again(client: TestClient) -> None:
    html = give(client, "/answer", ("draft.tex", TEX), ("refs.bib", BIB))
    again = post(client, "/answer", [*form_of(html, "/answer"), ("more", shown(html)[0])])
    places_of = [
        [each.words() for each in places(post(client, "/cite", form_of(each, "/answer")))]
        for each in (html, again)
    ]
    assert len(places_of[0]) >= 2
    assert [each[:60] for each in places_of[0]] == [each[:60] for each in places_of[1]]
    (text,) = [value for name, value in form_of(html, "/answer") if name == "text"]
    assert f'value="{text}"' in post(client, "/map", form_of(again, "/answer"))


def test_each_paper_says_where_it_fits_as_long_as_the_draft_is_asked_about(
    client: TestClient,
) -> None:
    html = give(client, "/answer", ("draft.tex", TEX), ("refs.bib", BIB))
    again = post(client, "/answer", [*form_of(html, "/answer"), ("less", shown(html)[-1])])
    for page in (html, again):
        fits = [
            each.words() for each in read(page).all("p") if each.attributes.get("class") == "where"
        ]
        assert 'Fits at draft.tex:5: "Rivers run."' in fits
    listed = give(client, "/answer", ("refs.bib", BIB))
    pasted = client.get("/answer?title=Rivers").text
    assert 'class="where"' not in listed + pasted


def test_filters_of_the_whole_draft_are_said_not_to_count(client: TestClient) -> None:
    html = give(client, "/answer", ("draft.tex", TEX))
    fields = [pair for pair in form_of(html, "/answer") if pair[0] != "min_year"]
    words = read(post(client, "/cite", [*fields, ("min_year", "2003")])).words()
    assert "The filters do not count here." in words
    assert "do not count" not in read(post(client, "/cite", fields)).words()


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
        answer = client.post("/cite", data=fields)
        assert answer.status_code == 422
        tree = read(answer.text)
        (alert,) = [each for each in tree.all() if each.attributes.get("role") == "alert"]
        assert said in alert.words()
        assert fields.get("passage", "").strip() in [each.text[1:] for each in tree.all("textarea")]
        assert not [each for each in tree.all("input") if each.attributes.get("name") == "text"]
    listed = client.post("/cite", files=[("file", ("a.bib", BIB))])
    assert listed.status_code == 422
    assert "no running text" in listed.text
    assert client.get("/cite?index=none&passage=Rivers").status_code == 404


def test_a_draft_that_is_too_long_for_the_page_says_so(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.app.web.uploads.LONGEST", 100)
    for path in ("/answer", "/cite"):
        html = give(client, path, ("draft.tex", TEX))
        assert TOO_LONG in read(html).words()
        assert "text" not in dict(form_of(html, "/answer"))
