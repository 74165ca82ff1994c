package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
)

// helloRetryRequest is the random of a ServerHello that has the client begin anew (RFC 8446, 4.1.3): a round trip more.
var helloRetryRequest = unhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")

const (
	// of TLS: numbers of extensions, of a handshake's message and of a record.
	preSharedKey      = 41
	supportedVersions = 43
	newSessionTicket  = 4
	changeCipherSpec  = 20
)

func unhex(text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// isHelloRetry says whether a handshake message is a HelloRetryRequest.
func isHelloRetry(message []byte) bool {
	return len(message) >= 38 && message[0] == 2 && bytes.Equal(message[6:38], helloRetryRequest)
}

// tcpRetry says whether the payload of a server's segment begins with a record that holds a HelloRetryRequest.
func tcpRetry(payload []byte) bool {
	return len(payload) > 5 && payload[0] == 22 && isHelloRetry(payload[5:])
}

// tlsResumed says whether the payload of a server's segment begins with a ServerHello that resumes a session: it takes a
// pre-shared key of the client's (RFC 8446, 4.2.11), or, before TLS 1.3, no certificate follows but a ticket (RFC 5077, 3.1)
// or the end of the handshake.
func tlsResumed(payload []byte) bool {
	if len(payload) < 44 || payload[0] != 22 || payload[5] != 2 {
		return false
	}
	record := 5 + int(binary.BigEndian.Uint16(payload[3:]))
	end := 9 + int(payload[6])<<16 + int(binary.BigEndian.Uint16(payload[7:]))
	at := 44 + int(payload[43]) + 3 // past the session's id, the cipher suite and the compression
	if end > len(payload) || at > end {
		return false
	}
	tls13 := false
	for at += 2; at+4 <= end; at += 4 + int(binary.BigEndian.Uint16(payload[at+2:])) {
		switch binary.BigEndian.Uint16(payload[at:]) {
		case preSharedKey:
			return true
		case supportedVersions:
			tls13 = true
		}
	}
	switch rest := payload[end:]; {
	case tls13:
		return false
	case end < record:
		return len(rest) > 0 && rest[0] == newSessionTicket
	case len(rest) > 5 && rest[0] == 22:
		return rest[5] == newSessionTicket
	default:
		return len(rest) > 0 && rest[0] == changeCipherSpec
	}
}

// quicRetry says whether a server's packet has its client begin anew: Version Negotiation, a Retry (RFC 9000, 17.2), or an
// Initial with a HelloRetryRequest, whose keys follow from the connection id that the client began with (RFC 9001, 5.2).
func quicRetry(payload []byte, opening string) bool {
	if len(payload) < 7 || payload[0]&0x80 == 0 {
		return false
	}
	version := binary.BigEndian.Uint32(payload[1:])
	kind := payload[0] >> typeShift & 0x03
	if version == quicV2 {
		kind = (kind + 3) & 0x03 // RFC 9369, 3.2: Retry is 0, Initial 1
	}
	switch {
	case version == 0 || kind == 3:
		return true
	case kind != 0 || opening == "":
		return false
	}
	keys := newProtection(version, []byte(opening), fromServers)
	if keys == nil {
		return false
	}
	return isHelloRetry(keys.firstCrypto(payload))
}

// firstCrypto is the beginning of the handshake in an Initial packet, or nil.
func (p *protection) firstCrypto(packet []byte) (message []byte) {
	if plain, _, ok := p.open(packet); ok {
		cryptoFrames(plain, func(at uint64, data []byte) bool {
			if at == 0 {
				message = data
			}
			return true
		})
	}
	return message
}

// landing is an acknowledgement and when it reaches the server, which until then has more packets in flight than were
// acknowledged at the link, and may let its window grow for those.
type landing struct {
	until uint32
	due   int64
}

// flight follows what a server sends over one TCP connection until it has sent enough for its initial window to show.
type flight struct {
	began  uint32    // sequence number of its first byte
	ends   []uint32  // of the packets in flight, bytes since then
	sent   uint32    // the furthest end
	peak   int       // most packets in flight so far
	earned int       // packets acknowledged that may have let the window grow
	acked  uint32    // the last acknowledgement
	coming []landing // acknowledgements that the link holds
	over   bool      // a packet was lost or overtaken: what is in flight beyond a hole is no window
}

const (
	// mostFollowed packets earned, nothing more is followed.
	mostFollowed = 500
	// leastUsed packets in flight at once: Linux lets a window of 10 grow only where more than half of it was used.
	leastUsed = 6
	// slackNs is what clocks and threads add to the time by which the link lets a packet leave before it is due.
	slackNs = 1_000_000
)

// send takes in a packet and returns how many more were in flight than what is acknowledged allows beyond the initial window:
// slow start adds to the window a packet for each one that is acknowledged, at the most (RFC 5681, 3.1). landed: what is due
// by then may have reached the server.
func (f *flight) send(end uint32, landed int64) int64 {
	f.land(landed)
	if end > 1<<30 || f.over || f.earned > mostFollowed {
		return 0 // of sequence numbers of another connection
	}
	if end <= f.sent {
		f.over = true // sent again
		return 0
	}
	f.sent = end
	f.ends = append(f.ends, end)
	if len(f.ends) > f.peak {
		f.peak = len(f.ends)
	}
	return int64(len(f.ends) - f.earned)
}

// acknowledge takes in an acknowledgement that reaches the server at due, or never; bare: it came without data. One that says
// the same again, while packets are in flight, tells of a hole. From there on SACK lets a server send more, and nothing is
// acknowledged until the hole is filled.
func (f *flight) acknowledge(until uint32, bare, dropped bool, due int64) {
	again := until == f.acked
	if bare && again && until < f.sent {
		f.over = true
	}
	f.acked = until
	if !again && !dropped && !f.over && until < 1<<30 && f.earned <= mostFollowed {
		f.coming = append(f.coming, landing{until, due})
	}
}

// land takes in what is due by then.
func (f *flight) land(by int64) {
	held := f.coming[:0]
	for _, one := range f.coming {
		if one.due > by {
			held = append(held, one)
			continue
		}
		for len(f.ends) > 0 && f.ends[0] <= one.until {
			f.ends = f.ends[1:]
			if f.peak >= leastUsed {
				f.earned++
			}
		}
	}
	f.coming = held
}
