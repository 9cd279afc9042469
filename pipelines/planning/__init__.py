"""How much of what an index of so many papers takes, from rates that were measured."""
