package main

// jitterSource gives the propagation delay of packets. It has three modes:
//
//   - none: always the base delay, and packets never overtake each other;
//   - uniform: each packet draws from uniform[base - range/2, base + range/2];
//   - redraw: one draw from the same distribution holds for a whole interval.
//     When a draw is lower than the one before, the first half of the interval
//     uses their mean and the second half the draw itself: the thesis re-draws
//     every 100 ms and lowers the delay in two half steps of 50 ms.
//
// Numbers come from a counter-based stream: packet n (uniform) or interval n
// (redraw) has the same delay in every run with the same seed.
type jitterSource struct {
	mode     string
	base     int64 // ns
	span     int64 // full range, ns
	interval int64 // ns, mode redraw
	epoch    int64 // time at which interval 0 began
	stream   randomStream
}

func newJitterSource(cfg dirConfig, direction uint64, now int64) jitterSource {
	return jitterSource{
		mode:     cfg.Jitter.Mode,
		base:     millis(cfg.DelayMs),
		span:     millis(cfg.Jitter.RangeMs),
		interval: millis(cfg.Jitter.IntervalMs),
		epoch:    now,
		stream:   newRandomStream(cfg.Seed, direction, streamJitter),
	}
}

// reorders says whether packets may overtake each other.
func (j *jitterSource) reorders() bool { return j.mode == jitterUniform || j.mode == jitterRedraw }

// delay returns the delay of the packet with this ordinal when it enters the
// delay line at time t. Both may be asked for in advance: nothing is consumed.
func (j *jitterSource) delay(ordinal uint64, t int64) int64 {
	switch j.mode {
	case jitterUniform:
		return j.draw(ordinal)
	case jitterRedraw:
		return j.redrawn(t)
	}
	return j.base
}

// floor is a lower bound of every delay this source can give.
func (j *jitterSource) floor() int64 {
	if j.reorders() {
		return j.base - (j.span+1)/2
	}
	return j.base
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
