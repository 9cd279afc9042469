"""What the documentation says was measured: commands, figures, and the pages that show them."""
