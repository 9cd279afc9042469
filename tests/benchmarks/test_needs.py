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


def _learn_quickly(patch: pytest.MonkeyPatch) -> None:
    """Less of the same takes less time."""
    patch.setattr(program, "_DRAWS", 20)
    patch.setattr(judge, "ROUNDS", 60)
    patch.setattr(judge, "_PARAMETERS", judge._PARAMETERS | {"min_data_in_leaf": 20})


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
    with pytest.MonkeyPatch.context() as patch:
        _learn_quickly(patch)
        figures = program.study(examples, out)
    return Studied(figures, CitationWorthiness.load(out))


def test_what_can_be_learned_is_learned(
    studied: Studied, examples: list[FullText], tmp_path: Path
) -> None:
    figures = studied.figures
    for view in judge.VIEWS:
        assert figures[view]["auc"] > 0.99 and figures[view]["right"] > 0.95
        assert figures[view]["ece"] < 0.1
    assert not figures["ships"]  # The fields are too small to tell.
    assert figures["test_texts"] == 2
    assert [(row["field"], row["texts"]) for row in figures["fields"]] == [
        ("biology", 5),
        ("law", 5),
    ]
    json.dumps(figures)
    with pytest.raises(InputError, match="one field"):
        program.study(examples[::2], tmp_path / "judge")


def test_the_written_judge_says_what_it_was_taught(studied: Studied) -> None:
    sentences = [
        Sentence("Many studies have shown that bees of rivers number themselves."),
        Sentence("Some crickets were put into boxes from caves on day one."),
    ]
    high, low = studied.judge.probabilities(sentences)
    assert high > 0.8 > 0.2 > low
    assert studied.judge.least == studied.figures["least"]


def test_the_page_holds_the_figures_of_large_fields(studied: Studied) -> None:
    text = written("needs", studied.figures | {"large": 10})
    for view in judge.VIEWS:
        known = studied.figures["fields"][0][view]
        low, high = known["interval"]
        assert low <= known["auc"] <= high
        (row,) = (line for line in text.splitlines() if line.startswith("| biology |"))
        assert f"| {known['auc']:.3f} ({low:.3f}-{high:.3f}) | {known['ece']:.3f} |" in row
    assert "the classifier does not ship." in text
    assert "| biology |" not in written("needs", studied.figures)


def test_it_ships_only_if_each_large_field_reaches_every_target() -> None:
    good = {"auc": 0.81, "ece": 0.02, "right": 0.8}

    def ships(changed: dict[str, float], view: str = "known", citing: int = 500) -> bool:
        row = {name: good for name in judge.VIEWS} | {view: good | changed}
        return program.ships([row | {"citing": citing}, row | {"citing": 99}])

    assert ships({})
    worse = ({"auc": 0.79}, {"ece": 0.04}, {"right": 0.74}, {"right": float("nan")})
    assert not any(ships(each, view) for view in judge.VIEWS for each in worse)
    assert not ships({}, citing=99)
    assert program.ships([{"known": good, "none": good, "citing": 100}, {"citing": 9}])


def test_the_threshold_is_where_enough_flags_are_right(examples: list[FullText]) -> None:
    dev = table_of(examples)
    with pytest.MonkeyPatch.context() as patch:
        _learn_quickly(patch)
        assert 0 < program.least_chance(dev) < 0.5
        patch.setattr(program, "GATE", program.GATE | {"right": 1.01})
        assert program.least_chance(dev) == 1


def test_marks_are_hidden_from_the_cues_and_nothing_else_is(examples: list[FullText]) -> None:
    scores = np.zeros(sum(len(each.sentences) for each in examples), np.float32)
    known, none = (table_of(examples).cues(scores, view) for view in judge.VIEWS)
    bare = [
        full_text(each.name, each.source, [Sentence(s.text, (), s.section, s.paragraph)
                                           for s in each.sentences])
        for each in examples
    ]  # fmt: skip
    assert np.array_equal(table_of(bare).cues(scores, "known"), none)
    assert not np.array_equal(known, none)


def test_the_table_of_some_texts_is_that_of_these_texts(examples: list[FullText]) -> None:
    taken = np.arange(len(examples)) % 3 == 1
    part, alone = table_of(examples).only(taken), table_of(examples[1::3])
    scores = np.linspace(0, 1, len(alone.cites), dtype=np.float32)
    assert np.array_equal(part.cues(scores, "known"), alone.cues(scores, "known"))
    assert (part.words != alone.words).nnz == 0
    for name in ("document", "cites", "example", "starts"):
        assert np.array_equal(getattr(part, name), getattr(alone, name))


def test_texts_are_read_by_field_and_said_once(tmp_path: Path) -> None:
    body = " ".join(f"Bees dance in the {word} of day." for word in (f"hour{i}" for i in range(25)))
    jats = f"<article><front/><body><p>{body}</p></body></article>"
    sweave = f"\\begin{{document}}\n<<echo=FALSE>>=\nx <- 1\n@\n{body.replace('Bees', 'Wasps')}\n"
    (tmp_path / "biology").mkdir()
    (tmp_path / "biology" / "a.xml").write_text(jats)
    (tmp_path / "biology" / "b.xml").write_text(jats)
    (tmp_path / "biology" / "c.Rnw").write_text(sweave + "\\end{document}\n")
    (tmp_path / "biology" / "d.bib").write_text("@article{a, title={Bees}}")
    texts, problems = read_texts(tmp_path, 9)
    assert [(text.name, text.source, len(text.sentences)) for text in texts] == [
        ("a", "biology", 25),
        ("c", "biology", 25),
    ]
    assert not any("<-" in sentence.text for sentence in texts[1].sentences)
    assert [problem[:5] for problem in problems] == ["d.bib"]
    for folder, told in ((tmp_path / "none", "no folder"), (tmp_path / "biology", "holds no text")):
        with pytest.raises(InputError, match=told):
            read_texts(folder, 9)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=40))
def test_auc_is_the_chance_of_the_right_order(pairs: list[tuple[int, bool]]) -> None:
    scores = np.array([score for score, _ in pairs], np.float32)
    cites = np.array([cited for _, cited in pairs])
    wins = [(a > b) + (a == b) / 2 for a in scores[cites] for b in scores[~cites]]
    assert auc(scores, cites) == pytest.approx(
        float(np.mean(wins)) if wins else np.nan, nan_ok=True
    )
