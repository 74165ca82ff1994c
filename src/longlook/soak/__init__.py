"""`make soak`: a small sweep, again and again, while all that takes part in it is killed, stopped, cut off or full."""
