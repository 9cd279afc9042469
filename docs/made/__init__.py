"""What the pages take from the code, so that it cannot be out of date: `python -m docs.made`."""
