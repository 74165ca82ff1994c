package wire

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/lucas-clemente/quic-go/internal/crypto"
	"github.com/lucas-clemente/quic-go/internal/handshake"
	"github.com/lucas-clemente/quic-go/internal/protocol"
)

// recorded is a packet as Chromium 64.0.3264.0 sent it (its UDP payload), captured at the server.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".hex")
	if err != nil {
		t.Fatal(err)
	}
	packet, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return packet
}

func TestTheFirstPacketsOfARealChromium(t *testing.T) {
	for name, complete := range map[string]bool{"chlo-cold": false, "chlo-resumed": true} {
		packet := recorded(t, name)
		if tag := string(packet[9:13]); tag != "Q037" {
			t.Fatalf("%s: version tag %q", name, tag)
		}
		reader := bytes.NewReader(packet)
		invariant, err := ParseInvariantHeader(reader, 0)
		if err != nil {
			t.Fatal(err)
		}
		header, err := invariant.Parse(reader, protocol.PerspectiveClient, protocol.Version37)
		if err != nil {
			t.Fatal(err)
		}
		if header.Version != protocol.Version37 || header.PacketNumber != 1 {
			t.Errorf("%s: version %s, packet number %d", name, header.Version, header.PacketNumber)
		}
		size := len(packet) - reader.Len()
		chlo := clientHello(t, header, packet[:size], packet[size:])
		if got := string(chlo[handshake.TagVER]); got != "Q037" {
			t.Errorf("%s: the CHLO names version %q", name, got)
		}
		if _, keys := chlo[handshake.TagPUBS]; keys != complete {
			t.Errorf("%s: client's keys in the CHLO: %t, want %t", name, keys, complete)
		}
	}
}

// clientHello opens an unencrypted packet, whose first STREAM frame has to be the start of stream 1.
func clientHello(t *testing.T, header *Header, associated, sealed []byte) map[handshake.Tag][]byte {
	t.Helper()
	aead, err := crypto.NewNullAEAD(protocol.PerspectiveServer, header.DestConnectionID, protocol.Version37)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := aead.Open(nil, sealed, header.PacketNumber, associated)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := ParseNextFrame(bytes.NewReader(plain), header, protocol.Version37)
	if err != nil {
		t.Fatal(err)
	}
	stream, ok := frame.(*StreamFrame)
	if !ok || stream.StreamID != 1 || stream.Offset != 0 {
		t.Fatalf("first frame %#v", frame)
	}
	message, err := handshake.ParseHandshakeMessage(bytes.NewReader(stream.Data))
	if err != nil {
		t.Fatal(err)
	}
	if message.Tag != handshake.TagCHLO {
		t.Fatalf("message %d instead of CHLO", message.Tag)
	}
	return message.Data
}

func TestIntegersAreLittleEndian(t *testing.T) {
	header := &Header{DestConnectionID: make([]byte, 8), PacketNumber: 0x0102, PacketNumberLen: protocol.PacketNumberLen2}
	stream := &StreamFrame{StreamID: 0x0305, Offset: 0x0807, Data: []byte("x"), DataLenPresent: true}
	update := &MaxStreamDataFrame{StreamID: 5, ByteOffset: 0x0102030405060708}
	var buffer bytes.Buffer
	for _, write := range []func() error{
		func() error { return header.Write(&buffer, protocol.PerspectiveServer, protocol.Version37) },
		func() error { return stream.Write(&buffer, protocol.Version37) },
		func() error { return update.Write(&buffer, protocol.Version37) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	want := "18" + "0000000000000000" + "0201" + // public header
		"a5" + "0503" + "0708" + "0100" + "78" + // STREAM: flags, stream, offset, length, data
		"04" + "05000000" + "0807060504030201" // WINDOW_UPDATE
	if got := hex.EncodeToString(buffer.Bytes()); got != want {
		t.Errorf("written %s\n   want %s", got, want)
	}
}

func TestVersionNegotiationNamesQ037(t *testing.T) {
	packet := ComposeGQUICVersionNegotiation(make([]byte, 8), protocol.SupportedVersions)
	if want := "\x09\x00\x00\x00\x00\x00\x00\x00\x00Q037"; string(packet) != want {
		t.Errorf("%q, want %q", packet, want)
	}
}
