package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// What a client asks of a QUIC server in its hello: Google's connection options, a transport parameter by which QUICHE lets a
// client choose the server's congestion controller, among others. Initial packets hide nothing from who sees the first one:
// their keys follow from its connection id (RFC 9001, 5.2).

const (
	quicV1            = 0x00000001
	quicDraft29       = 0xff00001d
	mostHelloBytes    = 1 << 14
	typeClientHello   = 1
	extensionParams   = 0x0039
	extensionDraft    = 0xffa5
	paramOptions      = 0x3128 // google_connection_options
	paramGoogleLegacy = 18257  // a whole message of Google's, in which browsers of 2020 had them: not read
)

// initialSalts are those of RFC 9001, 5.2, and of the draft.
var initialSalts = map[uint32]string{
	quicV1:      "38762cf7f55934b34d179ae6a4c80cadccbb7f0a",
	quicDraft29: "afbfec289993d24c9e9786f19c6111e04390a899",
}

// hello reads one client's hello out of its Initial packets.
type hello struct {
	version uint32
	payload cipher.AEAD
	header  cipher.Block
	nonce   []byte
	crypto  []byte
	have    []bool
}

// newHello begins with the connection id that the client chose for the server; nil for a version whose keys are not known.
func newHello(version uint32, target []byte) *hello {
	text, known := initialSalts[version]
	if !known {
		return nil
	}
	salt, _ := hex.DecodeString(text)
	secret := expandLabel(hmacOf(salt, target), "client in", sha256.Size)
	block, err := aes.NewCipher(expandLabel(secret, "quic key", 16))
	if err != nil {
		return nil
	}
	payload, err := cipher.NewGCM(block)
	if err != nil {
		return nil
	}
	header, err := aes.NewCipher(expandLabel(secret, "quic hp", 16))
	if err != nil {
		return nil
	}
	return &hello{version: version, payload: payload, header: header, nonce: expandLabel(secret, "quic iv", 12)}
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

// take reads the Initial packets of a datagram. Done: the hello is whole, or is none that can be read; then options are the
// tags that it asks for, in its order, and readable says whether they could be told.
func (h *hello) take(datagram []byte) (options string, readable, done bool) {
	for len(datagram) > 0 {
		plain, rest, ok := h.open(datagram)
		if !ok || !h.frames(plain) {
			break
		}
		datagram = rest
	}
	whole := 0
	for whole < len(h.have) && h.have[whole] {
		whole++
	}
	if whole < 4 {
		return "", false, false
	}
	length := int(h.crypto[1])<<16 | int(h.crypto[2])<<8 | int(h.crypto[3])
	if h.crypto[0] != typeClientHello || length+4 > mostHelloBytes {
		return "", false, true
	}
	if whole < 4+length {
		return "", false, false
	}
	options, readable = optionsOf(h.crypto[4 : 4+length])
	return options, readable, true
}

// open removes the protection of the first packet of a datagram, if that is an Initial of this connection.
func (h *hello) open(datagram []byte) (plain, rest []byte, ok bool) {
	r := reader{datagram, true}
	first, version := r.bytes(1), r.bytes(4)
	if !r.ok || first[0]&0xf0 != 0xc0 || binary.BigEndian.Uint32(version) != h.version {
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
	h.header.Encrypt(mask, body[4:20])
	flags := first[0] ^ mask[0]&0x0f
	numberBytes := int(flags&0x03) + 1
	head := append([]byte{}, datagram[:start+numberBytes]...)
	head[0] = flags
	nonce := append([]byte{}, h.nonce...)
	for i := 0; i < numberBytes; i++ {
		head[start+i] ^= mask[1+i]
		nonce[len(nonce)-numberBytes+i] ^= head[start+i]
	}
	plain, err := h.payload.Open(nil, nonce, body[numberBytes:], head)
	return plain, r.data, err == nil
}

// frames takes in the CRYPTO frames of a packet; false where one is malformed, or too far from the beginning.
func (h *hello) frames(plain []byte) bool {
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
			data := r.bytes(r.varint())
			if !r.ok || at > mostHelloBytes || at+uint64(len(data)) > mostHelloBytes {
				return false
			}
			h.place(int(at), data)
		default:
			return false
		}
	}
	return r.ok
}

func (h *hello) place(at int, data []byte) {
	if end := at + len(data); end > len(h.crypto) {
		h.crypto = append(h.crypto, make([]byte, end-len(h.crypto))...)
		h.have = append(h.have, make([]bool, end-len(h.have))...)
	}
	copy(h.crypto[at:], data)
	for i := range data {
		h.have[at+i] = true
	}
}

// optionsOf reads a ClientHello (RFC 8446, 4.1.2): the tags of its connection options, "TBBR,IW10".
func optionsOf(body []byte) (string, bool) {
	r := reader{body, true}
	r.bytes(2 + 32) // version, random
	r.bytes(uint64(r.byte()))
	r.bytes(r.uint16())
	r.bytes(uint64(r.byte()))
	extensions := reader{r.bytes(r.uint16()), true}
	for extensions.ok && len(extensions.data) > 0 {
		kind := extensions.uint16()
		content := extensions.bytes(extensions.uint16())
		if extensions.ok && (kind == extensionParams || kind == extensionDraft) {
			return optionsOfParams(content)
		}
	}
	return "", false
}

func optionsOfParams(content []byte) (string, bool) {
	r, found := reader{content, true}, []string{}
	for r.ok && len(r.data) > 0 {
		kind := r.varint()
		value := r.bytes(r.varint())
		if kind == paramGoogleLegacy {
			return "", false
		}
		for ; r.ok && kind == paramOptions && len(value) >= 4; value = value[4:] {
			found = append(found, tagText(value[:4]))
		}
	}
	return strings.Join(found, ","), r.ok
}

// tagText is a tag as people write it, or its digits where it is none of letters.
func tagText(tag []byte) string {
	text := strings.TrimRight(string(tag), "\x00")
	for _, one := range text {
		if one < '0' || one > 'z' || one == ',' {
			return "0x" + hex.EncodeToString(tag)
		}
	}
	return text
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
