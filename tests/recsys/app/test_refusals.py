"""What a command cannot do is one line with the next step and its exit code; nothing is written."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipelines.corpora.corpus_files import RIS
from tests.pipelines.small_probe import small_probe
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

EVALUATE = "evaluate INDEX --split SPLIT --out out"
LEARN = "--train-until 2005 --dev-until 2009"
PROBE = "study probe papers.jsonl --embeddings good.npy --label"
COMPARE = "study compare-encoders INDEX --split SPLIT --out out --encoder minilm"
SERVE = "serve INDEX --port 0"
REFUSALS = [
    # No command, no option, or no value of one.
    (2, "nope", ""),
    (2, "recommend --nope", ""),
    (2, "recommend -k 0", ""),
    (2, "recommend -k many", ""),
    (2, "recommend --as-of 21", ""),
    (2, "recommend --format xml", ""),
    *((2, word, "") for word in ("build", "train", "inspect", "study", "compare", "report")),
    (2, "compare a.trec", ""),
    (2, "study probe papers.jsonl --label venue", ""),
    (2, "study probe papers.jsonl --embeddings a.npy", ""),
    (2, f"{PROBE} x --min-count 3", ""),
    (2, "batch an.index --split split.json", ""),
    (2, "batch an.index --split s --run r --system magic", ""),
    # Drafts.
    (2, "recommend a.txt b.md --format ris", "ris cannot hold the answers to several drafts"),
    (
        2,
        "recommend a.txt b.md --format jsonl --out x --out-dir y",
        "Give --out or --out-dir, not both",
    ),
    (2, "recommend a.txt b.md --title Rivers", "need the file of a single draft"),
    (2, "recommend a.txt b.md --root .", "root need the file of a single draft"),
    (1, "recommend a.txt b.md --out-dir papers.ris", "papers.ris is a file."),
    (1, "recommend a.txt --out no/a.json", "There is no folder no"),
    (2, "recommend a.txt b.md --fetch", "it takes a single draft"),
    (2, "recommend a.txt --fetch --index x", "and no --index"),
    (2, "recommend W1 --fetch", "it needs a draft with text"),
    (2, "map a.txt --index none.index --out map.png", "must end in .html or .svg"),
    (2, "cite a.txt --index none.index --patch", "Keys need entries"),
    (2, "cite a.txt --index none.index --dry-run", "Keys need entries"),
    (2, "cite a.txt --index none.index --fill new.tex", "new.tex does not end in .bib"),
    (
        2,
        "cite - --index none.index --fill a.bib --patch",
        "A passage on stdin has no file to patch",
    ),
    (2, "cite a.txt --index none.index --offset 3", "--offset is for a passage on stdin"),
    (2, "cite a.txt --index none.index --line 0", "--line"),
    (2, "cite a.txt --index none.index --least 1.5", "--least"),
    (1, "cite a.txt --index none.index --fill no/a.bib", "There is no folder no"),
    (1, "cite a.txt --index none.index --out no/a.txt", "There is no folder no"),
    # Papers.
    (2, "build papers.jsonl", "Missing option '--out' or '--store'."),
    (2, "corpus papers.ris", "--describe"),
    (1, "corpus --describe none.jsonl", "none.jsonl"),
    *(
        (2, f"build papers.ris --out x --keyphrases={field}", "--keyphrases")
        for field in ("tags", "labels.", "", "labels.keywords_plus")
    ),
    (2, "fetch", "give exactly one of DRAFT"),
    (2, "fetch a.tex --query x", "give exactly one of DRAFT"),
    (2, "fetch --query x", "give the file to write"),
    (2, "fetch --query x --group 3", "needs --zotero"),
    (2, "fetch --update x.jsonl --out y.jsonl", "writes to its own file"),
    (1, "fetch --query x --out f.jsonl --source openalx", "Did you mean 'openalex'"),
    # Citing sentences.
    (2, "evaluate-local INDEX contexts --out out --years 2012-2011", "2011 is before 2012"),
    (2, "evaluate-local INDEX contexts --out out --years lately", "'lately' is not FIRST-LAST"),
    (2, "evaluate-local INDEX contexts --out out --years 2011-", "'2011-' is not FIRST-LAST"),
    (2, "train local INDEX contexts --train-until 2005", "--dev-until: Give both years"),
    (2, "train local INDEX contexts --dev-until 2005", "--train-until: Give both years"),
    (2, "train local INDEX contexts --train-until 5 --dev-until 5", "5 is not after 5"),
    (2, f"train local INDEX contexts {LEARN} --split x", "years or a split, not both"),
    # Measures.
    (1, f"{EVALUATE} --systems bm25,two-stages", "Did you mean 'two-stage'?"),
    *((2, f"{EVALUATE} {run}", "--run") for run in ("--run a", "--run =x", "--run a=x --run a=y")),
    (1, f"{PROBE} labels.fields", ""),
    (1, f"{PROBE} venue --out papers.jsonl", ""),
    (1, f"{PROBE} venue --seen no.txt", ""),
    (1, f"{PROBE} venue --probes linea", ""),
    (1, f"{COMPARE} --labels none.jsonl", "Give --labels with --label."),
    (1, f"{COMPARE} --label venue --labels none.jsonl", "no file of papers at none.jsonl"),
    (1, f"{COMPARE} --reference mini", "Did you mean 'minilm'?"),
    (1, "study clicks-estimate lgo.jsonl --method em", "'log.jsonl'"),
    (1, "study clicks-estimate log.jsonl --method em --out a.txt/x", "There is no folder"),
    (1, "study clicks-evaluate log.jsonl --propensities no", "no"),
    (1, "study clicks-task . --embeddings no.jsonl", "has no folder recomm"),
    (1, "study clicks-task . --embeddings no.jsonl --out .", "is a directory"),
    (1, "study clicks-simulate INDEX --out a.txt", "is a file"),
    (1, "study clicks-simulate no.index --out a.txt", "no.index"),
    (1, "study clicks-study INDEX --out a.txt", "is a file"),
    (1, "study clicks-study INDEX --out s --only learn", "'learning'"),
    # The page.
    (2, f"{SERVE} --host 0.0.0.0", "--token new"),
    (2, f"{SERVE} --host 192.0.2.7", "--token new"),
    (1, f"{SERVE} --host no-such-host.invalid --i-know", "Nothing can be served"),
    (2, f"{SERVE} --token short", "16"),
    (2, f"{SERVE} --token {'ä' * 20}", "ASCII"),
    (2, f"{SERVE} --token '{' ' * 20}'", "no spaces"),
    (2, f"{SERVE} --token 'sixteen or more letters'", "no spaces"),
    (2, f"{SERVE} --workers 0", "workers"),
    (1, "serve none.index --port 0 --quiet", "none.index"),
    (1, "serve INDEX INDEX --port 0 --quiet", "is given twice"),
]
"""Exit code, words of the command line, and what the line says."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: two drafts, papers of two formats, vectors, and a log of clicks."""
    small_probe(tmp_path)
    clicks = '{"query": "q", "shown": ["a", "b"], "clicked": ["a"]}\n'
    (tmp_path / "log.jsonl").write_text(clicks, encoding="utf-8")
    (tmp_path / "papers.ris").write_text(RIS, encoding="utf-8")
    (tmp_path / "a.txt").write_text("Rivers in surveys", encoding="utf-8")
    (tmp_path / "b.md").write_text("# Deserts measured again", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@each_row(("code", "words", "said"), REFUSALS)
def test_what_cannot_be_done_is_one_line_and_nothing_is_written(
    folder: Path, built: "Built", run_cli: "RunCli", code: int, words: str, said: str
) -> None:
    places = {"INDEX": built.index, "SPLIT": built.split}
    before = sorted(folder.rglob("*"))
    done = run_cli(*(places.get(word, word) for word in shlex.split(words)))
    assert (done.code, done.out) == (code, "")
    *_, line = done.err.splitlines()
    assert line.startswith("error: ") and done.err.count("error: ") == 1
    assert said in line and len(line) < 600
    assert "Traceback" not in done.err and "internal error" not in done.err
    assert code == 1 or "--help`." in line
    assert sorted(folder.rglob("*")) == before
