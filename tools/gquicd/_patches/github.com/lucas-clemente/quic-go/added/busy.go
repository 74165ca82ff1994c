package quic

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/lucas-clemente/quic-go/sender"
)

// busy is the work that requests make for a session's own goroutine, where they make any (sender.Settings.RequestCost):
// as in a server of one thread, which works at a request before it sends, or reads what has come.
type busy struct{ requests int32 } // atomic

// Work gives the session's goroutine the work of one request, to be done before it goes on.
func (s *session) Work() {
	if sender.Current.RequestCost >= 0 {
		atomic.AddInt32(&s.busy.requests, 1)
		s.scheduleSending()
	}
}

// work runs in the session's own goroutine: it does all that there is.
func (s *session) work() {
	requests := atomic.SwapInt32(&s.busy.requests, 0)
	if requests == 0 {
		return
	}
	began := time.Now()
	spin(time.Duration(requests) * sender.Current.RequestCost)
	if took := time.Since(began); sender.OnWork != nil {
		go sender.OnWork(sender.Work{Connection: s.ID(), Requests: int(requests), Took: took})
	}
}

// take runs as the session's goroutine gets to a packet. A server of one thread reads it from the socket only now: what
// it waited for belongs to the round-trip time.
func (s *session) take(packet *receivedPacket) {
	if sender.Current.RequestCost >= 0 {
		packet.rcvTime = time.Now()
	}
}

// spin uses so much CPU time of its thread.
func spin(cost time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for done := threadTime() + cost; threadTime() < done; {
	}
}

const clockThreadCPU = 3 // CLOCK_THREAD_CPUTIME_ID

func threadTime() time.Duration {
	var now syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&now)), 0)
	return time.Duration(now.Nano())
}
