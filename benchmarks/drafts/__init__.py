"""Drafts in the wild: small drafts in the ways in which people write them, and their readings."""
