package main

// packet is one frame on its way through a direction. Times are nanoseconds of
// the caller's clock.
type packet struct {
	slot    int32  // where the frame's bytes are kept
	length  int32  // bytes of the Ethernet frame, without FCS
	ordinal uint64 // 1 for the first packet after a (re)seed
	end     int64  // its last bit is serialised
	delay   int64  // propagation delay given to it, ns
	due     int64  // it leaves the emulator
}

// tailQueue is a droptail FIFO limited in bytes, in packets, in both or not at
// all. A packet occupies it from its arrival until its last bit has been
// serialised, as in a kernel tbf with a bfifo or pfifo inside.
type tailQueue struct {
	limit   int64 // bytes, 0 = unlimited
	packets int64 // 0 = unlimited
	bytes   int64
	ring    []packet // length is a power of two
	head    int
	count   int
}

func newTailQueue() tailQueue { return tailQueue{ring: make([]packet, 1024)} }

// fits says whether a packet of length bytes may enter.
func (q *tailQueue) fits(length int) bool {
	return (q.limit == 0 || q.bytes+int64(length) <= q.limit) && (q.packets == 0 || int64(q.count) < q.packets)
}

// push appends a packet, whether it fits or not: ask fits first.
func (q *tailQueue) push(p packet) {
	if q.count == len(q.ring) {
		q.grow()
	}
	*q.at(q.count) = p
	q.count++
	q.bytes += int64(p.length)
}

// at returns the i-th packet from the head.
func (q *tailQueue) at(i int) *packet { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

// pop removes and returns the head; the queue must not be empty.
func (q *tailQueue) pop() packet {
	p := *q.at(0)
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.count--
	q.bytes -= int64(p.length)
	return p
}

func (q *tailQueue) grow() {
	bigger := make([]packet, 2*len(q.ring))
	for i := 0; i < q.count; i++ {
		bigger[i] = *q.at(i)
	}
	q.ring, q.head = bigger, 0
}
