"""README, pages and program speak of the same: what there is is told, what is told there is."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs.made.__main__ import DOCS, made, main
from docs.made.marked_pages import page_with
from recsys.formats.answers import ANSWER_SCHEMA, RECOMMENDATION_SCHEMA
from recsys.formats.contexts.context_reading import FORMATS as CONTEXT_FORMATS
from recsys.formats.contexts.context_reading import ContextFormat
from recsys.formats.drafts.draft_formats import read_draft
from recsys.formats.drafts.objects import KEYS, REFERENCE_KEYS
from recsys.formats.papers.field_maps import PaperFormat
from recsys.formats.papers.paper_formats import FORMATS as JSON_FORMATS
from recsys.formats.source_formats import FORMATS as SOURCE_FORMATS
from recsys.formats.source_formats import SourceFormat
from recsys.retrieval.propose import NAMES
from recsys.store.generations import in_force
from tests.docs.written_pages import COMMANDS, MAKEFILE, PAGES, README, ROOT
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

LONGEST_README = 120


@each_row("form", [*SOURCE_FORMATS, *JSON_FORMATS])
def test_every_format_of_papers_is_in_the_list_of_the_guide(
    form: SourceFormat | PaperFormat,
) -> None:
    page = PAGES["docs/guide/sources.md"]
    # What is JSON is listed by JSON_FORMATS.
    assert f"\n- **{form.name}**: " in page or form.name == "JSON"


@each_row("form", CONTEXT_FORMATS)
def test_every_format_of_contexts_is_in_the_list_of_the_guide(form: ContextFormat) -> None:
    assert f"\n- **{form.name}**: " in PAGES["docs/guide/local.md"]


def test_the_program_has_the_promised_commands() -> None:
    promised = {"recommend", "build", "train ranker", "batch", "inspect", "doctor"}
    assert promised <= set(COMMANDS)


@each_row("name", COMMANDS)
def test_every_command_and_option_explains_itself_in_sentences(name: str) -> None:
    command = COMMANDS[name]
    assert command.help and re.match(r"[A-Z]", command.help)
    assert command.help.strip().endswith(".")
    for parameter in command.params:
        assert re.match(r"[A-Z`]", parameter.help or ""), parameter.name
        assert parameter.help.endswith((".", "programs.")), parameter.name


@each_row("name", COMMANDS)
def test_every_command_is_in_the_reference_and_on_a_page_that_people_wrote(name: str) -> None:
    reference = "docs/reference/commands.md"
    assert f"\n## recsys {name}\n" in PAGES[reference]
    assert any(f"recsys {name}" in text for page, text in PAGES.items() if page != reference)


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= LONGEST_README


def results_row(block: str, corpus: str, system: str) -> list[str]:
    """Return F1@20, MRR and R@100 of a system in a table of results, without their intervals."""
    page = page_with(DOCS / "results", block).read_text(encoding="utf-8")
    text = page.partition(f"<!-- {block} -->")[2].partition(f"<!-- /{block} -->")[0]
    tables = re.split(r"^\*\*", text, flags=re.MULTILINE)[1:]
    [part] = [each for each in tables if re.search(rf"\b{corpus}\b", each.splitlines()[0])]
    rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in part.splitlines()]
    header = next(row for row in rows if row[:1] == ["system"])
    [row] = [row for row in rows if row[:1] == [system]]
    numbers = [row[header.index(name)] for name in ("F1@20", "MRR", "R@100")]
    return [re.findall(r"\d\.\d+", number)[0] for number in numbers]


@each_row(
    ("title", "block", "system"),
    [
        ("recsys, two stages", "evaluation", "two-stage"),
        ("Citeomatic, NNSelect + NNRank", "seeds", "nnrank"),
        ("Citeomatic's BM25", "evaluation", "bm25-whoosh"),
        ("BM25", "evaluation", "bm25"),
        ("embedding alone (MiniLM)", "evaluation", "embedding"),
    ],
)
def test_readme_has_the_figures_of_the_results(title: str, block: str, system: str) -> None:
    rows = [
        [cell.strip(" *") for cell in line.split("|")[1:-1]]
        for line in README.splitlines()
        if line.startswith("| ")
    ]
    [row] = [row for row in rows if row[0] == title]
    expected = [*results_row(block, "vis", system), *results_row(block, "archaeology", system)]
    assert row[1:] == expected


@each_row("page", PAGES)
def test_pages_name_targets_and_files_that_exist(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert {line for line in re.findall(r"`make ([a-z-]+)", PAGES[page])} <= targets
    inside = re.findall(r"`((?:recsys|pipelines|indexes|eval|tests|docs)/[\w/.-]+)`", PAGES[page])
    built = ("docs/_build",)
    assert {path for path in inside if not (ROOT / path).exists()} <= {
        path for path in inside if path.startswith(built)
    }
    modules = re.findall(r"(?:`|^)python -m ([\w.]+)", PAGES[page], re.MULTILINE)
    for module in modules:
        path = ROOT / Path(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


def test_the_links_of_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert {link for link in links if not (ROOT / link).is_file()} == set()


def test_every_target_is_documented_in_the_makefile() -> None:
    phony = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()
    explained = re.findall(r"^([a-z-]+):.* ## .*\.$", MAKEFILE, re.MULTILINE)
    assert sorted(phony) == sorted(explained)


def test_the_reference_has_every_key_and_source() -> None:
    draft, answer = PAGES["docs/reference/draft.md"], PAGES["docs/reference/answer.md"]
    assert all(f"`{key}`" in draft for key in (*KEYS, *REFERENCE_KEYS))
    assert all(f"| `{source}` |" in answer for source in NAMES)
    assert {ANSWER_SCHEMA, RECOMMENDATION_SCHEMA} <= set(re.findall(r"^## (.*)$", answer, re.M))


def test_the_reference_explains_what_is_written(workplace: Path, run_cli: "RunCli") -> None:
    words = ("recommend", "draft.json", "-k", 1, "--quiet", "--format")
    answer = json.loads(run_cli(*words, "json").out)
    [line] = run_cli(*words, "jsonl").out.splitlines()
    text = PAGES["docs/reference/answer.md"]
    assert all(f"`{key}`" in text for key in (*answer, *json.loads(line)))


def test_the_reference_names_every_schema() -> None:
    schema = re.compile(r"\"(recsys\.[a-z-]+/\d+)\"")
    code = [
        path.read_text(encoding="utf-8")
        for package in ("recsys", "pipelines", "indexes", "eval")
        for path in (ROOT / package).rglob("*.py")
    ]
    found = {name for text in code for name in schema.findall(text)}
    # Of runs that are not finished; nobody else reads it.
    unfinished = ("recsys.batch/", "recsys.local-evaluation/")
    inner = {name for name in found if name.startswith(unfinished)}
    assert {
        name for name in found - inner if f"`{name}`" not in PAGES["docs/reference/answer.md"]
    } == set()


def test_the_reference_has_every_exit_code_and_variable() -> None:
    text = PAGES["docs/reference/environment.md"]
    assert all(f"| {code} |" in text for code in (0, 1, 2, 3, 130))
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "recsys").rglob("*.py"))
    variables = set(re.findall(r"\bRECSYS_[A-Z]+\b", code))
    assert {name for name in variables if f"`{name}`" not in text} == set()


def test_the_reference_has_every_file_of_an_index(built: "Built") -> None:
    text = PAGES["docs/reference/files.md"]
    assert {path.name for path in built.index.iterdir()} == {"generations", "lock", "manifest.json"}
    folder = in_force(built.index)
    written = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    for path in written:
        named = {path.as_posix(), f"{path.parent}/{path.name.split('.')[0]}.*", f"{path.parent}/"}
        assert any(f"`{name}`" in text for name in named), path


def test_what_the_pages_take_from_the_code_is_up_to_date() -> None:
    stale = [path.name for path, text in made().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "Run `make docs`, and commit what it has written."


def test_stale_pages_are_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("_build"))
    monkeypatch.setattr("docs.made.__main__.DOCS", tmp_path / "docs")
    page = tmp_path / "docs" / "how-it-works" / "features.md"
    page.write_text("Before.\n<!-- features -->\nold\n<!-- /features -->\n", encoding="utf-8")
    assert main() == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n") and "- `cosine`: " in text and "old" not in text


@pytest.mark.area("docs")
def test_the_pages_are_built_without_a_warning(tmp_path: Path) -> None:
    words = ["-q", "-W", "--keep-going", "-b", "html", "-d", tmp_path / "trees", DOCS]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *map(str, words), str(tmp_path / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "html" / "guide" / "python.html").is_file()


def test_every_example_is_a_draft() -> None:
    for path in sorted((ROOT / "examples").glob("*.json")):
        assert read_draft(path).title
