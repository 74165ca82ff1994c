package quic

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lucas-clemente/quic-go/internal/protocol"
	"github.com/lucas-clemente/quic-go/internal/utils"
)

func TestAVersionComesWithItsByteOrder(t *testing.T) {
	defer utils.UseOrderOf(protocol.Version39)
	for tag, want := range map[string]string{"Q037": "\x02\x01", "Q039": "\x01\x02", "Q043": "\x01\x02"} {
		version, err := Speak(tag)
		if err != nil || tagOf(version) != tag {
			t.Fatalf("%s: version %s, %v", tag, version, err)
		}
		var written bytes.Buffer
		utils.BigEndian.WriteUint16(&written, 0x0102)
		if written.String() != want {
			t.Errorf("%s writes 0x0102 as %x", tag, written.String())
		}
	}
}

func TestAnUnknownVersionIsToldTheKnownOnes(t *testing.T) {
	_, err := Speak("Q046")
	if err == nil || !strings.Contains(err.Error(), "Q046") || !strings.Contains(err.Error(), "(known: "+strings.Join(Tags(), ", ")+")") {
		t.Errorf("Q046: %v", err)
	}
	if known := strings.Join(Tags(), " "); known != "Q037 Q039 Q043" {
		t.Errorf("known: %s", known)
	}
}
