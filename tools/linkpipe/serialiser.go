package main

import "math"

const nsPerSecond = 1e9

// serialiser puts packets on a line of a fixed rate one after the other. It
// keeps the fraction of a nanosecond that each packet leaves over, so that the
// rate of a busy line is exact however long it stays busy. An idle line stores
// no credit: a packet never starts before it arrives.
type serialiser struct {
	bps       int64 // bits per second, 0 = unlimited
	free      int64 // time at which the line is free, ns
	remainder int64 // fraction of a nanosecond after free, in units of 1/bps ns
}

// bitsPerSecond converts a rate in Mbit/s (10^6 bits per second).
func bitsPerSecond(mbps float64) int64 { return int64(math.Round(mbps * 1e6)) }

// send books a packet of length bytes that is ready at time now and returns the
// time at which its last bit is on the line.
func (s *serialiser) send(now int64, length int) int64 {
	if now > s.free {
		s.free, s.remainder = now, 0
	}
	if s.bps > 0 {
		work := int64(length)*8*nsPerSecond + s.remainder
		s.free += work / s.bps
		s.remainder = work % s.bps
	}
	return s.free
}

// setRate changes the rate; what is on the line already keeps its times.
func (s *serialiser) setRate(bps int64) {
	s.bps, s.remainder = bps, 0
}

// rewind makes the line free at an earlier time, to book waiting packets again.
func (s *serialiser) rewind(free int64) {
	s.free, s.remainder = free, 0
}
