package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// Frames may wait in the ring while their delay has not passed: the kernel
	// has stamped them. The ring is then looked at no later than this.
	maxLazyNs = 4e6
	minLazyNs = 200e3
)

// worker forwards the frames of its lanes on one thread of the system. Others
// reach into its lanes only through do.
type worker struct {
	lanes    []*lane
	clk      clock
	window   int64 // coalescing window, ns
	priority string
	wakeFd   int
	pending  int32 // atomic: commands are waiting
	mu       sync.Mutex
	commands []func()
	stopped  bool
	fatal    chan<- error
	polls    []unix.PollFd
	done     chan struct{}
}

func newWorker(lanes []*lane, clk clock, windowNs int64, priority string, fatal chan<- error) (*worker, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	w := &worker{lanes: lanes, clk: clk, window: windowNs, priority: priority, wakeFd: fd, fatal: fatal,
		done: make(chan struct{})}
	w.polls = append(w.polls, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	for _, l := range lanes {
		w.polls = append(w.polls, unix.PollFd{Fd: int32(l.rx.fd), Events: unix.POLLIN})
	}
	return w, nil
}

// do runs f on the worker's thread and waits for it. It returns false when the
// worker has stopped.
func (w *worker) do(f func()) bool {
	finished := make(chan struct{})
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return false
	}
	w.commands = append(w.commands, func() { f(); close(finished) })
	atomic.StoreInt32(&w.pending, 1)
	w.mu.Unlock()
	unix.Write(w.wakeFd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	<-finished
	return true
}

// stop ends run and waits until it has ended.
func (w *worker) stop() {
	w.do(func() {
		w.mu.Lock()
		w.stopped = true
		w.mu.Unlock()
	})
	<-w.done
}

func (w *worker) run() {
	runtime.LockOSThread()
	defer close(w.done)
	if err := tuneWorkerThread(w.priority); err != nil {
		fmt.Fprintf(os.Stderr, "linkpipe: warning: %v\n", err)
	}
	for !w.stopped {
		more := w.forward()
		if atomic.LoadInt32(&w.pending) != 0 {
			w.runCommands()
			continue
		}
		if !more {
			w.sleep()
		}
	}
}

// forward moves what can be moved now and reports whether more is waiting.
func (w *worker) forward() bool {
	more := false
	for _, l := range w.lanes {
		more = l.receive(w.clk) || more
	}
	for _, l := range w.lanes {
		l.send(w.clk, w.window)
	}
	return more
}

func (w *worker) runCommands() {
	var drain [8]byte
	unix.Read(w.wakeFd, drain[:])
	w.mu.Lock()
	commands := w.commands
	w.commands = nil
	atomic.StoreInt32(&w.pending, 0)
	w.mu.Unlock()
	for _, command := range commands {
		command()
	}
}

// sleep waits until the next packet is due. When all lanes are empty, or their
// delays are too short to leave frames in the ring, arriving frames end it too.
func (w *worker) sleep() {
	next, lazy := w.nextWake()
	polls := w.polls
	if lazy {
		polls = w.polls[:1]
	}
	var timeout *unix.Timespec
	if next != math.MaxInt64 {
		wait := next - w.clk.now()
		if wait <= 0 {
			return
		}
		t := unix.NsecToTimespec(wait)
		timeout = &t
	}
	if poll(polls, timeout) > 0 {
		w.checkErrors(polls)
	}
}

// poll is ppoll(2). Short waits bypass Go's scheduler: if it knew of them, its
// monitor thread would wake thousands of times per second to look after them,
// which costs as much as the forwarding does. Long waits are announced, so that
// the monitor can go to sleep. An interrupted wait counts as no event.
func poll(polls []unix.PollFd, timeout *unix.Timespec) int {
	if timeout == nil {
		n, err := unix.Ppoll(polls, nil, nil)
		if err != nil {
			return 0
		}
		return n
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&polls[0])),
		uintptr(len(polls)), uintptr(unsafe.Pointer(timeout)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// nextWake returns the time of the next event, and whether frames that arrive
// before may stay in the ring until then.
func (w *worker) nextWake() (next int64, lazy bool) {
	next = math.MaxInt64
	floor := int64(math.MaxInt64)
	for _, l := range w.lanes {
		if t, ok := l.dir.nextEvent(); ok && t < next {
			next = t
		}
		if f := l.dir.jitter.floor(); f < floor {
			floor = f
		}
	}
	if next == math.MaxInt64 || floor/2 < minLazyNs {
		return next, false
	}
	look := floor / 2
	if look > maxLazyNs {
		look = maxLazyNs
	}
	if limit := w.clk.now() + look; limit < next {
		next = limit
	}
	return next, true
}

// checkErrors deals with interfaces that went down or away.
func (w *worker) checkErrors(polls []unix.PollFd) {
	for i := 1; i < len(polls); i++ {
		if polls[i].Revents&(unix.POLLERR|unix.POLLNVAL|unix.POLLHUP) == 0 {
			continue
		}
		l := w.lanes[i-1]
		err := l.rx.clearError()
		if l.rx.gone() {
			select {
			case w.fatal <- fmt.Errorf("the receiving interface of %s is gone (%v): create it and start linkpipe again", l.name, err):
			default:
			}
			polls[i].Fd = -1
			continue
		}
		fmt.Fprintf(os.Stderr, "linkpipe: warning: the receiving interface of %s: %v\n", l.name, err)
	}
}
