package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	arenaChunkSlots = 512
	arenaMaxBytes   = 1 << 30 // per direction
)

// arena stores frames in slots of a fixed size, in memory outside Go's heap:
// nothing is allocated per packet and the garbage collector has nothing to scan.
type arena struct {
	slotBytes int
	chunks    [][]byte
	free      []int32
}

// newArena makes an arena for frames of up to slotBytes bytes.
func newArena(slotBytes int) (*arena, error) {
	a := &arena{slotBytes: (slotBytes + 63) &^ 63}
	if !a.grow() {
		return nil, fmt.Errorf("cannot map memory for frames: free some memory and start again")
	}
	return a, nil
}

func (a *arena) slots() int { return len(a.chunks) * arenaChunkSlots }

// grow adds one chunk; false when the limit or the machine's memory is reached.
func (a *arena) grow() bool {
	size := arenaChunkSlots * a.slotBytes
	if (len(a.chunks)+1)*size > arenaMaxBytes {
		return false
	}
	chunk, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
	if err != nil {
		return false
	}
	first := int32(a.slots())
	a.chunks = append(a.chunks, chunk)
	for i := int32(arenaChunkSlots) - 1; i >= 0; i-- {
		a.free = append(a.free, first+i)
	}
	return true
}

// reserve grows the arena until it can hold that many bytes of full-size frames.
func (a *arena) reserve(bytes int64) {
	for int64(a.slots())*int64(a.slotBytes) < bytes && a.grow() {
	}
}

// store copies a frame into a free slot; ok is false when there is none.
func (a *arena) store(frame []byte) (slot int32, ok bool) {
	if len(a.free) == 0 && !a.grow() {
		return 0, false
	}
	slot = a.free[len(a.free)-1]
	a.free = a.free[:len(a.free)-1]
	copy(a.bytes(slot), frame)
	return slot, true
}

// bytes returns the whole slot.
func (a *arena) bytes(slot int32) []byte {
	start := int(slot) % arenaChunkSlots * a.slotBytes
	return a.chunks[int(slot)/arenaChunkSlots][start : start+a.slotBytes]
}

func (a *arena) release(slot int32) { a.free = append(a.free, slot) }
