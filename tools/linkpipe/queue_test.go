package main

import "testing"

func TestQueueLimitIsExactInBytes(t *testing.T) {
	q := newTailQueue()
	q.limit = 3000
	q.push(packet{length: 1500})
	if !q.fits(1500) {
		t.Error("a packet that fills the queue exactly was refused")
	}
	if q.fits(1501) {
		t.Error("a packet one byte too long was admitted")
	}
	q.push(packet{length: 1500})
	if q.fits(1) {
		t.Error("a full queue admitted a byte")
	}
	q.pop()
	if !q.fits(1500) || q.fits(1501) {
		t.Error("the room of a packet that left is not free again")
	}
}

func TestQueueLimitIsExactInPackets(t *testing.T) {
	q := newTailQueue()
	q.packets = 2
	q.push(packet{length: 60})
	if !q.fits(1514) {
		t.Error("a packet that fills the queue was refused")
	}
	q.push(packet{length: 1514})
	if q.fits(60) {
		t.Error("a third packet was admitted")
	}
	q.pop()
	if !q.fits(1514) {
		t.Error("the room of a packet that left is not free again")
	}
	q.limit = 2000
	if q.fits(1514) || !q.fits(486) {
		t.Error("with both limits, the one in bytes does not hold")
	}
}

func TestQueueWithoutLimitGrows(t *testing.T) {
	q := newTailQueue()
	for i := 0; i < 5000; i++ {
		if i%3 == 2 {
			q.pop()
		}
		q.push(packet{ordinal: uint64(i), length: 100})
	}
	want := uint64(5000 - q.count)
	if q.bytes != int64(q.count)*100 {
		t.Errorf("%d packets hold %d bytes", q.count, q.bytes)
	}
	for q.count > 0 {
		if got := q.pop().ordinal; got != want {
			t.Fatalf("packet %d left, want %d", got, want)
		}
		want++
	}
}

func TestDelayLineGivesTheEarliestAndKeepsTies(t *testing.T) {
	l := newDelayLine()
	for i, due := range []int64{50, 10, 30, 10, 20, 50, 10} {
		l.push(packet{due: due, ordinal: uint64(i)})
	}
	want := []uint64{1, 3, 6, 4, 2, 0, 5}
	for _, w := range want {
		if got := l.pop().ordinal; got != w {
			t.Fatalf("got packet %d, want %d", got, w)
		}
	}
}
