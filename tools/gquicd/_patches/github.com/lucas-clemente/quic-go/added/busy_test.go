package quic

import (
	"testing"
	"time"

	"github.com/lucas-clemente/quic-go/internal/protocol"
	"github.com/lucas-clemente/quic-go/sender"
)

func costing(t *testing.T, cost time.Duration) *session {
	t.Helper()
	before := sender.Current
	t.Cleanup(func() { sender.Current, sender.OnWork = before, nil })
	sender.Current.RequestCost = cost
	return &session{srcConnID: protocol.ConnectionID{1}, sendingScheduled: make(chan struct{}, 1)}
}

func TestASessionWorksOnceAtEachRequestBeforeItGoesOn(t *testing.T) {
	s := costing(t, 2*time.Millisecond)
	told := make(chan sender.Work, 1)
	sender.OnWork = func(work sender.Work) { told <- work }
	s.Work()
	s.Work()
	if len(s.sendingScheduled) != 1 {
		t.Error("its loop was not woken")
	}
	began := threadTime()
	s.work()
	if used := threadTime() - began; used < 4*time.Millisecond {
		t.Errorf("two requests took %v of CPU time", used)
	}
	if work := <-told; work.Requests != 2 || work.Took < 4*time.Millisecond || work.Connection != s.ID() {
		t.Errorf("told %+v", work)
	}
	s.work()
	if len(told) != 0 {
		t.Error("it worked again without a request")
	}
}

func TestWithoutACostNothingIsWorkedAtAndPacketsKeepTheirTime(t *testing.T) {
	s := costing(t, -1)
	s.Work()
	packet := &receivedPacket{}
	s.take(packet)
	if s.busy.requests != 0 || len(s.sendingScheduled) != 0 || !packet.rcvTime.IsZero() {
		t.Error("a session without a cost behaves as one with it")
	}
}

func TestWithACostAPacketHasComeWhenTheLoopGetsToIt(t *testing.T) {
	s := costing(t, 0)
	packet := &receivedPacket{rcvTime: time.Now().Add(-time.Second)}
	s.take(packet)
	if time.Since(packet.rcvTime) > time.Second/2 {
		t.Error("its time is still that of the socket")
	}
}
