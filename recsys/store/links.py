"""Give a file that is never written again a second name, instead of a copy."""

import os
import shutil
from pathlib import Path


def link_or_copy(file: Path | str, also: Path | str) -> None:
    """Link a file under another name; copy it where the file system has no links."""
    try:
        os.link(file, also)
    except OSError:
        shutil.copyfile(file, also)
