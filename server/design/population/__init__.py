"""From a population file to distinct tuples with their people."""
