package utils

// Up to version 38 all integers of gQUIC headers and frames are little endian. The module reads and writes
// them through BigEndian, which the patch makes little endian for that reason. Only the version tag keeps
// the network's order, and its three places use NetworkOrder.

// NetworkOrder is the real big endian.
var NetworkOrder ByteOrder = bigEndian{}
