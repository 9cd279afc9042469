"""What do I cite here? As a person asks it: forms are sent as they were shown."""

import pytest
from starlette.testclient import TestClient

from recsys.app.web.page_routes import TOO_LONG
from tests.recsys.app.web.page_reader import Element, read, sent
from tests.recsys.app.web.test_citations import BIB, FILES, TEX
from tests.recsys.app.web.test_page_routes import post, shown

PASSAGE = {"passage": "Rivers were measured with an instrument |, glaciers were not."}
DRAFT_TEXT = ("Rivers run", "Glaciers melt")


def form_of(html: str, action: str) -> list[tuple[str, str]]:
    """Read what a form of the page sends, but the papers that it shows."""
    forms = [each for each in read(html).all("form") if each.attributes["action"] == action]
    return [pair for pair in sent(forms[-1]) if pair[0] not in ("shown", "paper")]


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


def test_a_passage_stands_in_an_address(client: TestClient) -> None:
    html = client.get("/cite", params=PASSAGE).text
    (link,) = [each for each in read(html).all("a") if each.words() == "Link to this question"]
    assert shown(client.get(link.attributes["href"]).text) == shown(html)


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


def test_a_draft_without_places_says_so(client: TestClient) -> None:
    html = give(client, "/cite", ("draft.md", b"# Rivers\n\nOur boat is small and very old.\n"))
    assert places(html) == []
    assert "No place that lacks a citation was found in draft.md." in read(html).words()


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
