"""The encoder of citerec, as files: this package holds no code."""
