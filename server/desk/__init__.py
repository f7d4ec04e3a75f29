"""The desk: a local web application for organizers, over the workflows that the commands call."""
