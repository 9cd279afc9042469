"""Citing sentences of articles, with numbers taken out, as `recsys add-contexts` reads them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sentences import SENTENCES, citing_sentences, main
from recsys.formats.contexts.context_reading import read_contexts
from recsys.records import Context
from tests.rows import each_row

SAID = ("Intro", 1)


def sentence(text: str, where: tuple[str, int] = SAID) -> list[Any]:
    """A sentence whose marks stand in braces, each with the id of its work behind a bar."""
    marks, plain = [], ""
    for piece in text.split("{"):
        mark, closed, rest = piece.partition("}")
        if closed:
            printed, _, work = mark.partition("|")
            marks.append([len(plain), len(plain) + len(printed), work or None])
            plain += printed + rest
        else:
            plain += piece
    return [*where, plain, [work for *_, work in marks if work], marks]


def write(folder: Path, *articles: tuple[str, list[list[Any]]]) -> Path:
    folder.mkdir(exist_ok=True)
    with gzip.open(folder / SENTENCES, "wt", encoding="utf-8") as file:
        for citing, sentences in articles:
            file.write(json.dumps({"citing": citing, "sentences": sentences}) + "\n")
    return folder / SENTENCES


BEES, WASPS, WELL = "Honey bees dance well.", "Wasps never dance at all.", "Honey bees dance well"


@each_row(
    ("sentences", "said"),
    [
        ([f"{WELL} ({{Fox 2004|a}})."], [(f"{WELL} (Fox 2004).", "a")]),
        ([f"{WELL} [{{1|a}}, {{2|b}}]."], [(BEES, "a"), (BEES, "b")]),
        ([f"{WELL}{{1\u20133|a}}."], [(BEES, "a")]),
        ([f"{WELL} {{[1]|a}}, {{[2]|}}."], [(BEES, "a")]),
        # Behind the full stop: what the sentence before cites.
        ([BEES, f"{{4\u20136|a}} {WASPS}"], [(BEES, "a")]),
        ([f"{WELL}{{1|a}}.", "{2|b},{3|c} Wasps{4|d} never dance at all."],
         [(BEES, "a"), (BEES, "b"), (BEES, "c"), (WASPS, "d")]),
        ([BEES, "{7|a}", f"{{8|b}} {WASPS}"], [(BEES, "a"), (BEES, "b")]),
        ([f"{{4|a}} {WASPS}"], [(WASPS, "a")]),  # There is none before.
        ([BEES, "As {Fox (2004)|a} says, wasps never dance."],
         [("As Fox (2004) says, wasps never dance.", "a")]),
        ([f"{WELL} ({{Fox 2004|a}}; {{Fox 2004|a}})."], [(f"{WELL} (Fox 2004; Fox 2004).", "a")]),
        (["See {Fox 2004|a}."], []),  # Too few words.
        ([BEES], []),
    ],
)  # fmt: skip
def test_a_context_is_a_sentence_and_a_work_that_it_cites(
    sentences: list[str], said: list[tuple[str, str]], tmp_path: Path
) -> None:
    path = write(tmp_path / "bees", ("p", [sentence(text) for text in sentences]))
    assert [*citing_sentences(path)] == [Context("p", work, text, "Intro") for text, work in said]


def test_a_number_belongs_to_the_sentence_before_within_its_paragraph_alone(tmp_path: Path) -> None:
    other = sentence(f"{{4|a}} {WASPS}", ("Intro", 2))
    path = write(tmp_path / "bees", ("p", [sentence(BEES), other]))
    assert [(each.text, each.cited) for each in citing_sentences(path)] == [(WASPS, "a")]


def test_a_part_is_written_as_recsys_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [sentence(f"{WELL} ({{Fox 2004|a}}).", ("", 1))]
    write(tmp_path / "bees", ("p", said), ("q", said))
    (tmp_path / "bees" / "split.json").write_text(json.dumps({"dev": ["q"], "test": ["p"]}))
    out = tmp_path / "dev.jsonl.gz"
    asked = ["bees", str(out), "--data", str(tmp_path)]
    assert main([*asked, "--part", "dev"]) == 0
    assert [*read_contexts(out)] == [Context("q", "a", f"{WELL} (Fox 2004).")]
    assert main(asked) == 0
    assert [each.citing for each in read_contexts(out) if isinstance(each, Context)] == ["p", "q"]
    assert main([*asked, "--part", "deb"]) == 1
    assert "deb" in capsys.readouterr().err
