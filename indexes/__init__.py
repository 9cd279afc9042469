"""Vector and text indexes: they find the rows that resemble a draft."""
