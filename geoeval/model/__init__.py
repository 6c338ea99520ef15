"""What the rest of the house passes around."""
