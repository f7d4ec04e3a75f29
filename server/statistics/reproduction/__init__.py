"""Published tables and figures, computed again and put beside what was printed."""
