package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	receiveBatch  = 256
	maxSendTries  = 100
	retryPauseNs  = 20e3
	futureClampNs = 1e6
)

// lane carries one direction: it feeds the emulated direction from a ring and
// empties it into a sending socket. One worker owns it; nothing is locked.
type lane struct {
	name      string
	dir       *direction
	rx        *rxRing
	tx        *txSocket
	frames    *arena
	log       *laneLog // nil when nothing is logged
	tracker   *connectionTracker
	lastSeen  int64 // arrival given to the latest frame
	lastEmpty int64 // the ring was seen empty at this time
	batch     [sendBatch]packet

	warnedPartial, warnedOversize bool
}

// warn prints a warning the first time it is called with this flag.
func (l *lane) warn(done *bool, text string) {
	if !*done {
		*done = true
		fmt.Fprintf(os.Stderr, "linkpipe: warning: %s: %s\n", l.name, text)
	}
}

// receive offers the waiting frames to the direction. It reports whether some
// may be left in the ring.
func (l *lane) receive(clk clock) bool {
	var offset, now int64
	for n := 0; n < receiveBatch; n++ {
		frame, ok := l.rx.peek()
		if !ok {
			l.lastEmpty = now
			if n == 0 {
				l.lastEmpty = clk.now()
			}
			return false
		}
		if n == 0 {
			offset, now = clk.wallOffset(), clk.now()
		}
		l.take(frame, l.arrival(frame.wallNs-offset, now))
		l.rx.release()
	}
	return true
}

// arrival makes the kernel's time stamp trustworthy: it cannot lie before the
// previous frame, before the ring was last seen empty, or in the future, which
// is where a step of the wall clock could put it.
func (l *lane) arrival(stamp, now int64) int64 {
	if stamp > now+futureClampNs {
		stamp = now
	}
	if stamp < l.lastEmpty-futureClampNs {
		stamp = l.lastEmpty
	}
	if stamp < l.lastSeen {
		stamp = l.lastSeen
	}
	l.lastSeen = stamp
	return stamp
}

func (l *lane) take(frame rxFrame, now int64) {
	if frame.partial {
		l.dir.count.PartialChecksums++
		l.warn(&l.warnedPartial, "frames without a checksum arrive and will be discarded by their receiver: ethtool -K <the host's interface> tx off")
	}
	if len(frame.data) < frame.length || frame.length > l.frames.slotBytes {
		l.dir.count.OversizeDrops++
		l.warn(&l.warnedOversize, "frames longer than the MTU arrive and are dropped: ethtool -K <both ends of both veth pairs> tso off gso off gro off")
		return
	}
	due, intact := l.enter(frame, now, l.dir.offer(now, frame.length), logIn)
	if l.dir.copied {
		again, whole := l.enter(frame, now, l.dir.offerCopy(frame.length), logDuplicate)
		if !intact {
			due, intact = again, whole
		}
	}
	l.tracker.observe(frame.data, l.dir.id == streamClientToServer, !intact, now, due)
	l.settle()
}

// settle carries out what a managed queue has decided.
func (l *lane) settle() {
	if len(l.dir.decided) == 0 {
		return
	}
	for i := range l.dir.decided {
		one := &l.dir.decided[i]
		if l.log != nil {
			l.log.decided(l.dir, one)
		}
		if one.fate == markedCE {
			markCE(l.frames.bytes(one.slot)[:one.length])
			continue
		}
		l.tracker.dropped(l.frames.bytes(one.slot)[:one.length], l.dir.id == streamClientToServer)
		l.frames.release(one.slot)
	}
	l.dir.decided = l.dir.decided[:0]
}

// known is the time by which all frames have been offered that had arrived.
func (l *lane) known() int64 {
	if l.lastSeen > l.lastEmpty {
		return l.lastSeen
	}
	return l.lastEmpty
}

// enter carries out what has been decided on a packet or its copy, which the log
// calls event, and says when it is due and whether the link will deliver it as it came.
func (l *lane) enter(frame rxFrame, now int64, verdict verdict, event uint8) (due int64, intact bool) {
	if verdict == accepted {
		if slot, ok := l.frames.store(frame.data); ok {
			if l.dir.bit > 0 {
				flip(l.frames.bytes(slot), l.dir.bit)
			}
			if l.dir.managed != nil {
				l.dir.managed.look(frame.data)
			}
			due = l.dir.accept(now, frame.length, slot)
		} else {
			l.dir.count.MemoryDrops++
		}
	}
	if l.log != nil {
		l.log.arrived(l.dir, now, frame.length, event, verdict, due)
	}
	return due, verdict == accepted && l.dir.bit == 0
}

// send sends what is due within window ns, in batches.
func (l *lane) send(clk clock, window int64) {
	worst := int64(0)
	for {
		now, n := clk.now(), 0
		seen := now
		if l.dir.managed != nil {
			seen = l.known()
		}
		for n < sendBatch {
			p, ok := l.dir.pop(seen, now+window)
			l.settle() // marks are made before a packet is sent
			if !ok {
				break
			}
			if late := now - p.due; late > worst {
				worst = late
			}
			l.batch[n] = p
			l.tx.set(n, l.frames.bytes(p.slot)[:p.length])
			n++
		}
		if n > 0 {
			l.transmit(clk, now, n)
		}
		if n < sendBatch {
			l.dir.count.woke(worst)
			return
		}
	}
}

// transmit sends the first n frames of the batch in order. A full device queue
// is waited for; any other error costs the frame.
func (l *lane) transmit(clk clock, now int64, n int) {
	tries := 0
	for i := 0; i < n; {
		sent, err := l.tx.send(i, n)
		for ; sent > 0; sent-- {
			l.finish(&l.batch[i], now, true)
			i++
			tries = 0
		}
		if err == nil || err == unix.EINTR {
			continue
		}
		tries++
		if (err == unix.EAGAIN || err == unix.ENOBUFS) && tries < maxSendTries {
			l.dir.count.SendRetries++
			pause := unix.Timespec{Nsec: retryPauseNs}
			unix.Nanosleep(&pause, nil)
			now = clk.now()
			continue
		}
		l.finish(&l.batch[i], now, false)
		i++
		tries = 0
	}
}

func (l *lane) finish(p *packet, now int64, ok bool) {
	if ok {
		l.dir.count.sent(p, now)
		if l.log != nil {
			l.log.left(l.dir, now, p)
		}
	} else {
		l.dir.count.SendErrors++
	}
	l.frames.release(p.slot)
}
