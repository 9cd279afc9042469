"""Libraries of reference managers and folders of papers, as they lie on a disk."""
