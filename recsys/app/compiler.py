"""Look for what it takes to compile Annoy on installation: a C++ compiler and Python's headers.

`python recsys/app/compiler.py` looks before anything is installed, so that nobody has to read the
output of a failed compilation: the standard library is all that may be imported here.
"""

import os
import platform
import shutil
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

COMPILERS = ("c++", "g++", "clang++")
COMMANDS: Mapping[str, str] = {
    "debian": "apt-get install g++ python3-dev",
    "fedora": "dnf install gcc-c++ python3-devel",
    "suse": "zypper install gcc-c++ python3-devel",
    "arch": "pacman -S gcc",
    "alpine": "apk add g++ python3-dev",
    "darwin": "xcode-select --install",
    "win32": "winget install Microsoft.VisualStudio.2022.BuildTools, with its C++ workload",
}
"""Family of operating systems -> what installs both there."""

_OTHER = "Debian, Ubuntu: g++ and python3-dev; Fedora: gcc-c++ and python3-devel"
_VISUAL_STUDIO = "Microsoft Visual Studio/Installer/vswhere.exe"


def compiler() -> str | None:
    """Return the path of a C++ compiler, if there is one."""
    own = os.environ.get("CXX", "").split()[:1]
    found = next((path for name in (*own, *COMPILERS) if (path := shutil.which(name))), None)
    if found is None and sys.platform == "win32":  # Its compiler is on no path.
        installer = Path(os.environ.get("PROGRAMFILES(X86)", "C:/")) / _VISUAL_STUDIO
        return str(installer) if installer.is_file() else None
    return found


def missing() -> list[str]:
    """Name what Annoy cannot be compiled without and is not there."""
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    there = {
        "C++ compiler": compiler() is not None,
        f"{headers} (the headers of Python {platform.python_version()})": headers.is_file(),
    }
    return [name for name, found in there.items() if not found]


def how_to_install(systems: Sequence[str] | None = None) -> str:
    """Say what to run to get both.

    Args:
        systems: names of the operating system, the closest one first; None: this one.
    """
    if systems is None:
        systems = [sys.platform]
        with suppress(OSError):  # Linux alone says more, but for small images of it.
            known = platform.freedesktop_os_release()
            systems = [known.get("ID", ""), *known.get("ID_LIKE", "").split()]
    command = next((COMMANDS[name] for name in systems if name in COMMANDS), None)
    return f"Run `{command}`." if command else f"Install both ({_OTHER})."


def main() -> int:
    """Tell what is missing, and return the exit code."""
    if lacking := missing():
        what = " and no ".join(lacking)
        sys.stderr.write(
            f"note: Annoy is left out: it is compiled on installation, and there is no {what}. "
            f"Nothing but `recsys build --vectors annoy` needs it. {how_to_install()}\n"
        )
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
