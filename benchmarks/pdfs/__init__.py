"""A folder of PDFs made for the purpose: invented papers that cite each other, in many prints."""
