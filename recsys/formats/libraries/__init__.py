"""What libraries keep: the data bases of reference managers, and folders of PDFs."""
