package main

import (
	"fmt"
	"sort"
	"strings"
)

// Queue disciplines. Without one a queue is a droptail FIFO (tailQueue).
const (
	kindCodel   = "codel"
	kindFqCodel = "fq_codel"
	kindPie     = "pie"
	kindDualPI2 = "dualpi2"
)

const (
	maxFrameBytes = 1514 // a full Ethernet frame: the kernel's psched_mtu, CoDel's maxpacket and the quantum
	fqFlows       = 1024 // the kernel's
	fqDropBatch   = 64   // at the limit so many packets of the fattest flow go at once, but no more than half of it
)

// disciplineConfig names what decides on the packets of a queue as they leave it, PIE as
// they arrive.
type disciplineConfig struct {
	Kind       string  `json:"kind"`
	TargetMs   float64 `json:"target_ms"`
	IntervalMs float64 `json:"interval_ms,omitempty"` // CoDel's
	ECN        bool    `json:"ecn"`                   // mark packets that are capable of it, in place of dropping them
}

func (c disciplineConfig) validate(whole dirConfig) error {
	known := []string{kindCodel, kindFqCodel, kindPie, kindDualPI2}
	controlled := c.Kind == kindPie || c.Kind == kindDualPI2
	switch {
	case !contains(known, c.Kind):
		return fmt.Errorf("queue_discipline.kind is %q, known kinds: %s", c.Kind, strings.Join(known, ", "))
	case controlled && c.IntervalMs != 0:
		return fmt.Errorf("queue_discipline.interval_ms is %v, but it is CoDel's: %s has none", c.IntervalMs, c.Kind)
	case controlled && c.TargetMs == 0:
		return fmt.Errorf("queue_discipline.target_ms is 0: %s needs one", c.Kind)
	case c.Kind == kindDualPI2 && !c.ECN:
		return fmt.Errorf("queue_discipline.ecn is false, but %s's L queue can only mark: set it true", c.Kind)
	case controlled:
	case c.TargetMs == 0 || c.IntervalMs == 0 || c.TargetMs > c.IntervalMs:
		return fmt.Errorf("queue_discipline.target_ms is %v and interval_ms is %v: both are above 0, and a target is no longer than its interval",
			c.TargetMs, c.IntervalMs)
	case whole.QueueBytes > 0:
		return fmt.Errorf("queue_bytes is %d beside queue_discipline, whose limit is queue_packets", whole.QueueBytes)
	case whole.BandwidthMbps == 0 && whole.Trace == nil:
		return fmt.Errorf("queue_discipline is %s, but bandwidth_mbps is 0: nothing limits the rate, and nothing waits", c.Kind)
	}
	return nil
}

// fate is what a managed queue decides on a packet that had been let in.
type fate uint8

const (
	markedCE fate = iota
	droppedAQM
	droppedLimit
)

// decision is one of them, at a time of the line's.
type decision struct {
	packet
	fate fate
	at   int64
}

// waiting is a packet in a managed queue.
type waiting struct {
	packet
	arrived int64
	entered uint64 // rises with every packet
	key     uint64 // of its flow
	ecn     uint8  // its field
	next    int32  // behind it in its flow, or in the list of free places
}

const none = -1

// flow is a FIFO of packets, and CoDel's or DualPI2's state of it.
type flow struct {
	codel
	head, tail int32
	bytes      int64
	deficit    int64
	owed       float64 // signals, below 1 (DualPI2)
	listed     bool
	next       int32
}

// flowList is a FIFO of flows.
type flowList struct{ head, tail int32 }

// managedQueue is a queue that decides when packets leave it, and not when they arrive:
// CoDel (RFC 8289), or CoDel in each of many flows that take turns by deficit round
// robin, new ones first (FQ-CoDel, RFC 8290). One flow is CoDel alone, or PIE, which
// decides when they arrive; DualPI2 has two, its C queue and its L queue.
type managedQueue struct {
	kind             string
	target, interval int64
	ecn              bool
	limit            int64 // packets, 0 = unlimited
	perturbation     uint64
	drawn            randomStream // PIE's
	pi               pi
	credit           int64 // DualPI2's: up to 0 it is the L queue's turn
	decide           func(fate, packet, int64)

	count, bytes int64
	since        int64 // arrival of the packet that found it empty
	entered      uint64
	flows        []flow
	fresh, old   flowList
	places       []waiting
	free         int32
	looked       waiting // what was seen of the frame of the packet to be pushed
}

func newManagedQueue(now int64, cfg dirConfig, direction uint64, decide func(fate, packet, int64)) *managedQueue {
	q := &managedQueue{
		kind:         cfg.QueueDiscipline.Kind,
		target:       millis(cfg.QueueDiscipline.TargetMs),
		interval:     millis(cfg.QueueDiscipline.IntervalMs),
		ecn:          cfg.QueueDiscipline.ECN,
		limit:        cfg.QueuePackets,
		perturbation: newRandomStream(cfg.Seed, direction, streamFlows).key,
		drawn:        newRandomStream(cfg.Seed, direction, streamEarly),
		pi:           newPI(cfg.QueueDiscipline.Kind, now),
		decide:       decide,
		flows:        make([]flow, 1),
		fresh:        flowList{none, none},
		old:          flowList{none, none},
		free:         none,
	}
	switch q.kind {
	case kindFqCodel:
		q.flows = make([]flow, fqFlows)
	case kindDualPI2:
		q.flows = make([]flow, 2)
	}
	for i := range q.flows {
		q.flows[i].head, q.flows[i].tail = none, none
	}
	return q
}

// look takes note of a frame that is about to be accepted.
func (q *managedQueue) look(frame []byte) {
	q.looked = waiting{key: flowKey(frame), ecn: ecnField(frame)}
}

// full says whether an arriving packet is dropped. FQ-CoDel lets it in, and drops others.
func (q *managedQueue) full() bool {
	return q.kind != kindFqCodel && q.limit > 0 && q.count >= q.limit
}

// arrive lets in a packet, the n-th one, unless PIE drops it.
func (q *managedQueue) arrive(w waiting, n uint64) {
	q.update(w.arrived)
	if q.kind == kindPie && q.early(n) && !q.signal(w, w.arrived, q.pi.prob >= pieMarkProb) {
		return
	}
	q.push(w)
	q.shorten(w.arrived)
}

// push appends a packet to its flow.
func (q *managedQueue) push(w waiting) {
	if q.count == 0 {
		q.since, q.credit = w.arrived, maxFrameBytes*(dualClassicWeight-dualLowWeight)
	}
	at := q.place()
	w.next, w.entered = none, q.entered
	q.entered++
	q.places[at] = w
	i := int32(w.ecn & 1) // ECT(1) and CE are the L queue's
	if q.kind != kindDualPI2 {
		i = int32(splitmix64(w.key^q.perturbation) % uint64(len(q.flows)))
	}
	f := &q.flows[i]
	if f.tail == none {
		f.head = at
	} else {
		q.places[f.tail].next = at
	}
	f.tail = at
	f.bytes += int64(w.length)
	q.bytes += int64(w.length)
	q.count++
	if !f.listed {
		f.listed, f.deficit = true, maxFrameBytes
		q.append(&q.fresh, i)
	}
}

// place finds room for a packet.
func (q *managedQueue) place() int32 {
	if q.free == none {
		q.places = append(q.places, waiting{})
		return int32(len(q.places) - 1)
	}
	at := q.free
	q.free = q.places[at].next
	return at
}

// take removes the head of a flow.
func (q *managedQueue) take(f *flow) (waiting, bool) {
	if f.head == none {
		return waiting{}, false
	}
	at := f.head
	w := q.places[at]
	f.head = w.next
	if f.head == none {
		f.tail = none
	}
	q.places[at].next, q.free = q.free, at
	f.bytes -= int64(w.length)
	q.bytes -= int64(w.length)
	q.count--
	return w, true
}

// shorten drops from the head of the flow with the most bytes while there are more
// packets than the limit.
func (q *managedQueue) shorten(now int64) {
	for q.limit > 0 && q.count > q.limit {
		fat := &q.flows[0]
		for i := range q.flows {
			if q.flows[i].bytes > fat.bytes {
				fat = &q.flows[i]
			}
		}
		half := fat.bytes / 2
		for n := 0; n == 0 || n < fqDropBatch && fat.bytes > half; n++ {
			w, _ := q.take(fat)
			q.decide(droppedLimit, w.packet, now)
			fat.count++ // so that CoDel drops faster, too
		}
	}
}

// depart removes the packet that leaves at time now; the queue must not be empty. ok is
// false when there is none left.
func (q *managedQueue) depart(now int64) (w waiting, ok bool) {
	q.update(now)
	switch q.kind {
	case kindPie:
		return q.take(&q.flows[0])
	case kindDualPI2:
		return q.coupled(now)
	}
	for {
		list := &q.fresh
		if list.head == none {
			list = &q.old
		}
		i := list.head
		f := &q.flows[i]
		if f.deficit <= 0 {
			f.deficit += maxFrameBytes
			q.remove(list)
			q.append(&q.old, i)
			continue
		}
		w, ok := q.leave(f, now)
		if ok {
			f.deficit -= int64(w.length)
			return w, true
		}
		q.remove(list)
		if list == &q.fresh && q.old.head != none {
			q.append(&q.old, i) // it waits for its turn, or it could come back as a new one for ever
		} else {
			f.listed = false
		}
	}
}

func (q *managedQueue) append(list *flowList, i int32) {
	q.flows[i].next = none
	if list.head == none {
		list.head = i
	} else {
		q.flows[list.tail].next = i
	}
	list.tail = i
}

// remove takes the first flow off a list.
func (q *managedQueue) remove(list *flowList) {
	list.head = q.flows[list.head].next
	if list.head == none {
		list.tail = none
	}
}

// drain removes all packets, in the order of their arrival.
func (q *managedQueue) drain() []waiting {
	var all []waiting
	for i := range q.flows {
		for w, ok := q.take(&q.flows[i]); ok; w, ok = q.take(&q.flows[i]) {
			all = append(all, w)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].entered < all[j].entered })
	return all
}
