"""The running text of drafts, sentence by sentence: one file and one table row per format."""
