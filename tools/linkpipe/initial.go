package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Initial packets hide nothing from who sees the first one: their keys follow from the connection id that the client chose for
// the server (RFC 9001, 5.2; RFC 9369, 3.3; draft-ietf-quic-tls-29).

const (
	quicV1      = 0x00000001
	quicDraft29 = 0xff00001d
	fromClients = "client in"
	fromServers = "server in"
)

// initials are, by version, the salt, what begins the names of keys, and the upper half of a packet's first byte.
var initials = map[uint32]struct {
	salt   []byte
	prefix string
	first  byte
}{
	quicV1:      {unhex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a"), "quic ", 0xc0},
	quicDraft29: {unhex("afbfec289993d24c9e9786f19c6111e04390a899"), "quic ", 0xc0},
	quicV2:      {unhex("0dede3def700a6db819381be6e269dcbf9bd2ed9"), "quicv2 ", 0xd0},
}

// protection is that of one side's Initial packets.
type protection struct {
	version uint32
	payload cipher.AEAD
	header  cipher.Block
	nonce   []byte
}

// newProtection is nil for a version whose keys are not known.
func newProtection(version uint32, target []byte, side string) *protection {
	known, ok := initials[version]
	if !ok {
		return nil
	}
	secret := expandLabel(hmacOf(known.salt, target), side, sha256.Size)
	block, err := aes.NewCipher(expandLabel(secret, known.prefix+"key", 16))
	if err != nil {
		return nil
	}
	payload, err := cipher.NewGCM(block)
	if err != nil {
		return nil
	}
	header, err := aes.NewCipher(expandLabel(secret, known.prefix+"hp", 16))
	if err != nil {
		return nil
	}
	return &protection{version, payload, header, expandLabel(secret, known.prefix+"iv", 12)}
}

func hmacOf(key []byte, pieces ...[]byte) []byte {
	sum := hmac.New(sha256.New, key)
	for _, piece := range pieces {
		sum.Write(piece)
	}
	return sum.Sum(nil)
}

// expandLabel is HKDF-Expand-Label (RFC 8446, 7.1) of at most one block, without a context.
func expandLabel(secret []byte, label string, length int) []byte {
	label = "tls13 " + label
	info := append([]byte{0, byte(length), byte(len(label))}, label...)
	return hmacOf(secret, info, []byte{0, 1})[:length]
}

// open removes the protection of the first packet of a datagram, if that is an Initial of this connection.
func (p *protection) open(datagram []byte) (plain, rest []byte, ok bool) {
	r := reader{datagram, true}
	first, version := r.bytes(1), r.bytes(4)
	if !r.ok || first[0]&0xf0 != initials[p.version].first || binary.BigEndian.Uint32(version) != p.version {
		return nil, nil, false
	}
	r.bytes(uint64(r.byte())) // connection ids
	r.bytes(uint64(r.byte()))
	r.bytes(r.varint()) // token
	length := r.varint()
	start := len(datagram) - len(r.data)
	body := r.bytes(length)
	if !r.ok || len(body) < 20 {
		return nil, nil, false
	}
	mask := make([]byte, aes.BlockSize)
	p.header.Encrypt(mask, body[4:20])
	flags := first[0] ^ mask[0]&0x0f
	numberBytes := int(flags&0x03) + 1
	head := append([]byte{}, datagram[:start+numberBytes]...)
	head[0] = flags
	nonce := append([]byte{}, p.nonce...)
	for i := 0; i < numberBytes; i++ {
		head[start+i] ^= mask[1+i]
		nonce[len(nonce)-numberBytes+i] ^= head[start+i]
	}
	plain, err := p.payload.Open(nil, nonce, body[numberBytes:], head)
	return plain, r.data, err == nil
}

// cryptoFrames gives what the CRYPTO frames of a packet hold, each with its offset; false where one is malformed or refused.
func cryptoFrames(plain []byte, take func(at uint64, data []byte) bool) bool {
	r := reader{plain, true}
	for r.ok && len(r.data) > 0 {
		switch r.varint() {
		case 0, 1: // PADDING, PING
		case 2: // ACK
			r.varint()
			r.varint()
			ranges := r.varint()
			r.varint()
			for ; ranges > 0 && r.ok; ranges-- {
				r.varint()
				r.varint()
			}
		case 6: // CRYPTO
			at := r.varint()
			if data := r.bytes(r.varint()); !r.ok || !take(at, data) {
				return false
			}
		default:
			return false
		}
	}
	return r.ok
}

// reader takes bytes from the front; once there are too few, ok is false and all that follows is empty.
type reader struct {
	data []byte
	ok   bool
}

func (r *reader) bytes(n uint64) []byte {
	if !r.ok || n > uint64(len(r.data)) {
		r.ok, r.data = false, nil
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *reader) byte() byte {
	if one := r.bytes(1); r.ok {
		return one[0]
	}
	return 0
}

func (r *reader) uint16() uint64 {
	if two := r.bytes(2); r.ok {
		return uint64(binary.BigEndian.Uint16(two))
	}
	return 0
}

// varint is QUIC's integer of variable length (RFC 9000, 16).
func (r *reader) varint() uint64 {
	first := r.byte()
	value := uint64(first & 0x3f)
	for _, next := range r.bytes(1<<(first>>6) - 1) {
		value = value<<8 | uint64(next)
	}
	return value
}
