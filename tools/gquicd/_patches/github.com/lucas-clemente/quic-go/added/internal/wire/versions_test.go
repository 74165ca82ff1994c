package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/lucas-clemente/quic-go/internal/crypto"
	"github.com/lucas-clemente/quic-go/internal/handshake"
	"github.com/lucas-clemente/quic-go/internal/protocol"
	"github.com/lucas-clemente/quic-go/internal/utils"
)

// speak sets the byte order of a version, and that of the module again when the test has ended.
func speak(t *testing.T, version protocol.VersionNumber) {
	t.Helper()
	before := utils.BigEndian
	t.Cleanup(func() { utils.BigEndian = before })
	utils.UseOrderOf(version)
}

// recorded is a packet as Chromium 64.0.3264.0 sent it (its UDP payload), captured at the server; Q043's is of
// 67.0.3372.0, since that of 64 and 65 has other frames, those of an IETF draft.
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
	for _, first := range []struct {
		name     string
		version  protocol.VersionNumber
		complete bool
	}{
		{"chlo-cold", protocol.Version37, false},
		{"chlo-resumed", protocol.Version37, true},
		{"chlo-cold-q039", protocol.Version39, false},
		{"chlo-cold-q043", protocol.Version43, false},
	} {
		speak(t, first.version)
		tag, packet := string(binary.BigEndian.AppendUint32(nil, uint32(first.version))), recorded(t, first.name)
		if got := string(packet[9:13]); got != tag {
			t.Fatalf("%s: version tag %q", first.name, got)
		}
		reader := bytes.NewReader(packet)
		invariant, err := ParseInvariantHeader(reader, 0)
		if err != nil {
			t.Fatal(err)
		}
		header, err := invariant.Parse(reader, protocol.PerspectiveClient, first.version)
		if err != nil {
			t.Fatal(err)
		}
		if header.Version != first.version || header.PacketNumber != 1 {
			t.Errorf("%s: version %s, packet number %d", first.name, header.Version, header.PacketNumber)
		}
		size := len(packet) - reader.Len()
		chlo := clientHello(t, header, packet[:size], packet[size:])
		if got := string(chlo[handshake.TagVER]); got != tag {
			t.Errorf("%s: the CHLO names version %q", first.name, got)
		}
		if _, keys := chlo[handshake.TagPUBS]; keys != first.complete {
			t.Errorf("%s: client's keys in the CHLO: %t, want %t", first.name, keys, first.complete)
		}
	}
}

// clientHello opens an unencrypted packet, whose first STREAM frame has to be the start of stream 1.
func clientHello(t *testing.T, header *Header, associated, sealed []byte) map[handshake.Tag][]byte {
	t.Helper()
	aead, err := crypto.NewNullAEAD(protocol.PerspectiveServer, header.DestConnectionID, header.Version)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := aead.Open(nil, sealed, header.PacketNumber, associated)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := ParseNextFrame(bytes.NewReader(plain), header, header.Version)
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

func TestIntegersAreInTheOrderOfTheVersion(t *testing.T) {
	big := "18" + "0000000000000000" + "0102" + // public header
		"a5" + "0305" + "0807" + "0001" + "78" + // STREAM: flags, stream, offset, length, data
		"04" + "00000005" + "0102030405060708" // WINDOW_UPDATE
	little := "18" + "0000000000000000" + "0201" +
		"a5" + "0503" + "0708" + "0100" + "78" +
		"04" + "05000000" + "0807060504030201"
	for version, want := range map[protocol.VersionNumber]string{
		protocol.Version37: little, protocol.Version39: big, protocol.Version43: big,
	} {
		speak(t, version)
		header := &Header{DestConnectionID: make([]byte, 8), PacketNumber: 0x0102, PacketNumberLen: protocol.PacketNumberLen2}
		stream := &StreamFrame{StreamID: 0x0305, Offset: 0x0807, Data: []byte("x"), DataLenPresent: true}
		update := &MaxStreamDataFrame{StreamID: 5, ByteOffset: 0x0102030405060708}
		var buffer bytes.Buffer
		for _, write := range []func() error{
			func() error { return header.Write(&buffer, protocol.PerspectiveServer, version) },
			func() error { return stream.Write(&buffer, version) },
			func() error { return update.Write(&buffer, version) },
		} {
			if err := write(); err != nil {
				t.Fatal(err)
			}
		}
		if got := hex.EncodeToString(buffer.Bytes()); got != want {
			t.Errorf("%s: written %s\n   want %s", version, got, want)
		}
	}
}

func TestVersionNegotiationNamesTheVersionInOneOrder(t *testing.T) {
	for version, tag := range map[protocol.VersionNumber]string{protocol.Version37: "Q037", protocol.Version43: "Q043"} {
		speak(t, version)
		packet := ComposeGQUICVersionNegotiation(make([]byte, 8), []protocol.VersionNumber{version})
		if want := "\x09\x00\x00\x00\x00\x00\x00\x00\x00" + tag; string(packet) != want {
			t.Errorf("%q, want %q", packet, want)
		}
	}
}
