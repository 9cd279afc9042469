"""A file of tensors and facts that a killed training continues from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor


@dataclass(frozen=True, slots=True)
class TensorFile:
    """Where they are kept. key: of everything that they depend on."""

    path: Path
    key: str

    def save(self, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Replace the file, whole or not at all; facts are what JSON can hold."""
        temporary = self.path.with_name(f".{self.path.name}.tmp")
        whole = {name: each.detach().cpu().contiguous() for name, each in tensors.items()}
        save_file(whole, temporary, {"key": self.key, "facts": json.dumps(facts)})
        temporary.replace(self.path)

    def load(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """Read what was saved with the same key, if there is anything."""
        try:
            with safe_open(self.path, "pt") as file:
                notes = file.metadata() or {}
                if notes.get("key") != self.key:
                    return None
                tensors = {name: file.get_tensor(name) for name in file.keys()}
        except (OSError, SafetensorError):  # Not there, or not finished.
            return None
        return tensors, json.loads(notes["facts"])


def named(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Put a prefix before names."""
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def below(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Pick what has a prefix, and take that off."""
    start = f"{prefix}/"
    return {name[len(start) :]: each for name, each in tensors.items() if name.startswith(start)}
