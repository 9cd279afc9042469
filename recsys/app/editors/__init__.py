"""The language server: what editors ask of an index while somebody writes."""
