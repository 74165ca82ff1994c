package ackhandler

import (
	"testing"
	"time"

	"github.com/lucas-clemente/quic-go/internal/congestion"
	"github.com/lucas-clemente/quic-go/internal/protocol"
	"github.com/lucas-clemente/quic-go/internal/utils"
	"github.com/lucas-clemente/quic-go/internal/wire"
	"github.com/lucas-clemente/quic-go/sender"
)

const rtt = 36 * time.Millisecond

// flight is a handler that has sent `packets` packets, one per millisecond, and when it sent the first.
func flight(packets int) (*sentPacketHandler, time.Time) {
	handler := NewSentPacketHandler(&congestion.RTTStats{}, utils.DefaultLogger, protocol.Version37).(*sentPacketHandler)
	handler.SetHandshakeComplete()
	first := time.Now()
	for number := 1; number <= packets; number++ {
		handler.SentPacket(&Packet{
			PacketNumber:    protocol.PacketNumber(number),
			Frames:          []wire.Frame{&wire.PingFrame{}},
			Length:          protocol.MaxPacketSizeIPv4,
			EncryptionLevel: protocol.EncryptionForwardSecure,
			SendTime:        first.Add(time.Duration(number-1) * time.Millisecond),
		})
	}
	return handler, first
}

// acknowledge one packet alone, a round trip after it was sent.
func acknowledge(t *testing.T, handler *sentPacketHandler, first time.Time, number protocol.PacketNumber) {
	t.Helper()
	frame := &wire.AckFrame{AckRanges: []wire.AckRange{{Smallest: number, Largest: number}}}
	at := first.Add(time.Duration(number-1)*time.Millisecond + rtt)
	if err := handler.ReceivedAck(frame, number, protocol.EncryptionForwardSecure, at); err != nil {
		t.Fatal(err)
	}
}

func TestAPacketIsLostAtTheThirdHigherNumber(t *testing.T) {
	handler, first := flight(20)
	acknowledge(t, handler, first, 3) // packet 1 has two higher, 2 one
	if lost := handler.chromium.lost; lost != 0 {
		t.Fatalf("%d packets lost at a distance of 2", lost)
	}
	acknowledge(t, handler, first, 4)
	if lost := handler.chromium.lost; lost != 1 || handler.packetHistory.GetPacket(1) != nil {
		t.Fatalf("%d packets lost at a distance of 3, want packet 1 alone", lost)
	}
}

func TestTheThresholdIsASetting(t *testing.T) {
	defer func(before sender.Settings) { sender.Current = before }(sender.Current)
	sender.Current.NackThreshold = 10
	handler, first := flight(20)
	acknowledge(t, handler, first, 10)
	if lost := handler.chromium.lost; lost != 0 {
		t.Fatalf("%d packets lost at a distance of 9, threshold 10", lost)
	}
	acknowledge(t, handler, first, 11)
	if lost := handler.chromium.lost; lost != 1 {
		t.Fatalf("%d packets lost at a distance of 10, threshold 10", lost)
	}
}

func TestOnlyTheTailWaitsForATimer(t *testing.T) {
	handler, first := flight(5)
	acknowledge(t, handler, first, 4)
	if !handler.lossTime.IsZero() {
		t.Error("a timer runs although packet 5 may still raise the count")
	}
	acknowledge(t, handler, first, 5) // the last one sent: 2 is lost, nothing can come for 3
	if lost := handler.chromium.lost; lost != 2 {
		t.Fatalf("%d packets lost, want 1 and 2", lost)
	}
	sent := first.Add(2 * time.Millisecond)
	if wait := handler.lossTime.Sub(sent); wait < rtt*5/4-time.Millisecond || wait > rtt*5/4+time.Millisecond {
		t.Errorf("packet 3 counts as lost %v after its sending, want 5/4 of %v", wait, rtt)
	}
}

func TestALateTimerWaitsForAtLeastFiveMilliseconds(t *testing.T) {
	if delay := lossDelay(float64(time.Millisecond)); delay != 5*time.Millisecond {
		t.Errorf("loss delay %v at an RTT of 1 ms", delay)
	}
}

func TestTailLossProbeAfterTwoRoundTrips(t *testing.T) {
	handler, first := flight(5)
	acknowledge(t, handler, first, 1)
	if delay := handler.computeTLPTimeout(); delay < 2*rtt-time.Millisecond || delay > 2*rtt+time.Millisecond {
		t.Errorf("probe after %v with several packets in flight, want 2 x %v", delay, rtt)
	}
	handler, first = flight(2)
	acknowledge(t, handler, first, 1)
	if delay := handler.computeTLPTimeout(); delay < 150*time.Millisecond {
		t.Errorf("probe after %v for a single packet, want 1.5 RTTs and 100 ms", delay)
	}
}
