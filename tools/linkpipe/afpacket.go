package main

import (
	"fmt"
	"net"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	ringFrames     = 8192
	ringBlockBytes = 1 << 18
	ringHeadroom   = 128 // tpacket2_hdr, sockaddr_ll, alignment and a VLAN tag
	sendBuffer     = 32 << 20
)

func htons(v uint16) uint16 { return v<<8 | v>>8 }

// rxRing receives the frames of one interface through a TPACKET_V2 ring: the
// kernel writes frames and their arrival times into shared memory, and reading
// them takes no system call.
type rxRing struct {
	fd         int
	mem        []byte
	frameBytes int
	next       int
	ifindex    int
}

// openRing opens the receiving side of an interface.
func openRing(ifc *net.Interface) (*rxRing, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	r := &rxRing{fd: fd, frameBytes: 2048, ifindex: ifc.Index}
	for r.frameBytes < ifc.MTU+14+ringHeadroom {
		r.frameBytes *= 2
	}
	if err := r.setup(ifc.Index); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("receiving on %s: %w", ifc.Name, err)
	}
	return r, nil
}

func (r *rxRing) setup(ifindex int) error {
	if err := unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V2); err != nil {
		return fmt.Errorf("TPACKET_V2: %w", err)
	}
	if err := unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		return fmt.Errorf("PACKET_IGNORE_OUTGOING (needs Linux 4.20): %w", err)
	}
	req := unix.TpacketReq{
		Block_size: ringBlockBytes,
		Block_nr:   uint32(ringFrames * r.frameBytes / ringBlockBytes),
		Frame_size: uint32(r.frameBytes),
		Frame_nr:   ringFrames,
	}
	if err := unix.SetsockoptTpacketReq(r.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &req); err != nil {
		return fmt.Errorf("ring of %d MB: %w", ringFrames*r.frameBytes>>20, err)
	}
	mem, err := unix.Mmap(r.fd, 0, ringFrames*r.frameBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping the ring: %w", err)
	}
	r.mem = mem
	promisc := unix.PacketMreq{Ifindex: int32(ifindex), Type: unix.PACKET_MR_PROMISC}
	if err := unix.SetsockoptPacketMreq(r.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &promisc); err != nil {
		return fmt.Errorf("promiscuous mode: %w", err)
	}
	return unix.Bind(r.fd, &unix.SockaddrLinklayer{Protocol: htons(unix.ETH_P_ALL), Ifindex: ifindex})
}

// rxFrame is a frame in the ring; data is valid until release.
type rxFrame struct {
	data    []byte
	length  int   // on the wire; more than len(data) when it did not fit
	wallNs  int64 // arrival, Unix time
	partial bool  // its checksum is left to hardware that is not there
}

func (r *rxRing) header() *unix.Tpacket2Hdr {
	return (*unix.Tpacket2Hdr)(unsafe.Pointer(&r.mem[r.next*r.frameBytes]))
}

// peek returns the oldest frame not yet released.
func (r *rxRing) peek() (rxFrame, bool) {
	h := r.header()
	status := atomic.LoadUint32(&h.Status)
	if status&unix.TP_STATUS_USER == 0 {
		return rxFrame{}, false
	}
	start := r.next*r.frameBytes + int(h.Mac)
	return rxFrame{
		data:    r.mem[start : start+int(h.Snaplen)],
		length:  int(h.Len),
		wallNs:  int64(h.Sec)*nsPerSecond + int64(h.Nsec),
		partial: status&unix.TP_STATUS_CSUMNOTREADY != 0,
	}, true
}

// release gives the frame that peek returned back to the kernel.
func (r *rxRing) release() {
	atomic.StoreUint32(&r.header().Status, unix.TP_STATUS_KERNEL)
	r.next = (r.next + 1) % ringFrames
}

// drops returns the frames lost because the ring was full, since the last call.
func (r *rxRing) drops() int64 {
	stats, err := unix.GetsockoptTpacketStats(r.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0
	}
	return int64(stats.Drops)
}

// clearError fetches the socket's pending error, which poll would report for ever.
func (r *rxRing) clearError() error {
	code, err := unix.GetsockoptInt(r.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	return err
}

// gone says whether the interface has been removed.
func (r *rxRing) gone() bool {
	_, err := net.InterfaceByIndex(r.ifindex)
	return err != nil
}

func (r *rxRing) close() {
	if r.mem != nil {
		unix.Munmap(r.mem)
	}
	unix.Close(r.fd)
}

// mmsghdr is struct mmsghdr of sendmmsg(2).
type mmsghdr struct {
	hdr unix.Msghdr
	len uint32
}

const sendBatch = 64

// txSocket sends batches of frames on one interface. Protocol 0 keeps the
// kernel from delivering anything to it.
type txSocket struct {
	fd   int
	msgs [sendBatch]mmsghdr
	iovs [sendBatch]unix.Iovec
}

// openSender opens the sending side of an interface.
func openSender(ifc *net.Interface) (*txSocket, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	t := &txSocket{fd: fd}
	for i := range t.msgs {
		t.msgs[i].hdr.Iov = &t.iovs[i]
		t.msgs[i].hdr.SetIovlen(1)
	}
	err = unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 1)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBuffer)
		if err == unix.EPERM { // root of a user namespace gets what net.core.wmem_max allows: frames leave at once anyway
			err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer)
		}
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: ifc.Index})
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("sending on %s: %w", ifc.Name, err)
	}
	return t, nil
}

// set puts a frame into place i of the batch.
func (t *txSocket) set(i int, frame []byte) {
	t.iovs[i].Base = &frame[0]
	t.iovs[i].SetLen(len(frame))
}

// send sends the frames in places from to n-1 and returns how many of them, from
// the first on, the kernel took. It never blocks, so the Go scheduler need not
// be told.
func (t *txSocket) send(from, n int) (int, error) {
	sent, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(t.fd),
		uintptr(unsafe.Pointer(&t.msgs[from])), uintptr(n-from), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(sent), nil
}

func (t *txSocket) close() { unix.Close(t.fd) }
