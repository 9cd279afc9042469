"""What the pages say."""

from dataclasses import replace

from recsys.app.web.page_writing import render
from recsys.formats.answers import percent
from recsys.formats.references.web_page import span
from recsys.records import Paper
from tests.recsys.app.web.page_reader import forms, read
from tests.recsys.app.web.page_samples import (
    BARE,
    DRAFT,
    FOUND,
    ITEMS,
    PLACES,
    PROBLEM,
    SEVERAL,
    SHOWN,
    SITE,
    WHERE,
    all_pages,
    changed,
)
from tests.rows import each_row

PAGES = all_pages()


def test_each_place_is_shown_with_its_sentence_and_its_papers() -> None:
    tree = read(PAGES["here-draft"])
    places = [each for each in tree.all("section") if each.attributes.get("class") == "place"]
    assert len(places) == len(PLACES["places"])
    for shown, place in zip(places, PLACES["places"], strict=True):
        assert shown.one("h2").words() == place["name"]
        assert shown.one("mark").words() == "[?]"
        words = shown.words()
        assert f"{place['before']}[?]{place['after']}" in words
        assert place["kind"] in words
        for each in place["papers"]:
            assert each.recommendation.paper.title in words and each.key in words
    assert "No paper of the corpus fits here." in places[-1].words()
    buttons = [each.words() for each in forms(PAGES["here-draft"], "/answer")[0].all("button")]
    assert buttons[0] == "Papers for the whole draft"
    assert not {"More like this", "Not this"} & set(buttons)


def test_a_draft_without_places_says_how_to_mark_them() -> None:
    words = read(PAGES["here-draft-none"]).one("main").words()
    assert PLACES["counted"] not in words
    assert "No place that lacks a citation" in words
    assert "[CITE]" in words and "BibTeX" not in words


def test_a_passage_without_papers_says_so_before_its_fields() -> None:
    words = read(PAGES["here-nothing"]).one("main").words()
    assert words.index("No papers found") < words.index("Your passage")
    assert "Give a later year" in words


def test_a_passage_that_is_refused_stands_first_with_the_problem_above() -> None:
    words = read(PAGES["ask-passage-error"]).one("main").words()
    places = [words.index(each) for each in (PROBLEM.what, "Passage", "Drop your draft")]
    assert places == sorted(places)
    usual = read(PAGES["ask"]).one("main").words()
    assert usual.index("Drop your draft") < usual.index("What do I cite here?")


def test_sentences_are_offered_where_there_are_some() -> None:
    assert 'formaction="/cite"' not in PAGES["answer"]
    assert 'formaction="/cite"' in PAGES["answer-where"]
    assert 'formaction="/map"' in PAGES["answer"]


def test_where_a_paper_fits_stands_below_it() -> None:
    words = read(PAGES["answer-where"]).words()
    assert ITEMS[0].where is None
    for item in WHERE["items"]:
        if item.where:
            assert f"Fits at {item.where[0]}: {item.where[1]}" in words
    assert 'class="where"' not in PAGES["answer"]


def test_other_versions_of_a_paper_are_linked_below_it() -> None:
    other = Paper("tides:9001", "Drift <ice>", year=1999, authors=("Quill",))
    found = replace(ITEMS[0].recommendation, versions=(other,))
    first = replace(ITEMS[0], recommendation=found)
    page = render("answer", SEVERAL, **FOUND | {"items": (first, *ITEMS[1:])})
    assert "Another version: Drift <ice> Quill, 1999" in read(page).words()
    assert 'href="/paper?index=tides&amp;id=tides%3A9001"' in page
    assert "Another version" not in PAGES["answer"]


def test_an_item_says_everything_without_the_script() -> None:
    item, found = ITEMS[1], ITEMS[1].recommendation
    paper = found.paper
    (shown,) = [
        each
        for each in read(PAGES["answer"]).all("li")
        if any(one.attributes.get("value") == paper.id for one in each.all("button"))
    ]
    words = shown.words()
    facts = (paper.title, *paper.authors, str(paper.year), paper.venue, item.key)
    for text in (*facts, percent(found.probability), *(each.text for each in found.reasons)):
        assert str(text) in words
    assert words.count("in your library") == 1
    links = [each.attributes["href"] for each in shown.all("a")]
    assert links == [f"https://doi.org/{paper.doi}", "/paper?index=tides&id=tides%3A0002"]
    assert shown.one("h3").attributes["dir"] == "auto"
    assert shown.one("rect").attributes["width"] == f"{round(found.probability * 100)}%"
    assert span(paper) in PAGES["answer"]


def test_what_was_understood_stands_before_the_question_and_the_papers() -> None:
    words = read(PAGES["answer"]).one("main").words()
    parts = [FOUND["understood"], FOUND["notes"][0], FOUND["missing"][1], FOUND["removed"]]
    places = [words.index(part) for part in [*parts, "Your question", "Papers 1 to 20"]]
    assert places == sorted(places)
    assert "What it cites: 7 found, 2 not found" in words


def test_unknown_facts_are_said() -> None:
    assert "Unknown authors · unknown year · unknown venue" in read(PAGES["answer-odd"]).words()
    bare = read(PAGES["paper-bare"])
    assert bare.one("h1").words() == "Untitled"
    assert "Unknown authors · unknown year · unknown venue" in bare.words()
    assert "The corpus holds no abstract of this paper." in bare.words()
    assert "It cites no paper of the corpus, as far as is known." in bare.words()


def test_three_hundred_authors_are_folded_away_but_there() -> None:
    (folded,) = [
        each
        for each in read(PAGES["answer-odd"]).all("details")
        if each.attributes.get("class") == "more"
    ]
    assert folded.one("summary").words() == "and 292 more authors"
    assert "open" not in folded.attributes
    assert folded.text.strip().startswith("Observer Number-9, ")
    assert folded.text.strip().endswith(", Observer Number-300")


def test_a_few_authors_over_the_limit_are_not_worth_a_fold() -> None:
    names = tuple(f"N. {letter}" for letter in "ABCDEFGHIJ")
    page = render("paper", SITE, **SHOWN | {"paper": replace(SHOWN["paper"], authors=names)})
    assert ", ".join(names) in read(page).words()
    assert "more authors" not in page


@each_row("address", ["javascript:alert(1)", "data:text/html,x", "//evil", "x", ""])
def test_a_link_leads_to_the_web_or_nowhere(address: str) -> None:
    item = changed(ITEMS[0], url=address, doi=None)
    answer = render("answer", SEVERAL, **FOUND | {"items": (item,)})
    shown = render("paper", SITE, **BARE | {"paper": item.recommendation.paper})
    for page in (answer, shown):
        assert not any(each.attributes["href"] == address for each in read(page).all("a"))
    assert item.recommendation.paper.title in read(answer).one("h3").words()


def test_further_pages_are_offered_where_there_are_some() -> None:
    first, last = PAGES["answer"], PAGES["answer-second-page"]
    assert "Next 20" in first
    assert "Previous 20" not in first
    assert "Previous 20" in last
    assert "Next 20" not in last
    assert "Papers 21 to 21" in last
    (more,) = [each for each in read(PAGES["search"]).all("a") if each.words() == "More"]
    assert more.attributes["href"] == "/search?index=tides&q=drift+ice&page=bmV4dA"


def test_the_starter_corpus_says_what_it_is_and_offers_an_example() -> None:
    tree = read(PAGES["ask"])
    (example,) = [each for each in tree.all("a") if each.words() == "Try an example question"]
    assert example.attributes["href"].startswith("/answer?index=starter&title=")
    assert "recsys serve my.index" in tree.words()
    assert "starter" not in read(PAGES["ask-several"]).one("main").words()


def test_an_index_is_chosen_where_there_are_several() -> None:
    select = next(read(PAGES["ask-several"]).all("select"))
    assert [each.words() for each in select.all("option") if "selected" in each.attributes] == [
        "reefs (27,464 papers, 1931 to 2025)"
    ]
    assert 'id="index"' not in PAGES["ask"]


def test_a_problem_is_told_at_once_and_what_was_typed_is_kept() -> None:
    tree = read(PAGES["ask-error"])
    (alert,) = [each for each in tree.all() if each.attributes.get("role") == "alert"]
    assert alert.words() == (
        "This cannot be answered harbour.pdf holds no text: it may be scanned pictures. "
        "Paste its title and abstract instead."
    )
    assert DRAFT.fields.title in tree.words()


def test_an_empty_answer_says_so_before_the_fields_of_the_question() -> None:
    words = read(PAGES["answer-nothing"]).one("main").words()
    assert words.index("No papers found") < words.index("Your question")
    assert "The filters may be too narrow." in words
    without = render("answer", SITE, **FOUND | {"items": (), "removed": ""})
    assert "too narrow" not in without
