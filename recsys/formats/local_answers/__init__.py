"""The formats of an answer sentence by sentence, and what puts it into the draft's own files."""
