"""What Python users have: drafts by path or text, lists, filters, answers in every format."""

import doctest
import json
import re
import sys
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest

import recsys
from recsys.errors import DraftError, InputError
from recsys.query.resolve_draft import Asked
from recsys.recommend import Recommender
from recsys.records import Answer
from tests.pipelines.small_index import open_small_index, write_small_index

TEXT = "Rivers measured again\n\nWe measure rivers, with an instrument."
BIB = """
@article{one, title = {On rivers in survey 7}, year = 2007}
@article{two, title = {Something that nobody indexed}, author = {Nemo, N.}, year = 1999}
"""
LATEX = r"""
\title{Rivers measured again}
\begin{document}
\begin{abstract}We measure rivers~\cite{one,two}.\end{abstract}
\bibliography{refs}
\end{document}
"""


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("api") / "x.index"))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> recsys.Recommender:
    """As `recsys.load` opens an index."""
    index = write_small_index(tmp_path_factory.mktemp("opened") / "x.index")
    found = open_small_index(index)
    return recsys.Recommender(*(getattr(found, each.name) for each in fields(found)))


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    (tmp_path / "paper.tex").write_text(LATEX, encoding="utf-8")
    return tmp_path / "paper.tex"


def ids(answer: Answer) -> list[str]:
    return [item.paper.id for item in answer.recommendations]


def test_the_example_of_the_package_runs_on_the_starter_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(recsys, optionflags=doctest.ELLIPSIS)
    assert (found.failed, found.attempted > 10) == (0, True)


def test_all_that_is_promised_is_there() -> None:
    assert all(hasattr(recsys, name) for name in recsys.__all__)
    assert set(dir(recsys)) == {*recsys.__all__, "__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+(?:rc\d+)?", str(recsys.__version__))


def test_an_index_is_built_of_files_or_of_papers_and_opened(tmp_path: Path) -> None:
    papers = [
        recsys.Paper(f"p{n}", f"On rivers, part {n}", "We measure.", 2000 + n, ("Ann Lee",),
                     references=(f"p{n - 1}",))
        for n in range(1, 9)
    ]  # fmt: skip
    opened = recsys.build(papers, tmp_path / "x.index")
    assert repr(opened) == "Recommender('x', 8 papers)"
    file = tmp_path / "papers.jsonl"
    file.write_text("".join(f"{json.dumps(asdict(each))}\n" for each in papers), encoding="utf-8")
    again = recsys.build(file, tmp_path / "y.index")
    answers = [each.recommend("On rivers, again\n\nWe measure.", k=3) for each in (opened, again)]
    assert ids(answers[0]) == ids(answers[1])
    with pytest.raises(InputError, match="mixed"):
        recsys.build([file, papers[0]], tmp_path / "z.index")


def test_papers_are_found_and_have_what_they_say_and_cite(opened: recsys.Recommender) -> None:
    found = opened.search("rivers survey 7", k=2)[0]
    assert found == opened.paper(found.id)
    (whole,) = opened.collection.corpus.full_papers([opened.collection.corpus.row(found.id) or 0])
    assert (found.abstract, found.references) == (whole.abstract, whole.references)
    item = opened.recommend("Rivers in deserts", k=1).recommendations[0]
    assert item.paper.abstract and isinstance(item.paper.references, tuple)
    assert len(repr(item)) < 120 and "\n" not in repr(item)
    with pytest.raises(InputError, match="holds no paper 'nothing'"):
        opened.paper("nothing")


def test_filters_stand_by_their_names(opened: recsys.Recommender) -> None:
    by_name = opened.recommend(TEXT, k=50, min_year=2010, exclude_authors="Nemo")
    filters = recsys.Filters(min_year=2010, exclude_authors=("Nemo",))
    assert ids(by_name) == ids(opened.recommend(TEXT, k=50, filters=filters)) != []
    with pytest.raises(InputError, match="Did you mean 'min_year'"):
        opened.recommend(TEXT, minyear=2010)  # type: ignore[call-arg]  # As somebody mistypes it.


def test_a_passage_is_cited_and_a_map_is_drawn(tmp_path: Path) -> None:
    opened = recsys.load()
    answer = opened.cite("Papers are embedded by a transformer |, unlike words.", k=2)
    assert repr(answer).startswith("LocalAnswer(1 places;")
    assert len(answer.gaps[0].recommendations) == 2
    assert answer.write("markdown", tmp_path / "a.md") == (tmp_path / "a.md").read_text("utf-8")
    drawn = opened.map("Embeddings of papers\n\nWe embed papers.", tmp_path / "map.svg")
    assert drawn.nodes and (tmp_path / "map.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(InputError, match="ends in neither"):
        opened.map("Embeddings", tmp_path / "map.png")


def test_dois_of_a_draft_are_looked_up_and_the_rest_is_said(tmp_path: Path) -> None:
    papers = [
        recsys.Paper(f"p{n}", f"On rivers {n}", year=2000, doi=f"10.1000/r{n}") for n in range(9)
    ]
    opened = recsys.build(papers, tmp_path / "x.index")
    draft = recsys.Draft(
        "Rivers", references=("10.1000/r3", "https://doi.org/10.1000/r4", "10.1000/none")
    )
    answer = opened.recommend(draft)
    assert not {"p3", "p4"} & set(ids(answer))
    assert "3 references: 2 matched" in answer.understood
    assert answer.notes == ("Not in the corpus: 10.1000/none.",)


def test_an_answer_goes_into_tables_and_notebooks(
    opened: recsys.Recommender, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = opened.recommend(TEXT, k=3)
    table = answer.to_arrow()
    assert table.column("id").to_pylist() == ids(answer)
    assert table.schema.names[:4] == ["rank", "probability", "score", "id"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(recsys.RecsysError, match="pip install pandas"):
        answer.to_pandas()
    paper = replace(answer.recommendations[0].paper, title="<script>", venue="A & B")
    item = replace(answer.recommendations[0], paper=paper)
    shown = replace(answer, recommendations=(item,))._repr_html_() + paper._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "A &amp; B" in shown
    assert "color:#" not in shown.replace(" ", "")
    assert len(repr(answer)) < 200


def test_what_the_project_wrote_is_no_abstract_of_an_exported_paper() -> None:
    starter = recsys.load()
    paper = starter.paper("cohan2020specter")
    assert paper.abstract_note == (
        "Summary written by the recsys project, not the abstract of the authors."
    )
    answer = starter.recommend(recsys.Draft("Citation-informed embeddings of papers"), k=5)
    for form in ("bibtex", "ris", "csl-json"):
        text = answer.write(form, keys="[auth:lower][year]")
        assert "abstract" not in text and "AB  - " not in text
    assert f"{{{'cohan2020'}," in answer.write("bibtex", keys="[auth:lower][year]")


def test_a_draft_is_asked_by_path_name_text_or_value(recommender: Recommender, draft: Path) -> None:
    manuscript = recsys.read_draft(draft)
    asked: list[Asked] = [draft, str(draft), manuscript]
    answers = [recommender.recommend(each, k=5) for each in asked]
    assert len({tuple(ids(answer)) for answer in answers}) == 1
    assert [answer.draft for answer in answers] == [str(draft), str(draft), None]
    told = recsys.Draft("Rivers measured again", "We measure rivers.", references=("rivers-07",))
    assert ids(recommender.recommend(told, k=5)) == ids(answers[0])
    text = recommender.recommend(TEXT, k=5)
    plain = recsys.Draft("Rivers measured again", "We measure rivers, with an instrument.")
    assert text == recommender.recommend(plain, k=5)


def test_what_a_draft_cites_is_looked_up_and_the_rest_is_named(
    recommender: Recommender, draft: Path
) -> None:
    answer = recommender.recommend(draft, k=50)
    assert "rivers-07" not in ids(answer)
    assert answer.understood.endswith("2 references: 1 matched, 1 not in the corpus.")
    assert answer.missing == (
        "Not in the corpus: reference two: N. Nemo, 1999, Something that nobody indexed",
    )


def test_ids_that_the_corpus_does_not_hold_are_named(recommender: Recommender) -> None:
    told = recsys.Draft("Rivers", references=("rivers-07", "x", "x"), disliked=("deserts-03", "y"))
    answer = recommender.recommend(told)
    assert answer.understood == (
        "Understood: title, no abstract, 2 references: 1 matched, 1 not in the corpus, "
        "2 disliked papers: 1 matched, 1 not in the corpus."
    )
    assert answer.missing == (
        "Not in the corpus: reference x", "Not in the corpus: disliked paper y",
    )  # fmt: skip


def test_new_keys_are_none_of_the_draft(recommender: Recommender, draft: Path) -> None:
    answer = recommender.recommend(draft, k=5)
    assert (answer.keys, answer.taken_keys) == (None, ("one", "two"))
    taken = tuple(f"nemo{year}" for year in range(1900, 2050))
    text = replace(answer, keys="nemo[year]", taken_keys=taken).write("bibtex")
    keys = re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE)
    assert len(set(keys)) == 5 and all(re.fullmatch(r"nemo\d{4}[a-e]", key) for key in keys)


def test_lists_lead_and_mark(recommender: Recommender, draft: Path) -> None:
    lists = recsys.ReadingLists(
        liked=recsys.read_references("deserts-06"),
        disliked=recsys.read_references("deserts-09"),
        library=recsys.read_references(draft.with_name("refs.bib"), "rivers-03"),
    )
    answer = recommender.recommend("Rivers in deserts", k=50, lists=lists)
    assert not {"deserts-06", "deserts-09"} & set(ids(answer))
    owned = {item.paper.id for item in answer.recommendations if "library" in kinds(item)}
    assert owned == {"rivers-07", "rivers-03"}
    assert "3 library papers: 2 matched, 1 not in the corpus" in answer.understood
    rest = recommender.recommend(
        "Rivers in deserts", k=50, lists=lists, filters=recsys.Filters(exclude_library=True)
    )
    assert set(ids(answer)) - set(ids(rest)) == owned
    assert rest.stages["removed by --exclude-library"] == 2


def kinds(item: recsys.Recommendation) -> set[str]:
    return {reason.kind for reason in item.reasons}


def test_one_paper_asks_for_more_of_its_kind(recommender: Recommender) -> None:
    answer = recommender.recommend(recsys.Reference(id="deserts-06"), k=3)
    assert answer.understood.endswith("1 liked paper: 1 matched.")
    assert "deserts-06" not in ids(answer)
    with pytest.raises(DraftError, match="none of its references is in the corpus"):
        recommender.recommend(recsys.Reference(doi="10.1/nowhere"))


def test_the_year_of_the_call_goes_before_the_draft_s_own(recommender: Recommender) -> None:
    early = recommender.recommend(replace(recsys.read_draft(TEXT), as_of=2009), k=50, as_of=2004)
    assert max(item.paper.year or 0 for item in early.recommendations) == 2004
    assert early.understood.endswith("as of 2004.")


def test_a_word_on_a_list_that_names_nothing_is_refused(recommender: Recommender) -> None:
    lists = recsys.ReadingLists(liked=recsys.read_references("no-such-paper"))
    with pytest.raises(
        InputError, match="no file no-such-paper and no paper of the corpus has that id"
    ):
        recommender.recommend(TEXT, lists=lists)


def test_several_drafts_are_answered_each_for_itself(recommender: Recommender, draft: Path) -> None:
    asked: list[Asked] = [draft, "gone.tex", TEXT, recsys.Draft()]
    outcomes = list(recommender.recommend_many(asked, k=3))
    assert [outcome.answer is not None for outcome in outcomes] == [True, False, True, False]
    assert outcomes[0].answer == recommender.recommend(draft, k=3)
    assert outcomes[0].question is not None and outcomes[1].question is None
    assert str(outcomes[1].error) == "There is no file gone.tex. Check the path."
    assert isinstance(outcomes[3].error, DraftError) and outcomes[3].question is not None


def test_an_answer_is_written_to_a_file_whole(recommender: Recommender, tmp_path: Path) -> None:
    answer = recommender.recommend(TEXT, k=3)
    text = answer.write("json", tmp_path / "answer.json")
    assert (tmp_path / "answer.json").read_text(encoding="utf-8") == text
    assert len(json.loads(text)["recommendations"]) == 3
    assert answer.write() == answer.write("table")
    with pytest.raises(InputError, match=r"no format 'bibtx'\. Did you mean 'bibtex'\?"):
        answer.write("bibtx", tmp_path / "new.bib")
    assert [path.name for path in tmp_path.iterdir()] == ["answer.json"]


def test_drafts_are_answered_as_they_are_asked_for(recommender: Recommender) -> None:
    outcomes = recommender.recommend_many(iter([TEXT, "gone.tex"]))
    assert next(outcomes).answer is not None


def test_references_are_checked_as_the_command_does(tmp_path: Path) -> None:
    book = tmp_path / "refs.bib"
    book.write_text(
        "@inproceedings{a, title={Attention Is All You Need}, year={2014},\n"
        "  author={Ashish Vaswani and Noam Shazeer and others}}\n",
        encoding="utf-8",
    )
    report = recsys.check(book)
    assert report.summary.startswith("1 reference: 1 differs")
    assert [each.field for each in report.items[0].differences] == ["year"]
    assert recsys.check(recsys.read_references(book)).items == report.items
