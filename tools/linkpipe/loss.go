package main

import "math"

// Stream constants keep the random numbers of the four uses apart, although all
// come from one seed. The values are arbitrary odd numbers.
const (
	streamServerToClient = 0x9e6c63d0876a9a47
	streamClientToServer = 0xd1b54a32d192ed03
	streamLoss           = 0x8cb92ba72f3d8dd7
	streamJitter         = 0xaef17502108ef2d9
)

// splitmix64 is the finaliser of Steele, Lea and Flood's generator ("Fast
// splittable pseudorandom number generators", OOPSLA 2014): a bijection on 64 bits.
func splitmix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// randomStream is a counter-based generator: number n depends on the key and n
// alone, never on how many numbers were drawn before or when.
type randomStream struct{ key uint64 }

func newRandomStream(seed, direction, purpose uint64) randomStream {
	return randomStream{splitmix64(splitmix64(seed^direction) ^ purpose)}
}

// at returns the n-th number of the stream.
func (s randomStream) at(n uint64) uint64 { return splitmix64(s.key + splitmix64(n)) }

// unit returns the n-th number of the stream as a float in [0, 1).
func (s randomStream) unit(n uint64) float64 { return float64(s.at(n)>>11) / (1 << 53) }

// lossModel drops each packet independently with a fixed probability.
type lossModel struct {
	stream    randomStream
	threshold uint64 // a packet is lost when its number is below this
	all       bool   // 100 %, which no 64-bit threshold can express
}

func newLossModel(pct float64, seed, direction uint64) lossModel {
	m := lossModel{stream: newRandomStream(seed, direction, streamLoss), all: pct >= 100}
	if !m.all {
		m.threshold = uint64(pct / 100 * math.Exp2(64))
	}
	return m
}

// lost says whether the packet with this ordinal is lost.
func (m lossModel) lost(ordinal uint64) bool {
	return m.all || (m.threshold > 0 && m.stream.at(ordinal) < m.threshold)
}
