"""From a draft to a question: what is read, matched, understood, filtered and asked."""
