"""Run the program as `python -m recsys`, for where `recsys` is on no path."""

import sys

from recsys.app.cli import console

if __name__ == "__main__":
    sys.exit(console())
