"""What a release consists of besides the wheels: files of its repository that name one another."""

import re
import subprocess
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from recsys.store.artifacts import VERSION
from tests.release_check import refusal
from tests.test_packaging import MAKEFILE, PROJECT
from tests.without_extras import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RECIPE = ROOT / "packages/conda/citerec/recipe.yaml"


def parsed(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content


def steps() -> list[dict[str, Any]]:
    jobs = chain.from_iterable(parsed(path)["jobs"].values() for path in WORKFLOWS)
    return [step for job in jobs for step in job["steps"]]


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with one commit."""
    git(tmp_path, "init")
    (tmp_path / "file").write_text("1", encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--message", "First")
    return tmp_path


def test_a_commit_is_released_without_a_tag_and_with_that_of_its_version(clone: Path) -> None:
    assert refusal(clone) is None
    git(clone, "tag", f"v{VERSION}")
    assert refusal(clone) is None


def test_a_tag_that_is_not_the_version_is_not_released(clone: Path) -> None:
    git(clone, "tag", "v0.0.1")
    why = refusal(clone)
    assert why and f"The tag is v0.0.1 and the version {VERSION}" in why


def test_what_is_not_committed_is_not_released(clone: Path) -> None:
    (clone / "file").write_text("2", encoding="utf-8")
    (clone / "other").touch()
    assert str(refusal(clone)).startswith("Not committed: file, other. ")


def test_only_a_clone_is_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert "Release from a clone." in str(refusal(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Install git." in str(refusal(tmp_path))


def test_who_cites_it_cites_this_version() -> None:
    citation = parsed(ROOT / "CITATION.cff")
    (released,) = re.findall(
        rf"^## \[{re.escape(VERSION)}\] - (\S+)",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert (citation["version"], citation["date-released"]) == (VERSION, released)
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["authors"] == PROJECT["project"]["authors"]


def test_every_action_is_pinned_and_no_workflow_knows_a_secret() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    used = re.findall(r"uses: (.*)", text)
    assert used and len(used) == sum("uses" in step for step in steps())
    assert [use for use in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", use)] == []
    assert "secrets." not in text and "pull_request_target" not in text


def test_no_job_may_more_than_it_says_and_no_checkout_keeps_its_token() -> None:
    workflows = {path.name: parsed(path) for path in WORKFLOWS}
    assert all(each["permissions"] == {} for each in workflows.values())
    for step in steps():
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert {
        (name, job)
        for name, workflow in workflows.items()
        for job, content in workflow["jobs"].items()
        if "write" in content["permissions"].values()
    } == {("publish.yml", "publish"), ("docs.yml", "deploy")}


def test_workflows_call_targets_and_tests_that_there_are() -> None:
    commands = "\n".join(step.get("run", "") for step in steps())
    targets = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))
    called = {word for words in re.findall(r"make ([a-z -]+)", commands) for word in words.split()}
    assert called and called <= targets
    places = re.findall(r"(?:tests/|\.ci/)[\w./]+", commands)
    assert places and all((ROOT / place).exists() for place in places)


def test_conda_gets_the_dependencies_that_pip_gets() -> None:
    requirements = parsed(RECIPE)["requirements"]
    lines = {
        "run": PROJECT["project"]["dependencies"],
        "host": ["hatchling>=1.27", "setuptools>=75"],
    }
    for kind, needed in lines.items():
        asked = {canonicalize_name(r.name): r.specifier for r in map(Requirement, needed)}
        listed = [line for line in requirements[kind] if line not in ("python", "pip")]
        found = {r.name: r.specifier for r in map(Requirement, listed)}
        assert found == asked


def test_who_reports_something_is_asked_for_what_it_takes() -> None:
    forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    for form in [parsed(path) for path in forms if path.stem != "config"]:
        assert {"name", "description", "labels", "body"} == set(form)
        asked = [part for part in form["body"] if part["type"] != "markdown"]
        assert len({part["id"] for part in asked}) == len(asked) > 0
        assert any(part.get("validations", {}).get("required") for part in asked)


def test_the_container_is_built_of_what_a_release_makes() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE)
    assert {f"!{place}" for line in copied for place in line.split()} == {*ignored} - {"*"}
    assert re.search(r"^USER [1-9]", text, re.MULTILINE) and "/healthz" in text
