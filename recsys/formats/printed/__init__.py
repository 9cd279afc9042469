"""Works as lists of references print them, in any of the usual styles."""
