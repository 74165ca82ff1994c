package main

import "time"

// clock counts nanoseconds of CLOCK_MONOTONIC since it was made. Both of its
// methods read the vDSO and make no system call.
type clock struct{ base time.Time }

func newClock() clock { return clock{time.Now()} }

func (c clock) now() int64 { return int64(time.Since(c.base)) }

// wallOffset is what must be added to now() to give Unix time in nanoseconds.
// The kernel stamps frames with CLOCK_REALTIME, which may be stepped or slewed,
// so it is asked for again for every batch.
func (c clock) wallOffset() int64 {
	t := time.Now()
	return t.UnixNano() - int64(t.Sub(c.base))
}
