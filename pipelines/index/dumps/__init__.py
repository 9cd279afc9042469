"""Files of works too many for memory: sorted in runs, joined part by part, the same bytes."""
