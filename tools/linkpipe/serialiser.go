package main

import "math"

const nsPerSecond = 1e9

// serialiser puts packets on a line of a fixed rate one after the other. It
// keeps the fraction of a nanosecond that each packet leaves over, so that the
// rate of a busy line is exact however long it stays busy.
//
// Without a bucket an idle line stores no credit: a packet never starts before it
// arrives. With one it is a token bucket as that of tc-tbf(8) without a peak rate:
// an idle line saves up tokens for its bytes, as many as fill the bucket, and what
// there are tokens for leaves at once; the rest leaves as tokens come in at the
// rate. The bucket is kept as the time by which free lies behind the present: all
// of its depth when it is full, nothing when it is empty.
type serialiser struct {
	bps       int64          // bits per second, 0 = unlimited
	depth     int64          // what a full bucket is worth, ns at the rate
	free      int64          // time at which the line is free, ns; of a bucket, at which it is empty
	remainder int64          // fraction of a nanosecond after free, in units of 1/bps ns
	last      int64          // end of the packet booked last: those that follow do not overtake it
	trace     *opportunities // instead of a rate, nil without
}

// bitsPerSecond converts a rate in Mbit/s (10^6 bits per second).
func bitsPerSecond(mbps float64) int64 { return int64(math.Round(mbps * 1e6)) }

// send books a packet of length bytes that is ready at time now and returns the
// time at which its last bit is on the line.
func (s *serialiser) send(now int64, length int) int64 {
	if s.trace != nil {
		s.last = s.trace.send(now, length)
		return s.last
	}
	if now-s.depth > s.free {
		s.free, s.remainder = now-s.depth, 0
	}
	if s.bps > 0 {
		work := int64(length)*8*nsPerSecond + s.remainder
		s.free += work / s.bps
		s.remainder = work % s.bps
	}
	for _, bound := range []int64{now, s.free} {
		if s.last < bound {
			s.last = bound
		}
	}
	return s.last
}

// next is the time at which the line takes a packet that has been waiting since then, if
// there is one.
func (s *serialiser) next(since int64) int64 {
	if s.trace != nil {
		return s.trace.upcoming(since)
	}
	if s.last > since {
		return s.last
	}
	return since
}

// setRate changes the rate and the depth of the bucket, and empties it; what is on
// the line already keeps its times.
func (s *serialiser) setRate(bps, burstBytes int64) {
	s.bps, s.remainder, s.depth = bps, 0, 0
	if bps > 0 {
		s.depth = int64(float64(burstBytes) * 8 * nsPerSecond / float64(bps))
	}
}

// fill fills the bucket at time now, if there is one.
func (s *serialiser) fill(now int64) {
	if s.depth > 0 {
		s.free, s.remainder = now-s.depth, 0
	}
}

// follow has packets leave by a trace from time now on, behind those that are booked;
// without one (nil) the rate counts.
func (s *serialiser) follow(now int64, trace *traceConfig) {
	s.trace = nil
	if trace != nil {
		s.trace = &opportunities{at: trace.at}
		from := now
		if s.last > now {
			from = s.last
		}
		s.trace.begin(now, trace.OffsetMs*nsPerMs, from)
	}
}

// rewind makes the line free at an earlier time, to book waiting packets again.
func (s *serialiser) rewind(free int64) {
	s.free, s.remainder, s.last = free, 0, free
}
