"""What a testbed may be called: it becomes part of names of namespaces and locks. Imports nothing that is slow."""

MOST = 16
PATTERN = rf"[a-z0-9]{{1,{MOST}}}"
WORDS = f"1 to {MOST} of a-z and 0-9"
