"""File formats that people hand in and take away: papers and drafts in, reference lists out."""
