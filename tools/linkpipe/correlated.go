package main

import (
	"math"
	"math/bits"
)

// share is a part of all 64-bit numbers: a number belongs to it when it is below the threshold.
type share struct {
	threshold uint64
	all       bool // 100 %, which no 64-bit threshold can express
}

func newShare(pct float64) share {
	if pct >= 100 {
		return share{all: true}
	}
	return share{threshold: uint64(pct / 100 * math.Exp2(64))}
}

func (s share) none() bool               { return !s.all && s.threshold == 0 }
func (s share) holds(number uint64) bool { return s.all || number < s.threshold }

// correlatedStream mixes each number of a stream with the one before, as netem's
// generator does: x[n] = rho*x[n-1] + (1-rho)*fresh[n], with x[0] = fresh[0]. The
// mean stays, the standard deviation shrinks by sqrt((1-rho)/(1+rho)), and the
// numbers crowd around the middle: a small share of them is met far less often
// than it says. Without correlation the numbers are the fresh ones.
//
// x[n] depends on the key, rho and n alone, but is reached through all before it.
type correlatedStream struct {
	fresh randomStream
	rho   uint64 // in units of 2^-64
	n     uint64
	last  uint64 // x[n]
}

func newCorrelatedStream(correlationPct float64, fresh randomStream) correlatedStream {
	return correlatedStream{fresh: fresh, rho: newShare(correlationPct).threshold, last: fresh.at(0)}
}

// at returns x[n]; n must not be less than the last time.
func (s *correlatedStream) at(n uint64) uint64 {
	if s.rho == 0 {
		return s.fresh.at(n)
	}
	for s.n < n {
		s.n++
		kept, _ := bits.Mul64(s.last, s.rho)
		added, _ := bits.Mul64(s.fresh.at(s.n), -s.rho) // 2^64 - rho
		s.last = kept + added
	}
	return s.last
}

// chance befalls a share of the packets.
type chance struct {
	share
	numbers correlatedStream
}

func newChance(pct, correlationPct float64, fresh randomStream) chance {
	return chance{newShare(pct), newCorrelatedStream(correlationPct, fresh)}
}

// befalls says whether number n is among them; n must not be less than the last time.
func (c *chance) befalls(n uint64) bool {
	return !c.none() && c.holds(c.numbers.at(n))
}
