"""What every request goes through before it is answered, and its answer after."""
