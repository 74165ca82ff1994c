package quic

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/lucas-clemente/quic-go/internal/protocol"
	"github.com/lucas-clemente/quic-go/internal/utils"
)

// Tags of the versions that a process can speak, oldest first, as they stand in a packet: Q037.
func Tags() []string {
	var tags []string
	for _, version := range protocol.SupportedVersions {
		tags = append([]string{tagOf(version)}, tags...)
	}
	return tags
}

// Speak makes this process speak one version, for Config.Versions: the byte order of integers is the whole process's.
// To be called before the first connection, and not after.
func Speak(tag string) (VersionNumber, error) {
	for _, version := range protocol.SupportedVersions {
		if tagOf(version) == tag {
			utils.UseOrderOf(version)
			return version, nil
		}
	}
	return 0, fmt.Errorf("no version %q of QUIC is spoken (known: %s)", tag, strings.Join(Tags(), ", "))
}

func tagOf(version VersionNumber) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(version)))
}
