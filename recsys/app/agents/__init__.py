"""What agents ask of an index by MCP, the Model Context Protocol."""
