"""Pages of results: each takes the tables of its experiments, and keeps those of earlier ones."""

import json
from pathlib import Path

import pytest

from benchmarks.reproduction.experiment_table import EXPERIMENTS
from benchmarks.reproduction.experiments import DEFAULT
from benchmarks.reproduction.reproduced_pages import check_pages, rewrite_pages
from recsys.errors import InputError
from tests.eval.small_evaluation import FAIR, GOOD, SYSTEMS, write_evaluation, write_runs

SEEDS = (0, 1, 2)


def write_pages(folder: Path) -> Path:
    """Write all pages of results, each with an old table."""
    folder.mkdir()
    for name in ("evaluation", "seeds", "best", "local"):
        text = f"a\n<!-- {name} -->\nold\n<!-- /{name} -->\nz\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("page", "word", "tables"), [("seeds", "seed", 1), ("best", "best", 2)])
def test_means_over_seeds_get_a_page_of_their_own(
    page: str, word: str, tables: int, tmp_path: Path
) -> None:
    docs = write_pages(tmp_path / "results")
    for seed in SEEDS:
        write_runs(tmp_path / f"vis-{word}-{seed}", {**SYSTEMS, DEFAULT: FAIR})
    rewrite_pages(docs, tmp_path, [f"vis-{word}-{seed}" for seed in SEEDS])
    text = (docs / f"{page}.md").read_text(encoding="utf-8")
    assert "old" not in text and text.count("| good | ") == tables
    assert text.count(f"vis: More than {DEFAULT}") == tables - 1
    assert "vis: 6 queries, 3 seeds." in text
    assert text.startswith("a\n") and text.endswith("\nz\n")
    assert "old" in (docs / "evaluation.md").read_text(encoding="utf-8")


def test_single_evaluations_get_a_page_of_their_own(tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "results")
    for name in ("vis", "archaeology"):
        write_evaluation(tmp_path / name)
    rewrite_pages(docs, tmp_path, ["vis", "archaeology"])
    text = (docs / "evaluation.md").read_text(encoding="utf-8")
    assert text.count("| good | ") == 2 and "old" not in text
    assert "old" in (docs / "seeds.md").read_text(encoding="utf-8")


def test_what_was_measured_earlier_stays_on_the_page(tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "results")
    earlier = write_evaluation(tmp_path / "archaeology")
    write_runs(earlier, dict.fromkeys(EXPERIMENTS["archaeology"].systems, GOOD))
    write_evaluation(tmp_path / "vis")
    rewrite_pages(docs, tmp_path, ["vis"])
    text = (docs / "evaluation.md").read_text(encoding="utf-8")
    assert text.count("| good | ") == 2 and text.count("| oracle | ") == 1

    (earlier / "runs" / "oracle.trec").unlink()
    rewrite_pages(docs, tmp_path, ["vis"])
    text = (docs / "evaluation.md").read_text(encoding="utf-8")
    assert text.count("| good | ") == 1 and "| bm25 | " not in text, "it is not whole"


def test_evaluations_of_sentences_get_a_page_of_their_own(tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "results")
    folder = write_evaluation(tmp_path / "acl-local-title-raw")
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    told = facts | {"part": "sentence", "known": "title", "masked": False}
    (folder / "facts.json").write_text(json.dumps(told), encoding="utf-8")
    rewrite_pages(docs, tmp_path, ["acl-local-title-raw"])
    text = (docs / "local.md").read_text(encoding="utf-8")
    assert "acl-local-title-raw: 3 systems answer 6 sentences" in text
    assert "| R@10 | MRR | nDCG@10 |" in text and "old" not in text
    assert "Expected calibration error: good 0." in text
    assert "old" in (docs / "evaluation.md").read_text(encoding="utf-8")


def test_a_folder_that_cannot_take_the_tables_is_refused_before_any_work(tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "results")
    check_pages(docs, ["vis", "vis-seed-0"])
    (docs / "seeds.md").write_text("nothing", encoding="utf-8")
    check_pages(docs, ["vis"])
    with pytest.raises(InputError, match="marks of 'seeds'"):
        check_pages(docs, ["vis", "vis-seed-0"])
    with pytest.raises(InputError, match="Did you mean 'results'"):
        check_pages(tmp_path / "result", ["vis"])
