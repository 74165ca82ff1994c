package main

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	shortSliceNs   = 100e3
	processFifo    = 5
	forwardingFifo = 10
)

// schedule gives a thread one of the priorities none, nice and fifo; realtime is
// its rank among fifo threads. Without the right to it a short slice is what it gets.
func schedule(tid int, priority string, realtime uint32) error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr}
	switch priority {
	case "nice":
		// The runtime of a normal thread is its slice (Linux 6.12; ignored before):
		// a short one lets it preempt threads with the usual slice when it wakes.
		attr.Nice, attr.Runtime = -20, shortSliceNs
	case "fifo":
		attr.Policy, attr.Priority = unix.SCHED_FIFO, realtime
	default:
		return nil
	}
	err := unix.SchedSetAttr(tid, &attr, 0)
	if err == nil {
		return nil
	}
	if own, failed := unix.SchedGetAttr(tid, 0); failed == nil {
		own.Runtime = shortSliceNs
		if unix.SchedSetAttr(tid, own, 0) == nil {
			return fmt.Errorf("priority stays normal, with short slices: %s needs CAP_SYS_NICE: %w", priority, err)
		}
	}
	return fmt.Errorf("priority stays normal: %s needs CAP_SYS_NICE: %w", priority, err)
}

// tuneProcess gives all threads of the process priority; later ones inherit it.
// The forwarding thread alone is not enough: about every 10 ms Go's scheduler
// takes its goroutine off and needs another thread to put it back, which a busy
// machine would delay by milliseconds.
func tuneProcess(priority string) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("priority stays normal: %w", err)
	}
	var first error
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		if err := schedule(tid, priority, processFifo); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// tuneWorkerThread puts the calling thread first and makes its timers exact.
func tuneWorkerThread(priority string) error {
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("timer slack stays at 50 us: %w", err)
	}
	return schedule(0, priority, forwardingFifo)
}
