package utils

import "github.com/lucas-clemente/quic-go/internal/protocol"

// Up to version 38 all integers of gQUIC headers and frames are little endian. The module reads and writes them through
// BigEndian, which is made little endian for such a version. Only the version tag keeps the network's order, and its
// three places use NetworkOrder.

// NetworkOrder is the real big endian.
var NetworkOrder ByteOrder = bigEndian{}

// UseOrderOf makes BigEndian the byte order of a version; to be called before the first packet, and not after.
func UseOrderOf(version protocol.VersionNumber) {
	BigEndian = NetworkOrder
	if version < protocol.Version39 {
		BigEndian = LittleEndian
	}
}
