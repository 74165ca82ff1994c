"""Prints links/markov.trace, in mahimahi's format: a rate that a Markov chain moves, no measurement of any network.

  python tools/markov_trace.py > links/markov.trace

Every 100 ms the chain stays in its state or goes to a neighbour, to either with the same probability. A state is a
rate of full packets, evenly spaced within its 100 ms.
"""

import random

SEED, STEPS, STEP_MS = 2026, 400, 100
PACKETS = (0, 10, 25, 50, 100)
"""In each step: 0, 1.2, 3, 6.1 and 12.1 Mbit/s of full frames."""
MOVES = 0.2
"""Probability of each neighbour: a state lasts a quarter of a second, at the ends half of one, on average."""


def lines():
    draw, state = random.Random(SEED), len(PACKETS) // 2
    for step in range(STEPS):
        for number in range(count := PACKETS[state]):
            yield step * STEP_MS + (2 * number + 1) * STEP_MS // (2 * count)
        drawn = draw.random()
        if drawn < MOVES:
            state = max(state - 1, 0)
        elif drawn < 2 * MOVES:
            state = min(state + 1, len(PACKETS) - 1)


if __name__ == "__main__":
    print("\n".join(str(one) for one in lines()))
