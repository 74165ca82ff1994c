package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// helloRetryRequest is the random of a ServerHello that has the client begin anew (RFC 8446, 4.1.3): a round trip more.
var helloRetryRequest = unhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")

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
	return isHelloRetry(firstCrypto(openInitial(payload, version, opening)))
}

// initialKeys are a server's for its Initial packets.
func initialKeys(version uint32, opening string) (key, iv, hp []byte) {
	salt, prefix := unhex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a"), "quic "
	if version == quicV2 {
		salt, prefix = unhex("0dede3def700a6db819381be6e269dcbf9bd2ed9"), "quicv2 "
	}
	own := expandServer(mac(salt, []byte(opening)), "server in", 32)
	return expandServer(own, prefix+"key", 16), expandServer(own, prefix+"iv", 12), expandServer(own, prefix+"hp", 16)
}

func mac(key, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(data)
	return h.Sum(nil)
}

// expandServer is HKDF-Expand-Label (RFC 8446, 7.1) of at most one block, without context.
func expandServer(secret []byte, label string, length int) []byte {
	info := append([]byte{0, byte(length), byte(len("tls13 ") + len(label))}, "tls13 "+label...)
	return mac(secret, append(info, 0, 1))[:length]
}

// openInitial decrypts a server's Initial packet: its frames, or nil.
func openInitial(packet []byte, version uint32, opening string) []byte {
	_, rest, _ := connectionID(packet[5:])
	_, rest, ok := connectionID(rest)
	token, rest, ok2 := varint(rest)
	if !ok || !ok2 || uint64(len(rest)) < token {
		return nil
	}
	length, rest, ok := varint(rest[token:])
	if !ok || length < 20 || uint64(len(rest)) < length {
		return nil
	}
	header := len(packet) - len(rest)
	key, iv, hp := initialKeys(version, opening)
	block, _ := aes.NewCipher(hp)
	mask := make([]byte, 16)
	block.Encrypt(mask, rest[4:20])
	first := packet[0] ^ mask[0]&0x0f
	digits := int(first&3) + 1
	plain := append([]byte{first}, packet[1:header+digits]...)
	for n := 0; n < digits; n++ {
		plain[header+n] ^= mask[1+n]
		iv[12-digits+n] ^= plain[header+n]
	}
	block, _ = aes.NewCipher(key)
	sealed, _ := cipher.NewGCM(block)
	frames, err := sealed.Open(nil, iv, rest[digits:length], plain)
	if err != nil {
		return nil
	}
	return frames
}

// firstCrypto is the beginning of the handshake among the frames of an Initial packet (RFC 9000, 19), or nil.
func firstCrypto(frames []byte) []byte {
	for len(frames) > 0 {
		kind, rest, _ := varint(frames)
		var fields [4]uint64
		count := 0
		switch kind {
		case 0, 1: // PADDING, PING
		case 2: // ACK
			count = 4
		case 6: // CRYPTO
			count = 2
		default:
			return nil
		}
		for n := 0; n < count; n++ {
			var ok bool
			if fields[n], rest, ok = varint(rest); !ok {
				return nil
			}
		}
		if kind == 2 && fields[2] > 0 { // of several ranges: more than a first answer acknowledges
			return nil
		}
		if kind == 6 {
			if fields[0] != 0 || uint64(len(rest)) < fields[1] {
				return nil
			}
			return rest[:fields[1]]
		}
		frames = rest
	}
	return nil
}

func varint(data []byte) (value uint64, rest []byte, ok bool) {
	if len(data) == 0 || len(data) < 1<<(data[0]>>6) {
		return 0, nil, false
	}
	n := 1 << (data[0] >> 6)
	value = uint64(data[0] & 0x3f)
	for _, next := range data[1:n] {
		value = value<<8 | uint64(next)
	}
	return value, data[n:], true
}

// flight follows what a server sends over one TCP connection until it has sent enough for its initial window to show.
type flight struct {
	began  uint32   // sequence number of its first byte
	ends   []uint32 // of the packets in flight, bytes since then
	sent   uint32   // the furthest end
	peak   int      // most packets in flight so far
	earned int      // packets acknowledged that may have let the window grow
	acked  uint32   // the last acknowledgement
	over   bool     // a packet was lost or overtaken: what is in flight beyond a hole is no window
}

const (
	// mostFollowed packets earned, nothing more is followed.
	mostFollowed = 500
	// leastUsed packets in flight at once: Linux lets a window of 10 grow only where more than half of it was used.
	leastUsed = 6
)

// send takes in a packet and returns how many more were in flight than what is acknowledged allows beyond the initial window:
// slow start adds to the window a packet for each one that is acknowledged, at the most (RFC 5681, 3.1).
func (f *flight) send(end uint32) int64 {
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

// acknowledge takes in an acknowledgement; bare: it came without data. One that says the same again, while packets are in
// flight, tells of a hole. From there on SACK lets a server send more, and nothing is acknowledged until the hole is filled.
func (f *flight) acknowledge(until uint32, bare bool) {
	if bare && until == f.acked && len(f.ends) > 0 {
		f.over = true
	}
	f.acked = until
	for len(f.ends) > 0 && until < 1<<30 && f.ends[0] <= until {
		f.ends = f.ends[1:]
		if f.peak >= leastUsed {
			f.earned++
		}
	}
}
