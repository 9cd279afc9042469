"""Make one corpus of files of any format: read, merge what is the same, link what cites what."""
