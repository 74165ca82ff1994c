package main

import "math"

// verdict is what happens to an arriving packet.
type verdict int

const (
	accepted verdict = iota
	lostRandom
	droppedQueue
)

// direction emulates one direction of the link: duplication, loss, corruption,
// queue, serialiser, delay, in this order. It does no I/O; every method takes the
// time in nanoseconds of a clock that never goes back. Packets are booked when they
// arrive: the end of serialisation and the delay are fixed then. With a managed queue
// they are when the line takes them, at the time that it would: it does not matter when
// that is computed, as long as all that had arrived by then is inside.
type direction struct {
	id      uint64 // stream constant of this direction
	cfg     dirConfig
	ordinal uint64 // of the packet that arrived last
	offered uint64 // packets and their copies: the number of everything that is drawn for each
	twice   chance
	copied  bool // the packet offered last is to be offered once more
	loss    lossModel
	corrupt corruption
	bit     int           // of the packet offered last that is to be flipped, 0: none
	queue   tailQueue     // also of what was inside when a managed queue took its place
	managed *managedQueue // in place of the queue, nil without
	decided []decision    // by managed queues, not yet carried out
	left    uint64        // packets that have left a managed queue
	line    serialiser
	jitter  jitterSource
	delayed delayLine
	floor   int64 // lower bound of the delays of the packets in the queue
	lastDue int64 // latest due time given to any packet
	count   counters
}

func newDirection(id uint64, now int64) *direction {
	d := &direction{id: id, queue: newTailQueue(), delayed: newDelayLine()}
	cfg := dirConfig{}
	cfg.Jitter.Mode = jitterNone
	d.configure(now, cfg)
	return d
}

// offer decides the fate of a packet of length bytes that arrives at time now.
// When the verdict is accepted, the caller stores the frame, flips its bit and calls
// accept. When the packet is copied, the caller then calls offerCopy.
func (d *direction) offer(now int64, length int) verdict {
	d.advance(now)
	d.ordinal++
	d.count.PacketsIn++
	d.count.BytesIn += int64(length)
	d.copied = d.twice.befalls(d.ordinal)
	return d.admit(length)
}

// offerCopy decides the fate of the copy of the packet that was offered last. It is
// not copied again; all else may befall it, and it takes its room like any packet.
func (d *direction) offerCopy(length int) verdict {
	d.copied = false
	d.count.Duplicated++
	return d.admit(length)
}

func (d *direction) admit(length int) verdict {
	d.offered++
	if d.loss.lost(d.offered) {
		if !d.copied {
			d.count.DroppedLoss++
			return lostRandom
		}
		d.copied = false // of two one is lost: the other passes, as in netem
	}
	d.bit = d.corrupt.bit(d.offered, length)
	if !d.queue.fits(length) || d.managed != nil && d.managed.full() {
		d.count.DroppedQueue++
		return droppedQueue
	}
	return accepted
}

// accept books the packet that offer has just admitted; slot says where its
// frame is kept. It returns the time at which the packet is due if no later
// reconfiguration changes the rate, or with a managed queue one before which it is not.
func (d *direction) accept(now int64, length int, slot int32) int64 {
	p := packet{slot: slot, length: int32(length), ordinal: d.ordinal}
	if d.managed != nil {
		return d.wait(now, p)
	}
	p.end = d.line.send(now, length)
	p.delay = d.jitter.delay(d.offered, p.end)
	if d.bit > 0 {
		d.count.Corrupted++
	}
	if d.queue.count == 0 || d.jitter.floor() < d.floor {
		d.floor = d.jitter.floor()
	}
	d.queue.push(p)
	if d.queue.bytes > d.count.QueueBytesMax {
		d.count.QueueBytesMax = d.queue.bytes
	}
	due := p.end + p.delay
	d.advance(now)
	return due
}

// wait puts a packet that has been admitted into the managed queue.
func (d *direction) wait(now int64, p packet) int64 {
	if d.bit > 0 {
		d.count.Corrupted++
	}
	if d.managed.looked.ecn != 0 {
		d.count.ECNCapable++
	}
	w := d.managed.looked
	w.packet, w.arrived = p, now
	d.managed.arrive(w, d.offered)
	if _, bytes := d.queued(); bytes > d.count.QueueBytesMax {
		d.count.QueueBytesMax = bytes
	}
	d.advance(now)
	return now + d.jitter.floor()
}

// decide notes what a managed queue has decided; the caller carries it out.
func (d *direction) decide(f fate, p packet, at int64) {
	switch f {
	case markedCE:
		d.count.MarkedCE++
	case droppedAQM:
		d.count.DroppedAQM++
	case droppedLimit:
		d.count.DroppedQueue++
	}
	d.decided = append(d.decided, decision{p, f, at})
}

// queued is how many packets wait, and their bytes; without a managed queue with the
// one on the line.
func (d *direction) queued() (packets, bytes int64) {
	packets, bytes = int64(d.queue.count), d.queue.bytes
	if d.managed != nil {
		packets, bytes = packets+d.managed.count, bytes+d.managed.bytes
	}
	return packets, bytes
}

// advance moves the packets that are serialised by now into the delay line; of a managed
// queue those that the line has taken by now.
func (d *direction) advance(now int64) {
	for d.queue.count > 0 && d.queue.at(0).end <= now {
		d.propagate(d.queue.pop())
	}
	if d.managed != nil {
		d.departures(now)
	}
}

// departures lets the managed queue decide as often as the line is free by now.
func (d *direction) departures(now int64) {
	for d.managed.count > 0 {
		start := d.line.next(d.managed.since)
		if start > now {
			return
		}
		w, ok := d.managed.depart(start)
		if !ok {
			return
		}
		p := w.packet
		p.end = d.line.send(d.managed.since, int(p.length))
		d.left++
		p.delay = d.jitter.delay(d.left, p.end)
		d.propagate(p)
	}
}

// propagate puts a packet into the delay line.
func (d *direction) propagate(p packet) {
	p.due = p.end + p.delay
	if !d.jitter.reorders() && p.due < d.lastDue {
		p.due = d.lastDue // a shorter delay must not reorder
	}
	if p.due > d.lastDue {
		d.lastDue = p.due
	}
	d.delayed.push(p)
}

// pop returns the next packet that is serialised by now and due by until.
func (d *direction) pop(now, until int64) (packet, bool) {
	d.advance(now)
	if d.delayed.len() == 0 || d.delayed.head().due > until {
		return packet{}, false
	}
	return d.delayed.pop(), true
}

// nextEvent returns a time before which no packet is due, exact when there is
// no jitter; ok is false when the direction is empty.
func (d *direction) nextEvent() (t int64, ok bool) {
	t = math.MaxInt64
	if d.delayed.len() > 0 {
		t, ok = d.delayed.head().due, true
	}
	if d.queue.count > 0 {
		if q := d.queue.at(0).end + d.floor; q < t {
			t = q
		}
		ok = true
	}
	if d.managed != nil && d.managed.count > 0 {
		if m := d.line.next(d.managed.since) + d.jitter.floor(); m < t {
			t = m
		}
		ok = true
	}
	return t, ok
}

// configure replaces the configuration at time now and restarts the random
// streams with its seed. Packets inside stay: those in the delay line keep
// their due times, those in the queue keep their delay and are serialised at
// the new rate, except the one on the line, which ends as booked. A bucket is full
// then, and a trace's clock at its offset. What a managed queue held goes into the new
// queue, whatever its limit.
func (d *direction) configure(now int64, cfg dirConfig) {
	d.advance(now)
	d.sendOff(now)
	held := d.drain()
	d.cfg = cfg
	d.queue.limit, d.queue.packets = cfg.QueueBytes, cfg.QueuePackets
	if cfg.QueueDiscipline != nil {
		d.queue.limit, d.queue.packets = 0, 0 // of what it still has
	}
	d.line.setRate(bitsPerSecond(cfg.BandwidthMbps), cfg.BurstBytes)
	start := now
	if d.queue.count > 0 {
		start = d.queue.at(0).end
		d.line.rewind(start)
	}
	d.line.fill(start)
	d.line.follow(now, cfg.Trace)
	for i := 1; i < d.queue.count; i++ {
		p := d.queue.at(i)
		p.end = d.line.send(start, int(p.length))
	}
	d.restart(now)
	d.refill(now, held)
}

// drain empties a managed queue.
func (d *direction) drain() []waiting {
	if d.managed == nil {
		return nil
	}
	return d.managed.drain()
}

// refill makes the managed queue, if there is to be one, and puts packets into it that
// had been held in another one, or else into the plain queue.
func (d *direction) refill(now int64, held []waiting) {
	d.managed = nil
	if d.cfg.QueueDiscipline != nil {
		d.managed = newManagedQueue(now, d.cfg, d.id, d.decide)
		for _, w := range held {
			d.managed.push(w)
		}
		d.managed.since = now
		return
	}
	for _, w := range held {
		w.end = d.line.send(now, int(w.length))
		w.delay = d.jitter.delay(0, w.end)
		d.floor = d.jitter.floor()
		d.queue.push(w.packet)
	}
}

// sendOff has what waits for a trace, if there is one, leave the queue at once: it would
// hold up what comes after for as long as the trace pauses.
func (d *direction) sendOff(now int64) {
	if d.line.trace == nil {
		return
	}
	for i := 0; i < d.queue.count; i++ {
		d.queue.at(i).end = now
	}
	for _, w := range d.drain() {
		w.end = now
		d.left++
		w.delay = d.jitter.delay(d.left, now)
		d.propagate(w.packet)
	}
	d.line.last = now
	d.advance(now)
}

// reseed restarts the random streams and the packet ordinal with another seed, fills
// the bucket, and sets the trace's clock: what comes after meets the same in every run
// with the same seed and offset. A managed queue forgets what it had come to.
func (d *direction) reseed(now int64, seed uint64, offsetMs *int64) {
	d.advance(now)
	d.sendOff(now)
	held := d.drain()
	d.cfg.Seed = seed
	if d.cfg.Trace != nil && offsetMs != nil {
		moved := *d.cfg.Trace // others may be reading the one that was told
		moved.OffsetMs = *offsetMs
		d.cfg.Trace = &moved
	}
	d.line.fill(now)
	d.line.follow(now, d.cfg.Trace)
	d.restart(now)
	d.refill(now, held)
}

func (d *direction) restart(now int64) {
	d.ordinal, d.offered, d.left = 0, 0, 0
	d.twice = newChance(d.cfg.DuplicatePct, d.cfg.DuplicateCorrelationPct,
		newRandomStream(d.cfg.Seed, d.id, streamDuplicate))
	d.loss = newLossModel(d.cfg, d.id)
	d.corrupt = newCorruption(d.cfg, d.id)
	d.jitter = newJitterSource(d.cfg, d.id, now)
}

// reservedSds: one delay in 30,000 is longer.
const reservedSds = 4

// reserveBytes estimates the frame bytes held when the link is full; a packet
// takes slotBytes at the most.
func (d *direction) reserveBytes(slotBytes int) int64 {
	perSecond := d.cfg.BandwidthMbps * 1e6 / 8
	queue := d.cfg.QueueBytes
	if full := d.cfg.QueuePackets * int64(slotBytes); full > 0 && (queue == 0 || full < queue) {
		queue = full
	}
	return queue + d.cfg.BurstBytes + int64(perSecond*(d.cfg.DelayMs+d.cfg.Jitter.RangeMs/2+reservedSds*d.cfg.Jitter.SdMs)/1e3)
}
