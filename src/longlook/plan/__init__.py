"""What is measured: links, workloads, arms, cells and sweeps.

Frozen, validated, units in the names, no I/O but one file read.
"""
