"""Make one corpus of files of any format, and say what it is worth."""
