package main

// delayLine holds serialised packets until they are due. It is a binary heap on
// (due, order of entry): without jitter the due times come in rising order and
// a packet is pushed and found in constant time.
type delayLine struct {
	heap []lineEntry
	seq  uint64
}

type lineEntry struct {
	packet
	seq uint64
}

func newDelayLine() delayLine { return delayLine{heap: make([]lineEntry, 0, 4096)} }

func (l *delayLine) len() int { return len(l.heap) }

func (l *delayLine) before(i, j int) bool {
	a, b := &l.heap[i], &l.heap[j]
	return a.due < b.due || (a.due == b.due && a.seq < b.seq)
}

func (l *delayLine) push(p packet) {
	l.seq++
	l.heap = append(l.heap, lineEntry{p, l.seq})
	for i := len(l.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !l.before(i, parent) {
			return
		}
		l.heap[i], l.heap[parent] = l.heap[parent], l.heap[i]
		i = parent
	}
}

// head returns the packet that is due first; the line must not be empty.
func (l *delayLine) head() *packet { return &l.heap[0].packet }

// pop removes and returns the packet that is due first; the line must not be empty.
func (l *delayLine) pop() packet {
	top := l.heap[0].packet
	last := len(l.heap) - 1
	l.heap[0] = l.heap[last]
	l.heap = l.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && l.before(child+1, child) {
			child++
		}
		if !l.before(child, i) {
			return top
		}
		l.heap[i], l.heap[child] = l.heap[child], l.heap[i]
		i = child
	}
}
