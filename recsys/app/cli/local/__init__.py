"""The commands on single sentences of a draft."""
