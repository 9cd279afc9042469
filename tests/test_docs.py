"""README, pages and program speak of the same: what is shown can be run, what there is is shown."""

import argparse
import contextlib
import glob
import gzip
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import typer

from docs.made.__main__ import DOCS, made, main
from docs.made.commands import walk
from pipelines.benchmarks.written_drafts.packed_drafts import FORMATS as KINDS
from pipelines.benchmarks.written_drafts.packed_drafts import packed_drafts
from pipelines.benchmarks.written_drafts.read_drafts import put_down
from pipelines.online.pacing import RealClock
from pipelines.online.site_table import SITES
from recsys.app.cli.program import application
from recsys.formats.answers import ANSWER_SCHEMA, RECOMMENDATION_SCHEMA
from recsys.formats.contexts.context_formats import FORMATS as CONTEXT_FORMATS
from recsys.formats.contexts.context_formats import ContextFormat
from recsys.formats.drafts.draft_formats import read_draft
from recsys.formats.drafts.objects import KEYS, REFERENCE_KEYS
from recsys.formats.papers.paper_formats import FORMATS as JSON_FORMATS
from recsys.formats.papers.paper_formats import PaperFormat
from recsys.formats.source_formats import FORMATS as SOURCE_FORMATS
from recsys.formats.source_formats import SourceFormat
from recsys.stage_one.sources import names
from recsys.store.generations import in_force
from tests.online.catalogue import Catalogue
from tests.online.loopback import serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.small_world import papers_of, small_world
from tests.online.world import all_served
from tests.pipelines.remote.store_server import served
from tests.recsys.app.web.served_process import started
from tests.recsys.formats.drafts.small_docx import docx, paragraph
from tests.recsys.formats.drafts.small_pdf import Text, write_pdf
from tests.recsys.formats.exports.golden_exports import RIS, WOS
from tests.recsys.formats.libraries.zotero_maker import Library
from tests.recsys.formats.tables.exported_tables import EXPORTS

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if "_build" not in path.parts
}
README = PAGES["README.md"]
TAUGHT = [name for name in PAGES if name == "README.md" or name.startswith("docs/guide/")]
"""Pages whose commands and Python run here, as a reader would run them."""
COMMANDS: dict[str, Any] = {
    name.removeprefix("recsys "): command
    for name, command in walk(typer.main.get_command(application()))
}
LONGEST_README = 150
NOTHING_FOUND = 3


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL)


def lines(page: str, language: str) -> list[str]:
    return [line for each in blocks(page, language) for line in each.splitlines() if line.strip()]


def shown(*pages: str) -> list[str]:
    """List the commands of recsys on some pages, each once."""
    found = (line for page in pages for line in lines(page, "sh") if line.startswith("recsys "))
    return list(dict.fromkeys(found))


def words_of(line: str) -> tuple[list[str], str]:
    """Split a command into its words and the file that it reads from stdin."""
    command, _, file = line.partition(" < ")
    words = shlex.split(command, comments=True)[1:]
    return [each for word in words for each in expanded(word)], file.strip()


def expanded(word: str) -> list[str]:
    """Do what a shell does to a word with * or ~; a pattern of an option is left as it is."""
    if word.startswith("~/"):
        return [str(Path(word).expanduser())]
    return (sorted(glob.glob(word)) if re.search(r"\*.*\.", word) else []) or [word]


@pytest.fixture
def workplace(built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file that the guide speaks of, as the current one."""
    examples = ROOT / "examples"
    shutil.copytree(examples, tmp_path / "examples")
    shutil.copytree(built.index, tmp_path / "my.index")
    shutil.copy(built.split, tmp_path / "split.json")
    shutil.copy(examples / "draft.json", tmp_path / "draft.json")
    (tmp_path / "papers.jsonl.gz").write_bytes(gzip.compress(built.papers.read_bytes()))
    said = (
        {
            "citing": f"rivers-{age:02}",
            "cited": f"rivers-{age - 1:02}",
            "text": "We measure rivers.",
        }
        for age in (4, 7, 10)
    )
    contexts = "".join(json.dumps(each) + "\n" for each in said)
    (tmp_path / "contexts.jsonl.gz").write_bytes(gzip.compress(contexts.encode()))
    new = b'{"id": "new", "title": "On citations", "year": 2012}\n'
    (tmp_path / "more.jsonl.gz").write_bytes(gzip.compress(new))
    (tmp_path / "everything.jsonl").write_bytes(built.papers.read_bytes() + new)
    (tmp_path / "ids.txt").write_text("undated\n", encoding="utf-8")
    for name in ("likes.bib", "refs.bib"):
        shutil.copy(examples / "paper.bib", tmp_path / name)
    disliked = "@article{a, title = {Attention Is All You Need}, year = 2017}\n"
    (tmp_path / "dislikes.bib").write_text(disliked, encoding="utf-8")
    notes = "# Notes on citations\n\nCitations recommended for drafts, by their text.\n"
    (tmp_path / "notes.md").write_text(notes, encoding="utf-8")
    pdf = write_pdf([[Text("Citation recommendation for drafts", size=18)]])
    (tmp_path / "paper.pdf").write_bytes(pdf)
    write_sources(tmp_path, pdf)
    write_drafts(tmp_path / "drafts")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def write_drafts(folder: Path) -> None:
    """Write a draft of each kind, as those are written that the reader is measured by."""
    for draft in packed_drafts():
        if draft.part == KINDS and "headings" not in draft.name:
            put_down(draft, folder)
    (folder / "paper.docx").write_bytes(docx(paragraph("Bells without ropes", style="Title")))
    (folder / "work" / "tex").mkdir()
    source = r"\documentclass{article}\title{Bells}\cite{bell1999}\bibliography{../refs}"
    (folder / "work" / "tex" / "paper.tex").write_text(source, encoding="utf-8")


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Servers of the project in the place of the sources on the web; nobody waits for them."""
    openalex = OpenAlexSite(Catalogue(papers_of(small_world(60))))
    with all_served() as servers, serving(openalex) as served:
        for name, address in {**servers.addresses, "openalex": served.address}.items():
            monkeypatch.setenv(SITES[name].variable, address)
        monkeypatch.setattr(RealClock, "sleep", lambda clock, seconds: None)
        yield


@pytest.fixture(scope="module")
def on_store() -> Iterator[None]:
    """A store on the loopback, with an empty bucket of the name `bucket`."""
    with served():
        yield


def write_sources(folder: Path, pdf: bytes) -> None:
    """Write papers as people have them: exports, a library, dumps, a folder of PDFs."""
    (folder / "papers.ris").write_text(RIS, encoding="utf-8")
    for name in ("savedrecs.txt", "savedrecs(1).txt", "field.txt"):
        (folder / name).write_text(WOS, encoding="utf-8")
    for name in ("scopus.csv", "more.csv"):
        (folder / name).write_text(EXPORTS["Scopus"].text, encoding="utf-8")
    table = "TI;AU;PY\nGrowing trees in the dark;Ash, Ada;2004\n"
    (folder / "table.csv").write_text(table, encoding="utf-8")
    for name in ("Zotero", "pdfs", "openalex-works", "s2"):
        (folder / name).mkdir()
    Library(folder / "Zotero").add("journalArticle", {"title": "Growing trees", "date": "2004"})
    (folder / "pdfs" / "paper.pdf").write_bytes(pdf)
    work = {"id": "https://openalex.org/W1", "title": "Trees", "publication_year": 2004}
    parts = {
        "openalex-works/part_000.gz": work,
        "s2/papers-0.gz": {"corpusid": 1, "title": "Growing trees", "year": 2004},
        "s2/abstracts-0.gz": {"corpusid": 1, "openaccessinfo": {}, "abstract": "In the dark."},
        "s2/citations-0.gz": {"citationid": 1, "citingcorpusid": 1, "citedcorpusid": 2},
    }
    for name, record in parts.items():
        (folder / name).write_bytes(gzip.compress(json.dumps(record).encode() + b"\n"))


@pytest.mark.parametrize("form", [*SOURCE_FORMATS, *JSON_FORMATS], ids=lambda form: form.name)
def test_every_format_of_papers_has_its_row_in_the_guide(form: SourceFormat | PaperFormat) -> None:
    page = PAGES["docs/guide/sources.md"]
    # The rows of JSON are those of JSON_FORMATS.
    assert f"\n| {form.name} |" in page or form.name == "JSON"


@pytest.mark.parametrize("form", CONTEXT_FORMATS, ids=lambda form: form.name)
def test_every_format_of_contexts_has_its_row_in_the_guide(form: ContextFormat) -> None:
    assert f"\n| {form.name} |" in PAGES["docs/guide/local.md"]


def test_the_program_has_the_promised_commands() -> None:
    promised = {"recommend", "build", "train ranker", "batch", "inspect", "doctor"}
    assert promised <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_explains_itself_in_sentences(name: str) -> None:
    command = COMMANDS[name]
    assert command.help and re.match(r"[A-Z]", command.help)
    assert command.help.strip().endswith(".")
    for parameter in command.params:
        assert re.match(r"[A-Z`]", parameter.help or ""), parameter.name
        assert parameter.help.endswith((".", "programs.")), parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_reference_and_on_a_page_that_people_wrote(name: str) -> None:
    reference = "docs/reference/commands.md"
    assert f"\n## recsys {name}\n" in PAGES[reference]
    assert any(f"recsys {name}" in text for page, text in PAGES.items() if page != reference)


@pytest.mark.parametrize("line", shown(*PAGES))
def test_pages_show_commands_and_options_that_exist(line: str) -> None:
    words, _ = words_of(line)
    name = max((n for n in COMMANDS if words[: len(n.split())] == n.split()), key=len)
    command, rest = COMMANDS[name], words[len(name.split()) :]
    context = command.make_context("recsys", rest, resilient_parsing=False)
    assert context.params


@pytest.mark.parametrize("page", [page for page in TAUGHT if shown(page)])
def test_the_commands_of_readme_and_guide_run(
    page: str, workplace: Path, web: None, on_store: None, run_cli: "RunCli"
) -> None:
    if any("recsys build" in line and "--out my.index" in line for line in shown(page)):
        shutil.rmtree("my.index")  # The page builds it first.
    for line in shown(page):
        words, file = words_of(line)
        if words[0] == "serve":
            assert_serves(*words[1:])
            continue
        if words[0] == "fetch" or "--fetch" in words:
            words.append("--yes")  # As the reader says on the terminal.
        done = run_cli(*words, stdin=(workplace / file).read_bytes() if file else b"")
        # Filters may leave none of the few papers here, and no split can be made of them.
        makes_split = words[0] in ("train", "evaluate") and "--split" not in words
        asks = words[0] in ("recommend", "cite")
        allowed = {0, NOTHING_FOUND} if asks or makes_split else {0}
        assert done.code in allowed, f"{line}\n{done.err}"


def assert_serves(*words: str) -> None:
    """Serve, on any port and without a browser, until it answers."""
    rest = [word for word in words if word != "--open"]
    with started(*rest) as (_, address):
        assert httpx2.get(f"{address}healthz", timeout=30).json() == {"status": "ok"}


@pytest.mark.parametrize("line", lines("docs/guide/serve.md", "curl"))
def test_the_curl_examples_are_answered(line: str, workplace: Path) -> None:
    with started("my.index") as (_, address):
        answer = httpx2.request(**request_of(line, address), timeout=30)
    assert answer.status_code == 200, answer.text
    assert answer.text


def request_of(line: str, address: str) -> dict[str, Any]:
    """Read a line of curl as what httpx2 takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-H", action="append", default=[])
    parser.add_argument("-F", action="append", default=[])
    parser.add_argument("-d")
    told = parser.parse_args(shlex.split(line)[1:])
    parts = [part.partition("=")[::2] for part in told.F]
    files = [(name, value) for name, value in parts if value.startswith("@")]
    found: dict[str, Any] = {
        "url": told.url.replace("http://127.0.0.1:8000/", address),
        "headers": dict(header.split(": ", 1) for header in told.H),
        "method": "POST" if told.d or parts else "GET",
    }
    if told.d:
        found["content"] = told.d
    if parts:
        found["data"] = {name: value for name, value in parts if not value.startswith("@")}
        opened = [(name, Path(value[1:])) for name, value in files]
        found["files"] = [(name, (path.name, path.read_bytes())) for name, path in opened]
    return found


@pytest.mark.parametrize("page", [page for page in TAUGHT if blocks(page, "python")])
def test_the_python_of_readme_and_guide_runs(page: str, workplace: Path) -> None:
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for block in blocks(page, "python"):
            exec(compile(block, page, "exec"), names)
    assert out.getvalue().startswith("1 ")


@pytest.mark.parametrize("page", PAGES)
def test_other_python_and_json_is_whole(page: str) -> None:
    for block in blocks(page, "python"):
        compile(block, page, "exec")
    assert all(json.loads(line) for line in lines(page, "json"))


def test_the_answer_that_readme_shows_is_the_one_that_people_get(
    workplace: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("recommend", "examples/draft.json", "-k", 1, "--quiet")
    first, facts, *reasons = done.out.splitlines()
    for page in ("README.md", "docs/index.md", "docs/guide/answers.md"):
        block = next(each for each in blocks(page, "") if " %  " in each)
        title, who, *why = block.splitlines()
        assert title.split("%")[1] == first.split("%")[1]
        assert facts.startswith(who.removesuffix("..."))
        assert why == reasons


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= LONGEST_README


def results_row(page: str, corpus: str, system: str) -> list[str]:
    """Return F1@20, MRR and R@100 of a system in a table of results, without their intervals."""
    text = PAGES[f"docs/results/{page}.md"]
    tables = re.split(r"^\*\*", text, flags=re.MULTILINE)[1:]
    [part] = [each for each in tables if re.search(rf"\b{corpus}\b", each.splitlines()[0])]
    rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in part.splitlines()]
    header = next(row for row in rows if row[:1] == ["system"])
    [row] = [row for row in rows if row[:1] == [system]]
    numbers = [row[header.index(name)] for name in ("F1@20", "MRR", "R@100")]
    return [re.findall(r"\d\.\d+", number)[0] for number in numbers]


@pytest.mark.parametrize(
    ("title", "page", "system"),
    [
        ("recsys, two stages", "evaluation", "two-stage"),
        ("Citeomatic, NNSelect + NNRank", "seeds", "nnrank"),
        ("Citeomatic's BM25", "evaluation", "bm25-whoosh"),
        ("BM25", "evaluation", "bm25"),
        ("embedding alone (MiniLM)", "evaluation", "embedding"),
    ],
)
def test_readme_has_the_figures_of_the_results(title: str, page: str, system: str) -> None:
    rows = [
        [cell.strip(" *") for cell in line.split("|")[1:-1]]
        for line in README.splitlines()
        if line.startswith("| ")
    ]
    [row] = [row for row in rows if row[0] == title]
    expected = [*results_row(page, "vis", system), *results_row(page, "archaeology", system)]
    assert row[1:] == expected


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_targets_and_files_that_exist(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert {line for line in re.findall(r"`make ([a-z-]+)", PAGES[page])} <= targets
    inside = re.findall(r"`((?:recsys|pipelines|indexes|eval|tests|docs)/[\w/.-]+)`", PAGES[page])
    built = ("docs/_build",)
    assert {path for path in inside if not (ROOT / path).exists()} <= {
        path for path in inside if path.startswith(built)
    }
    modules = re.findall(r"`python -m ([\w.]+)", PAGES[page])
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
    assert all(f"| `{source}` |" in answer for source in names())
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
    assert text.startswith("Before.\n") and "| `cosine` |" in text and "old" not in text


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
