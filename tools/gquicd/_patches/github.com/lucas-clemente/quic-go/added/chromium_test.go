package quic

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/lucas-clemente/quic-go/internal/ackhandler"
	"github.com/lucas-clemente/quic-go/internal/congestion"
	"github.com/lucas-clemente/quic-go/internal/protocol"
	"github.com/lucas-clemente/quic-go/internal/utils"
	"github.com/lucas-clemente/quic-go/internal/wire"
)

func TestNoPacketNumberIsSkipped(t *testing.T) {
	generator := newPacketNumberGenerator(1, protocol.SkipPacketAveragePeriodLength)
	for want := protocol.PacketNumber(1); want <= 10000; want++ {
		if got := generator.Pop(); got != want {
			t.Fatalf("packet number %d, want %d: a gap makes a NACK threshold of 3 act as 2", got, want)
		}
	}
}

// spoiler writes over whatever room it is given and fails, like an AEAD with the wrong key that decrypts in place.
type spoiler struct{}

func (spoiler) Open(dst, src []byte, _ protocol.PacketNumber, _ []byte) ([]byte, protocol.EncryptionLevel, error) {
	room := dst[:cap(dst)]
	for i := range room {
		room[i] = 0
	}
	return nil, protocol.EncryptionUnspecified, errors.New("wrong key")
}

func TestAFailedTryLeavesThePacketForTheNextKey(t *testing.T) {
	packet := []byte("a packet sealed with the 0-RTT key")
	before := append([]byte{}, packet...)
	unpacker := newPacketUnpackerGQUIC(spoiler{}, protocol.Version37)
	if _, err := unpacker.Unpack(nil, &wire.Header{}, packet); err == nil {
		t.Fatal("the wrong key opened the packet")
	}
	if !bytes.Equal(packet, before) {
		t.Error("the packet was destroyed by a failed try, so the 0-RTT key can no longer open it")
	}
}

func TestASessionOutlivesItsDeliveryUntilTheClientHasRead(t *testing.T) {
	defer func(before time.Duration) { linger = before }(linger)
	linger = 50 * time.Millisecond
	s := &session{
		framer:            newFramer(nil, nil, protocol.Version37),
		sentPacketHandler: ackhandler.NewSentPacketHandler(&congestion.RTTStats{}, utils.DefaultLogger, protocol.Version37),
		closeChan:         make(chan closeError, 1),
		sendingScheduled:  make(chan struct{}, 1),
	}
	s.CloseWhenDelivered()
	begun := time.Now()
	s.closeIfDelivered()
	s.closeIfDelivered()
	<-s.closeChan
	if lived := time.Since(begun); lived < linger {
		t.Errorf("closed after %v: what the client had yet to read was lost", lived)
	}
}
