"""Why an implementation failed: its recorded answers compared with what wrong implementations would have answered."""
