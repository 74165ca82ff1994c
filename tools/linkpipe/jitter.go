package main

import "math"

// jitterSource gives the propagation delay of packets. It has four modes:
//
//   - none: always the base delay, and packets never overtake each other;
//   - uniform: each packet draws from uniform[base - range/2, base + range/2];
//   - redraw: one draw from the same distribution holds for a whole interval.
//     When a draw is lower than the one before, the first half of the interval
//     uses their mean and the second half the draw itself: the thesis re-draws
//     every 100 ms and lowers the delay in two half steps of 50 ms;
//   - normal: each packet draws from the normal distribution around base, by the
//     inverse of its distribution function; a delay below 0 is 0.
//
// Numbers come from a counter-based stream: packet n (uniform, normal) or interval
// n (redraw) has the same delay in every run with the same seed. With correlation
// (mode normal) it is a correlatedStream, whose numbers crowd around the middle:
// so do the delays then, and their standard deviation is less than sd.
type jitterSource struct {
	mode     string
	base     int64 // ns
	span     int64 // full range, ns
	interval int64 // ns, mode redraw
	epoch    int64 // time at which interval 0 began
	stream   randomStream
	sd       float64          // ns, mode normal
	numbers  correlatedStream // mode normal
}

func newJitterSource(cfg dirConfig, direction uint64, now int64) jitterSource {
	stream := newRandomStream(cfg.Seed, direction, streamJitter)
	return jitterSource{
		mode:     cfg.Jitter.Mode,
		base:     millis(cfg.DelayMs),
		span:     millis(cfg.Jitter.RangeMs),
		interval: millis(cfg.Jitter.IntervalMs),
		epoch:    now,
		stream:   stream,
		sd:       cfg.Jitter.SdMs * 1e6,
		numbers:  newCorrelatedStream(cfg.Jitter.CorrelationPct, stream),
	}
}

// reorders says whether packets may overtake each other.
func (j *jitterSource) reorders() bool { return j.mode != jitterNone }

// delay returns the delay of the packet with this ordinal when it enters the
// delay line at time t. Both may be asked for in advance, of mode normal in order
// of the ordinals: nothing is consumed.
func (j *jitterSource) delay(ordinal uint64, t int64) int64 {
	switch j.mode {
	case jitterUniform:
		return j.draw(ordinal)
	case jitterRedraw:
		return j.redrawn(t)
	case jitterNormal:
		return j.normal(ordinal)
	}
	return j.base
}

// floor is a lower bound of every delay this source can give.
func (j *jitterSource) floor() int64 {
	switch j.mode {
	case jitterUniform, jitterRedraw:
		return j.base - (j.span+1)/2
	case jitterNormal:
		return 0
	}
	return j.base
}

func (j *jitterSource) normal(n uint64) int64 {
	const half = 1 << 52
	above := int64(j.numbers.at(n)>>11) - half // of 2*half steps, each taken at its middle: never the ends
	z := math.Sqrt2 * math.Erfinv((float64(above)+0.5)/half)
	if d := j.base + int64(math.Round(z*j.sd)); d > 0 {
		return d
	}
	return 0
}

func (j *jitterSource) draw(n uint64) int64 {
	return j.base - j.span/2 + int64(j.stream.unit(n)*float64(j.span))
}

func (j *jitterSource) redrawn(t int64) int64 {
	since := t - j.epoch
	if since < 0 {
		since = 0
	}
	n := uint64(since / j.interval)
	current := j.draw(n)
	if n == 0 {
		return current
	}
	previous := j.draw(n - 1)
	if current < previous && since%j.interval < j.interval/2 {
		return (previous + current) / 2
	}
	return current
}
