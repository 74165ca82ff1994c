package main

import (
	"encoding/binary"
	"strconv"
	"sync"
)

// connectionCount is what the frames of connections to one server port came to, since the start.
type connectionCount struct {
	Opened        int64 `json:"opened"`
	HandshakeLost int64 `json:"handshake_lost"` // of their first packets, in either direction: dropped or corrupted here
	Retries       int64 `json:"retries"`        // handshakes that the server had the client begin anew
	Resumed       int64 `json:"resumed"`        // of TCP: hellos in which the server resumes a TLS session
	Frames        int64 `json:"frames"`         // of both directions, before the link does anything to them
	Bytes         int64 `json:"bytes"`
	WindowPackets int64 `json:"window_packets"` // TCP's initial window, as far as it was used; since the last report

	// Of QUIC: connection options that a client's hello asked for ("TBBR,IW10", "" for none) and how often; a hello that
	// could not be read is not among them.
	Asked map[string]int64 `json:"asked,omitempty"`
}

// connectionKey tells connections apart. Of TCP: both ports and the client's initial sequence number, which a SYN that is
// sent again keeps. Of QUIC: both ports and the connection id that the client chose for the server. A client may change to
// another one that the server gave it in a packet that only they can read, and send its last Initial there, as quic-go does;
// the id that it chose for itself stays.
type connectionKey struct {
	client, server uint16
	id             string
}

// connectionTracker counts the connections that clients open, from their own first packets: SYN, QUIC's Initial, and Google
// QUIC's packets that name a version. It sees frames of both directions before the link does anything to them.
type connectionTracker struct {
	mu      sync.Mutex // lanes may run on two threads
	known   map[connectionKey]bool
	served  map[connectionKey]bool // connection ids that servers chose: a client's Initial to one of them is no new connection
	own     map[connectionKey]bool // connection ids that clients chose for themselves, where they have one: nor is one with a known one
	opening map[portPair]string    // the connection id that QUIC's latest connection began with
	flights map[portPair]*flight   // of TCP
	counts  map[string]map[uint16]*connectionCount
	hellos  map[connectionKey]*hello // that are not whole yet
	earlyNs int64                    // before it is due a packet may have left the link
}

type portPair struct{ client, server uint16 }

// mostHellos bounds what unfinished ones take: a client sends its hello at once, in two or three datagrams.
const mostHellos = 64

// mostKnown bounds the memory: about 10 MB. What is forgotten is long over.
const mostKnown = 100_000

func newConnectionTracker(windowNs int64) *connectionTracker {
	return &connectionTracker{
		known:   map[connectionKey]bool{},
		served:  map[connectionKey]bool{},
		own:     map[connectionKey]bool{},
		opening: map[portPair]string{},
		flights: map[portPair]*flight{},
		counts:  map[string]map[uint16]*connectionCount{"tcp": {}, "quic": {}, "other": {}},
		hellos:  map[connectionKey]*hello{},
		earlyNs: windowNs + slackNs,
	}
}

const (
	ethernetBytes = 14
	flagSyn       = 0x02
	flagAck       = 0x10
)

// observe takes in a frame that came now and leaves the link at due; dropped says that the link will not deliver it as it is.
func (t *connectionTracker) observe(frame []byte, fromClient, dropped bool, now, due int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	protocol, segment := transport(frame)
	key := connectionKey{}
	if protocol != "other" {
		key.client, key.server = ports(segment, fromClient)
	}
	count := t.count(protocol, key.server)
	count.Frames++
	count.Bytes += int64(len(frame))
	switch protocol {
	case "tcp":
		t.tcp(key, segment, fromClient, dropped, now, due)
	case "quic":
		t.udp(key, segment, fromClient, dropped)
	}
}

// transport is what a frame carries: `tcp`, `quic` (UDP), or `other`, and its segment. A link that cuts frames off has no place
// here: IPv4's own length says where padding begins.
func transport(frame []byte) (protocol string, segment []byte) {
	if len(frame) < ethernetBytes+20 || frame[12] != 0x08 || frame[13] != 0 {
		return "other", nil
	}
	ip := frame[ethernetBytes:]
	header := int(ip[0]&0x0f) * 4
	if ip[0]>>4 != 4 || header < 20 || binary.BigEndian.Uint16(ip[6:])&0x1fff != 0 || len(ip) < header+8 {
		return "other", nil // not IPv4, or a fragment but the first
	}
	if total := int(binary.BigEndian.Uint16(ip[2:])); total >= header+8 && total < len(ip) {
		ip = ip[:total]
	}
	switch {
	case ip[9] == 6 && len(ip) >= header+20:
		return "tcp", ip[header:]
	case ip[9] == 17:
		return "quic", ip[header:]
	}
	return "other", nil
}

func ports(segment []byte, fromClient bool) (client, server uint16) {
	source, target := binary.BigEndian.Uint16(segment), binary.BigEndian.Uint16(segment[2:])
	if fromClient {
		return source, target
	}
	return target, source
}

// dropped takes note of a frame, observed before, that a managed queue has dropped.
func (t *connectionTracker) dropped(frame []byte, fromClient bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	protocol, segment := transport(frame)
	if protocol == "other" {
		return
	}
	key := connectionKey{}
	key.client, key.server = ports(segment, fromClient)
	opening := protocol == "tcp" && segment[13]&flagSyn != 0
	if protocol == "quic" {
		opening = parseFirst(segment[8:], fromClient).kind != quicOther
	}
	t.lost(protocol, key, opening)
}

func (t *connectionTracker) tcp(key connectionKey, segment []byte, fromClient, dropped bool, now, due int64) {
	pair := portPair{key.client, key.server}
	sequence, acknowledged := binary.BigEndian.Uint32(segment[4:]), binary.BigEndian.Uint32(segment[8:])
	offset, flags := int(segment[12]>>4)*4, segment[13]
	followed := t.flights[pair]
	switch {
	case flags&flagSyn == 0 && !fromClient && offset <= len(segment):
		payload := segment[offset:]
		if len(payload) == 0 {
			return
		}
		if tcpRetry(payload) {
			t.count("tcp", key.server).Retries++
		} else if tlsResumed(payload) {
			t.count("tcp", key.server).Resumed++
		}
		if followed != nil {
			used, count := followed.send(sequence+uint32(len(payload))-followed.began, now+t.earlyNs), t.count("tcp", key.server)
			if used > count.WindowPackets {
				count.WindowPackets = used
			}
		}
	case flags&flagSyn == 0 && followed != nil && flags&flagAck != 0:
		followed.acknowledge(acknowledged-followed.began, len(segment) <= offset, dropped, due)
	case flags&flagSyn == 0 || (flags&flagAck != 0) == fromClient:
	case fromClient:
		key.id = string(segment[4:8])
		t.open("tcp", key)
		t.lost("tcp", key, dropped)
	default:
		if len(t.flights) >= mostKnown {
			t.flights = map[portPair]*flight{}
		}
		t.flights[pair] = &flight{began: sequence + 1}
		t.lost("tcp", key, dropped)
	}
}

func (t *connectionTracker) udp(key connectionKey, segment []byte, fromClient, dropped bool) {
	first := parseFirst(segment[8:], fromClient)
	if first.kind == quicOther {
		return
	}
	pair := portPair{key.client, key.server}
	switch {
	case !fromClient:
		if quicRetry(segment[8:], t.opening[pair]) {
			t.count("quic", key.server).Retries++
		}
		t.remember(t.served, connectionKey{key.client, key.server, string(first.source)})
	case first.kind == quicOpening:
		key.id = string(first.target)
		own := connectionKey{key.client, key.server, string(first.source)}
		if !t.served[key] && !t.own[own] {
			if t.open("quic", key) {
				t.expect(key, segment[8:])
			}
			if len(t.opening) >= mostKnown {
				t.opening = map[portPair]string{}
			}
			t.opening[pair] = key.id
		}
		t.hello(key, segment[8:])
		if own.id != "" {
			t.remember(t.own, own)
		}
	}
	t.lost("quic", key, dropped)
}

// open counts a connection at its first packet; whether this is it.
func (t *connectionTracker) open(protocol string, key connectionKey) bool {
	if t.known[key] {
		return false
	}
	t.remember(t.known, key)
	t.count(protocol, key.server).Opened++
	return true
}

// expect begins to read the hello of a connection.
func (t *connectionTracker) expect(key connectionKey, payload []byte) {
	if payload[0]&0x80 == 0 {
		return // Google QUIC
	}
	if begun := newHello(binary.BigEndian.Uint32(payload[1:]), []byte(key.id)); begun != nil {
		if len(t.hellos) >= mostHellos {
			t.hellos = map[connectionKey]*hello{}
		}
		t.hellos[key] = begun
	}
}

// hello takes in a client's Initial packet, as long as its hello is not whole.
func (t *connectionTracker) hello(key connectionKey, payload []byte) {
	reading := t.hellos[key]
	if reading == nil {
		return
	}
	options, readable, done := reading.take(payload)
	if !done {
		return
	}
	delete(t.hellos, key)
	if readable {
		count := t.count("quic", key.server)
		if count.Asked == nil {
			count.Asked = map[string]int64{}
		}
		count.Asked[options]++
	}
}

func (t *connectionTracker) remember(set map[connectionKey]bool, key connectionKey) {
	if len(set) >= mostKnown {
		for old := range set {
			delete(set, old)
		}
	}
	set[key] = true
}

func (t *connectionTracker) lost(protocol string, key connectionKey, dropped bool) {
	if dropped {
		t.count(protocol, key.server).HandshakeLost++
	}
}

func (t *connectionTracker) count(protocol string, port uint16) *connectionCount {
	found := t.counts[protocol][port]
	if found == nil {
		found = &connectionCount{}
		t.counts[protocol][port] = found
	}
	return found
}

// report is protocol -> server port -> counts; initial windows are looked for anew from then on.
func (t *connectionTracker) report() map[string]map[string]connectionCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := map[string]map[string]connectionCount{}
	for protocol, ports := range t.counts {
		out[protocol] = map[string]connectionCount{}
		for port, count := range ports {
			told := *count
			told.Asked = map[string]int64{}
			for options, times := range count.Asked {
				told.Asked[options] = times
			}
			out[protocol][strconv.Itoa(int(port))] = told
			count.WindowPackets = 0
		}
	}
	return out
}

const (
	quicOther   = iota
	quicOpening // of a client: an Initial, or a Google QUIC packet that names a version
	quicLong    // another packet with a long header
)

type firstPacket struct {
	kind           int
	target, source []byte // connection ids
}

const (
	quicV2    = 0x6b3343cf // RFC 9369, which numbers the types of packets otherwise
	typeShift = 4
)

// parseFirst reads what is common to QUIC's first packets (RFC 8999, 5.1), or Google QUIC's public header (up to version 43).
func parseFirst(payload []byte, fromClient bool) firstPacket {
	if len(payload) < 7 {
		return firstPacket{}
	}
	if payload[0]&0x80 == 0 {
		return parseGoogle(payload, fromClient)
	}
	version := binary.BigEndian.Uint32(payload[1:])
	target, rest, ok := connectionID(payload[5:])
	if !ok {
		return firstPacket{}
	}
	source, _, ok := connectionID(rest)
	if !ok {
		return firstPacket{}
	}
	initial := byte(0)
	if version == quicV2 {
		initial = 1
	}
	if version != 0 && payload[0]>>typeShift&0x03 == initial {
		return firstPacket{quicOpening, target, source}
	}
	return firstPacket{quicLong, target, source}
}

func connectionID(data []byte) (id, rest []byte, ok bool) {
	if len(data) < 1 || len(data) < 1+int(data[0]) {
		return nil, nil, false
	}
	n := 1 + int(data[0])
	return data[1:n], data[n:], true
}

// parseGoogle: a client's packets name the version (flag 1) until the server has answered; 8 bytes of connection id (flag 8).
// Bits 6 and 7 are unused, which tells them from a short header of RFC 9000 (bit 6 is set).
func parseGoogle(payload []byte, fromClient bool) firstPacket {
	if !fromClient || payload[0]&0xc9 != 0x09 || len(payload) < 13 || payload[9] != 'Q' {
		return firstPacket{}
	}
	return firstPacket{kind: quicOpening, target: payload[1:9]}
}
