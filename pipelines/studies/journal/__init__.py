"""Train encoders to tell the journals of papers (MIReAD, Razdaibiedina & Brechalov 2023)."""
