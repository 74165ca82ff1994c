package quic

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/lucas-clemente/quic-go/internal/ackhandler"
	"github.com/lucas-clemente/quic-go/internal/wire"
	"github.com/lucas-clemente/quic-go/qerr"
)

// linger is how long a session stays after its last byte was acknowledged. Chromium acknowledges in its network thread
// what the page has yet to read, and a CONNECTION_CLOSE drops what is unread: one page of 100 objects in ten came short.
var linger = 5 * time.Second

// served is the life of a server's session as gquicd sees it.
type served struct {
	handedOver sync.Once
	delivered  sync.Once
	closing    int32 // atomic; 1: close once everything has been delivered
	confirmed  int32 // atomic; 1: the client has sent a forward-secure packet
}

// handOver gives the session to Accept, once: as soon as the CHLO is accepted and not with the client's first
// forward-secure packet, so that a request sent as 0-RTT data is answered in one round trip.
func (s *session) handOver() {
	s.served.handedOver.Do(func() { s.sessionRunner.onHandshakeComplete(s) })
}

// ID of the connection, as hexadecimal digits.
func (s *session) ID() string { return s.srcConnID.String() }

// Rejections is the number of REJ messages that this handshake took; 0 means 0-RTT.
func (s *session) Rejections() int {
	if counter, ok := s.cryptoStreamHandler.(interface{ Rejections() int }); ok {
		return counter.Rejections()
	}
	return 0
}

// Confirmed says whether the client has confirmed the handshake: what it asks from then on is no 0-RTT data.
func (s *session) Confirmed() bool { return atomic.LoadInt32(&s.served.confirmed) == 1 }

func (s *served) confirm() { atomic.StoreInt32(&s.confirmed, 1) }

// GoAway tells the client to open no more streams here: its next page gets a new connection.
func (s *session) GoAway() {
	s.queueControlFrame(&wire.GoawayFrame{ErrorCode: qerr.PeerGoingAway, ReasonPhrase: "page served"})
}

// CloseWhenDelivered closes the session once the client has acknowledged everything and had the time to read it.
func (s *session) CloseWhenDelivered() {
	atomic.StoreInt32(&s.served.closing, 1)
	s.scheduleSending()
}

// closeIfDelivered runs in the session's own goroutine.
func (s *session) closeIfDelivered() {
	if atomic.LoadInt32(&s.served.closing) == 1 && !s.framer.hasData() && !ackhandler.Outstanding(s.sentPacketHandler) {
		s.served.delivered.Do(func() { time.AfterFunc(linger, func() { s.closeLocal(nil) }) })
	}
}

func (f *framer) hasData() bool {
	f.streamQueueMutex.Lock()
	streams := len(f.streamQueue)
	f.streamQueueMutex.Unlock()
	f.controlFrameMutex.Lock()
	defer f.controlFrameMutex.Unlock()
	return streams > 0 || len(f.controlFrames) > 0
}
