"""Speed and fidelity of the link emulator, measured: `make bench`."""
