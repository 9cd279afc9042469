"""Train the judge of sentences on texts whose answer is known, and ask it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.needs import __main__ as program
from benchmarks.needs import judge
from benchmarks.needs.__main__ import auc
from benchmarks.needs.judge import table_of
from benchmarks.needs.texts import FullText, full_text, read_texts
from benchmarks.result_tables import written
from recsys.errors import InputError
from recsys.local.citation_worthiness import CitationWorthiness
from recsys.records import Mark, Sentence
from tests.hashing_encoder import HashingEncoder

_THINGS = "bees wasps ants moths flies crickets beetles termites".split()
_PLACES = "meadows forests gardens caves rivers deserts".split()


def _text(name: str, source: str, rng: np.random.Generator) -> FullText:
    """Write a text in which what others found is cited, and what was done is not."""
    sentences = []
    for i in range(30):
        thing, place = rng.choice(_THINGS), rng.choice(_PLACES)
        if rng.random() < 0.4:
            text = f"Many studies have shown that {thing} of {place} number {i} dance."
            marks: tuple[Mark, ...] = (Mark(len(text) - 1, ("a",), printed="[*]"),)
        else:
            text, marks = f"Some {thing} were put into boxes from {place} on day {i}.", ()
        sentences.append(Sentence(text, marks, "Methods", i // 5))
    return full_text(name, source, sentences)


@dataclass(frozen=True, slots=True)
class Studied:
    figures: dict[str, Any]
    judge: CitationWorthiness


@pytest.fixture(scope="module")
def examples() -> list[FullText]:
    rng = np.random.default_rng(0)
    tests = ("emcee-ms", "journal.pbio.0040088")
    names = [*tests, *(f"text{i}" for i in range(8))]
    return [_text(name, ("biology", "law")[i % 2], rng) for i, name in enumerate(names)]


@pytest.fixture(scope="module")
def studied(examples: list[FullText], tmp_path_factory: pytest.TempPathFactory) -> Studied:
    out = tmp_path_factory.mktemp("judge") / "needs-citation"
    with pytest.MonkeyPatch.context() as patch:  # Less of the same takes less time.
        patch.setattr(program, "FOLDS", 2)
        patch.setattr(judge, "ROUNDS", 20)
        patch.setattr(judge, "processors", lambda: 1)
        figures = program.study(examples, HashingEncoder(), out)
    return Studied(figures, CitationWorthiness.load(out))


def test_what_can_be_learned_is_learned(
    studied: Studied, examples: list[FullText], tmp_path: Path
) -> None:
    figures = studied.figures
    assert figures["views"]["known"]["auc"] > 0.99
    assert not figures["ships"]  # The fields are too small to tell.
    assert figures["test_texts"] == 2
    assert [row["field"] for row in figures["fields"]] == ["biology", "law"]
    assert figures["ece"] < 0.05
    json.dumps(figures)
    with pytest.raises(InputError, match="one field"):
        program.study(examples[::2], HashingEncoder(), tmp_path / "judge")


def test_the_written_judge_says_what_it_was_taught(studied: Studied) -> None:
    sentences = [
        Sentence("Many studies have shown that bees of rivers number themselves."),
        Sentence("Some crickets were put into boxes from caves on day one."),
    ]
    vectors = HashingEncoder().encode([(sentence.text, None) for sentence in sentences])
    high, low = studied.judge.probabilities(sentences, vectors)
    assert high > 0.9 > 0.1 > low
    assert 0 < studied.judge.threshold("law") <= 1


def test_the_page_holds_the_figures(studied: Studied) -> None:
    text = written("needs", studied.figures)
    known = studied.figures["views"]["known"]
    low, high = known["interval"]
    assert low <= known["auc"] <= high
    assert f"| unseen texts | 2 | {known['auc']:.3f} ({low:.3f}-{high:.3f}) |" in text
    assert "| unseen field: biology | 4 |" in text and "the classifier does not ship." in text


def test_it_ships_only_if_unseen_texts_and_fields_are_told_apart() -> None:
    def ships(by_text: float, by_field: float, citing: int) -> bool:
        figures = {"views": {"known": {"auc": by_text}}}
        verdict = program.verdict_on(figures | {"fields": [{"known": by_field, "citing": citing}]})
        return bool(verdict["ships"])

    assert ships(0.81, 0.82, 500)
    assert not (ships(0.81, 0.79, 500) or ships(0.79, 0.82, 500) or ships(0.81, 0.79, 99))


def test_marks_are_hidden_from_the_cues_and_nothing_else_is(examples: list[FullText]) -> None:
    table = table_of(examples, HashingEncoder(), np.random.default_rng(0))
    known, none, some = (table.cues[view] for view in ("known", "none", "some"))
    bare = [
        full_text(each.name, each.source, [Sentence(s.text, (), s.section, s.paragraph)
                                           for s in each.sentences])
        for each in examples
    ]  # fmt: skip
    without = table_of(bare, HashingEncoder(), np.random.default_rng(0))
    assert np.array_equal(without.cues["known"], none)
    assert not np.array_equal(known, none)
    assert not np.array_equal(some, none) and not np.array_equal(some, known)


def test_texts_are_read_by_field_and_said_once(tmp_path: Path) -> None:
    body = " ".join(f"Bees dance in the {word} of day." for word in (f"hour{i}" for i in range(25)))
    jats = f"<article><front/><body><p>{body}</p></body></article>"
    sweave = f"\\begin{{document}}\n<<echo=FALSE>>=\nx <- 1\n@\n{body.replace('Bees', 'Wasps')}\n"
    (tmp_path / "biology").mkdir()
    (tmp_path / "biology" / "a.xml").write_text(jats)
    (tmp_path / "biology" / "b.xml").write_text(jats)
    (tmp_path / "biology" / "c.Rnw").write_text(sweave + "\\end{document}\n")
    (tmp_path / "biology" / "d.bib").write_text("@article{a, title={Bees}}")
    texts, problems = read_texts(tmp_path)
    assert [(text.name, text.source, len(text.sentences)) for text in texts] == [
        ("a", "biology", 25),
        ("c", "biology", 25),
    ]
    assert not any("<-" in sentence.text for sentence in texts[1].sentences)
    assert [problem[:5] for problem in problems] == ["d.bib"]
    for folder, told in ((tmp_path / "none", "no folder"), (tmp_path / "biology", "holds no text")):
        with pytest.raises(InputError, match=told):
            read_texts(folder)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=40))
def test_auc_is_the_chance_of_the_right_order(pairs: list[tuple[int, bool]]) -> None:
    scores = np.array([score for score, _ in pairs], np.float32)
    cites = np.array([cited for _, cited in pairs])
    wins = [(a > b) + (a == b) / 2 for a in scores[cites] for b in scores[~cites]]
    assert auc(scores, cites) == pytest.approx(
        float(np.mean(wins)) if wins else np.nan, nan_ok=True
    )
