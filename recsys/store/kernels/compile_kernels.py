"""Compile the kernels when the package is built or installed; where that fails, do without.

Hatchling calls this file by its path, from an environment that holds no part of the package.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("recsys/store/kernels/compiled.c")
MODULE = "recsys.store.kernels.compiled"
LINKS = ("pipelines", "indexes", "eval")
NO_LINKS = (
    "recsys/ lacks its links to {}: this checkout was made without symbolic links. Allow them, and "
    "check out again: git config core.symlinks true && git checkout -- recsys. A wheel needs none."
)
# As written: a product and a sum are rounded one after the other, as numpy rounds them.
UNIX = ["-O3", "-ffp-contract=off", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math", "-g0"]
WINDOWS = ["/O2", "/fp:precise"]


class KernelsHook(BuildHookInterface[Any]):
    """Puts the compiled module beside its source, and into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; without a compiler, say that the kernels of numpy will be used.

        Raises:
            SystemExit: the checkout holds text files where `recsys/pipelines` and others are links.
        """
        unlinked = [name for name in LINKS if not (Path(self.root) / "recsys" / name).is_dir()]
        if unlinked:
            self.app.abort(NO_LINKS.format(", ".join(unlinked)))
        command = [sys.executable, str(Path(__file__).resolve())]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        found = sorted((Path(self.root) / SOURCE.parent).glob("compiled*.so"))
        found += sorted((Path(self.root) / SOURCE.parent).glob("compiled*.pyd"))
        if done.returncode or not found:
            last = (done.stderr.strip().splitlines() or ["no module was made"])[-1]
            self.app.display_warning(f"Answers will be slower: {SOURCE} was not compiled ({last}).")
            return
        build_data["artifacts"] += [path.relative_to(self.root).as_posix() for path in found]
        build_data["pure_python"] = False
        # The platform as hatchling would name it: of a Mac, the oldest that is compiled for.
        platform = self.build_config.builder.get_best_matching_tag().rpartition("-")[2]
        build_data["tag"] = f"cp311-abi3-{platform}"


def compile_beside() -> None:
    """Compile the module of the current folder's checkout into the place of its source."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    flags = WINDOWS if sys.platform == "win32" else UNIX
    kernels = Extension(
        MODULE, [str(SOURCE)], py_limited_api=True, extra_compile_args=flags, depends=[str(SOURCE)]
    )
    command = build_ext(Distribution({"name": "recsys", "ext_modules": [kernels]}))
    command.inplace = True
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    compile_beside()
