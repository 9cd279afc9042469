"""The command line: one small module per group of commands."""

from recsys.app.cli.entry import main

__all__ = ["main"]
