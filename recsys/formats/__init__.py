"""File formats that people hand in and take away: drafts in, reference lists out."""
