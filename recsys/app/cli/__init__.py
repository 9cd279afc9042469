"""The command line: one small module per group of commands."""

from recsys.app.cli.program import main

__all__ = ["main"]
