"""The command line: one small module per group of commands."""

from recsys.app.cli.entry import console, main

__all__ = ["console", "main"]
