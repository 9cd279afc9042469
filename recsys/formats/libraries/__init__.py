"""What libraries keep: the databases of reference managers, and folders of PDFs."""
