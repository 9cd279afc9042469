"""What Python users have: drafts by path or text, lists, filters, answers in every format."""

import doctest
import json
from dataclasses import replace
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
