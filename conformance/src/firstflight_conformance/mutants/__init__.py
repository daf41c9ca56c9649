"""Wrong implementations, and which vectors reject them."""
