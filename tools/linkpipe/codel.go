package main

import "math"

// codel is the controlled-delay algorithm (RFC 8289) of one queue: it drops, or marks,
// packets as they leave, once they have waited for target or longer throughout an
// interval; and then ever faster, interval/sqrt(count) after the one before, until one
// has waited for less. Times are nanoseconds of virtual time.
type codel struct {
	firstAbove int64 // an interval after the wait rose above the target, 0: it is below
	dropNext   int64
	count      int64 // drops since dropping began
	lastCount  int64 // count when it began
	dropping   bool
}

// sameCycle: times the interval. Dropping that begins again so soon takes up the rate
// that it had come to.
const sameCycle = 16

func (q *managedQueue) controlLaw(t, count int64) int64 {
	return t + int64(float64(q.interval)/math.Sqrt(float64(count)))
}

// examine takes the flow's head and says whether it may be dropped: not while a packet
// or less is left in the whole queue, as the kernel has it.
func (q *managedQueue) examine(f *flow, now int64) (p waiting, ok, drop bool) {
	p, ok = q.take(f)
	switch {
	case !ok || now-p.arrived < q.target || q.bytes <= maxFrameBytes:
		f.firstAbove = 0
	case f.firstAbove == 0:
		f.firstAbove = now + q.interval
	default:
		drop = now >= f.firstAbove
	}
	return p, ok, drop
}

// leave takes from a flow the packet that leaves at time now; ok is false when there is
// none, perhaps since the last one was dropped.
func (q *managedQueue) leave(f *flow, now int64) (p waiting, ok bool) {
	p, ok, drop := q.examine(f, now)
	if f.dropping {
		f.dropping = drop
		for f.dropping && now >= f.dropNext {
			f.count++
			marked := q.signal(p, now, false)
			if !marked {
				p, ok, f.dropping = q.examine(f, now)
			}
			if f.dropping {
				f.dropNext = q.controlLaw(f.dropNext, f.count)
			}
			if marked {
				break
			}
		}
		return p, ok
	}
	if drop {
		if !q.signal(p, now, false) {
			p, ok, _ = q.examine(f, now)
		}
		f.dropping = true
		if delta := f.count - f.lastCount; delta > 1 && now-f.dropNext < sameCycle*q.interval {
			f.count = delta
		} else {
			f.count = 1
		}
		f.lastCount, f.dropNext = f.count, q.controlLaw(now, f.count)
	}
	return p, ok
}

// signal marks a packet that is capable of it, unless it is to be dropped all the same, or
// drops it.
func (q *managedQueue) signal(p waiting, now int64, drop bool) (marked bool) {
	if q.ecn && p.ecn != 0 && !drop {
		q.decide(markedCE, p.packet, now)
		return true
	}
	q.decide(droppedAQM, p.packet, now)
	return false
}
