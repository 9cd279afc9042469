import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from recsys.errors import EXTRAS, MissingExtraError, missing_extra, need

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_module_comes_with_its_extra() -> None:
    distributions, strangers = packages_distributions(), {}
    for module, extra in EXTRAS.items():
        requirements = PROJECT["project"]["optional-dependencies"][extra]
        names = {canonicalize_name(Requirement(each).name) for each in requirements}
        if not {*map(canonicalize_name, distributions[module])} <= names:
            strangers[module] = distributions[module]
    assert strangers == {}


def test_a_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError) as caught:
        need("torch", "Training")
    assert caught.value.what == "Training needs torch, which is not installed."
    assert caught.value.hint == "pip install 'citerec[train]'"


def test_a_failed_import_asks_for_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.nn.functional", None)
    with pytest.raises(ImportError) as caught:
        import_module("torch.nn.functional")
    missing = missing_extra(caught.value)
    assert missing is not None and missing.hint == "pip install 'citerec[train]'"
