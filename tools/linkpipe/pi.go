package main

import "math"

// pi is the proportional-integral controller of a queue's delay that PIE (RFC 8033) and
// DualPI2 (RFC 9332) have in common: every updateNs a probability changes by how far the
// delay is from the target and by how much it has changed. The delay is for how long the
// packet at the head has waited (timestamps, RFC 8033, 4.3, and no estimate of the
// rate). Updates are computed at the next arrival or departure, for their own times.
type pi struct {
	alpha, beta float64 // Hz
	next        int64   // time of the next update
	prob        float64
	delay       int64 // at the last update
	burst       int64 // PIE's allowance: while it is above 0 nothing is dropped
}

const (
	updateNs = 15e6 // RFC 8033's T_UPDATE, and RFC 9332's Tupdate = min(target, RTT_max/3)
	never    = math.MaxInt64

	pieAlpha, pieBeta = 1.0 / 8, 1 + 1.0/4
	pieBurstNs        = 150e6
	pieDecay          = 0.98
	pieLowProb        = 0.2 // up to which a delay below half of the target is left alone
	pieMarkProb       = 0.1 // from which on PIE drops what it would mark

	dualRTTMax          = 0.1 // s
	dualAlpha, dualBeta = 0.1 * updateNs / nsPerSecond / (dualRTTMax * dualRTTMax), 0.3 / dualRTTMax
	dualCoupling        = 2   // k
	dualStepNs          = 1e6 // the L queue's threshold, as in Linux: a ramp without a range
	// Weights of the two queues, %: Linux's classic_protection (tc-dualpi2(8)).
	dualClassicWeight, dualLowWeight = 10, 90
	// From this probability on, 1/k^2, the C queue drops what it would mark.
	dualMostMarks = 1.0 / (dualCoupling * dualCoupling)
)

func newPI(kind string, now int64) pi {
	switch kind {
	case kindPie:
		return pi{alpha: pieAlpha, beta: pieBeta, next: now + updateNs, burst: pieBurstNs}
	case kindDualPI2:
		return pi{alpha: dualAlpha, beta: dualBeta, next: now + updateNs}
	}
	return pi{next: never}
}

// change is by how much the probability changes, but for PIE's scaling.
func (c *pi) change(delay, target int64) float64 {
	return (c.alpha*float64(delay-target) + c.beta*float64(delay-c.delay)) / nsPerSecond
}

// updatePIE is calculate_drop_prob of RFC 8033, without its optional parts (cap of the
// change, randomness taken out). As in Linux it decays while the delay is 0, and the
// allowance for a burst is given again here and not at an arrival.
func (c *pi) updatePIE(delay, target int64) {
	p := c.prob + c.change(delay, target)*pieScale(c.prob)
	if delay == 0 && c.delay == 0 {
		p *= pieDecay
	}
	c.prob = math.Max(0, math.Min(p, 1))
	if c.burst -= updateNs; c.burst < 0 {
		c.burst = 0
	}
	if c.prob == 0 && delay < target/2 && c.delay < target/2 {
		c.burst = pieBurstNs
	}
	c.delay = delay
}

// pieScale makes a change smaller while the probability is small (RFC 8033, 4.2).
func pieScale(prob float64) float64 {
	for _, one := range [...]struct{ below, divisor float64 }{
		{0.000001, 2048}, {0.00001, 512}, {0.0001, 128}, {0.001, 32}, {0.01, 8}, {0.1, 2},
	} {
		if prob < one.below {
			return 1 / one.divisor
		}
	}
	return 1
}

// updatePI2 is dualpi2_update of RFC 9332.
func (c *pi) updatePI2(delay, target int64) {
	c.prob = math.Max(0, math.Min(c.prob+c.change(delay, target), 1))
	c.delay = delay
}

// update brings the controller to time now. All that has arrived and left by then is known.
func (q *managedQueue) update(now int64) {
	if c := &q.pi; c.next <= now && q.count == 0 && c.prob == 0 && c.delay == 0 {
		c.next += (now - c.next) / updateNs * updateNs // at rest it stays as it is
	}
	for ; q.pi.next <= now; q.pi.next += updateNs {
		if q.kind == kindPie {
			q.pi.updatePIE(q.wait(q.pi.next), q.target)
		} else {
			q.pi.updatePI2(q.wait(q.pi.next), q.target)
		}
	}
}

// wait is for how long, at time now, the packet has waited that is at a head for longest.
func (q *managedQueue) wait(now int64) (longest int64) {
	for i := range q.flows {
		if at := q.flows[i].head; at != none && now-q.places[at].arrived > longest {
			longest = now - q.places[at].arrived
		}
	}
	return longest
}

// early says whether PIE signals to the packet that arrives as the n-th (drop_early).
func (q *managedQueue) early(n uint64) bool {
	c := &q.pi
	if c.burst > 0 || c.delay < q.target/2 && c.prob < pieLowProb || q.bytes <= 2*maxFrameBytes {
		return false
	}
	return q.drawn.unit(n) < c.prob
}

// coupled takes the packet that leaves at time now from DualPI2's two queues, the C queue
// and the L queue (dualpi2_dequeue of RFC 9332, with overload); ok is false when all that
// there were have been dropped. Whose turn it is says a credit in bytes, as in Linux.
func (q *managedQueue) coupled(now int64) (w waiting, ok bool) {
	classic, low := &q.flows[0], &q.flows[1]
	p := q.pi.prob
	for q.count > 0 {
		f, credit := low, int64(dualClassicWeight)
		if low.head == none || classic.head != none && q.credit > 0 {
			f, credit = classic, -dualLowWeight
		}
		if classic.head == none || low.head == none {
			credit = 0
		}
		w, _ = q.take(f)
		switch pL := dualCoupling * p; {
		case f == classic:
			if f.recurs(p*p) && !q.signal(w, now, p*p >= dualMostMarks) {
				continue
			}
		case pL >= 1: // overload
			if drop := f.recurs(p * p); !q.signal(w, now, drop) {
				continue
			}
		default:
			if now-w.arrived >= dualStepNs && low.head != low.tail { // and more than one is left
				pL = 1
			}
			if f.recurs(pL) {
				q.signal(w, now, false)
			}
		}
		q.credit += credit * int64(w.length)
		return w, true
	}
	return waiting{}, false
}

// recurs adds up a likelihood and says whether it has come to one: of packets that are
// signalled to with a likelihood of p, each 1/p-th is (recur of RFC 9332).
func (f *flow) recurs(likelihood float64) bool {
	f.owed += likelihood
	if f.owed > 1 {
		f.owed--
		return true
	}
	return false
}
