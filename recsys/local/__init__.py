"""Local recommendation: which paper belongs to which sentence."""
