"""What programs ask: operations, their objects, and their description."""
