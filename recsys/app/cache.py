"""Where recsys keeps what it can build again: the user's cache folder."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return $RECSYS_CACHE, else $XDG_CACHE_HOME/recsys, else ~/.cache/recsys."""
    own = os.environ.get("RECSYS_CACHE")
    if own:
        return Path(own).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "recsys"
