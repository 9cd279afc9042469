"""The loops that an answer spends its time in, compiled, and how Python calls them."""
