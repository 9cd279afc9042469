"""Tables of works: CSV and its relatives, as databases and reference managers export them."""
