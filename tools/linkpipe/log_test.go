package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogHasHeaderAndEveryEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.tsv")
	d := newDirection(streamServerToClient, 0)
	l, err := openLog(path, 1000, linkConfig{ServerToClient: &d.cfg})
	if err != nil {
		t.Fatal(err)
	}
	lane := l.lane("server_to_client")
	d.ordinal = 1
	lane.arrived(d, 5, 100, logIn, accepted, 50)
	lane.arrived(d, 6, 100, logIn, lostRandom, 0)
	lane.arrived(d, 7, 100, logIn, droppedQueue, 0)
	d.bit = 200
	lane.arrived(d, 8, 100, logDuplicate, accepted, 60)
	lane.left(d, 55, &packet{ordinal: 1, length: 100, due: 50})
	l.note("configured", linkConfig{})
	lane.flush()
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if !strings.HasPrefix(lines[0], "# linkpipe "+version) || !strings.Contains(lines[0], `"bandwidth_mbps":0`) {
		t.Errorf("first line: %s", lines[0])
	}
	if lines[1] != "time_ns\tdirection\tordinal\tlength\tevent\tqueue_bytes\tdue_ns" {
		t.Errorf("columns: %s", lines[1])
	}
	want := []string{
		"1005\tserver_to_client\t1\t100\tin\t0\t1050",
		"1006\tserver_to_client\t1\t100\tin\t0\t0",
		"1006\tserver_to_client\t1\t100\tloss\t0\t0",
		"1007\tserver_to_client\t1\t100\tin\t0\t0",
		"1007\tserver_to_client\t1\t100\tqueue_drop\t0\t0",
		"1008\tserver_to_client\t1\t100\tduplicate\t0\t1060",
		"1008\tserver_to_client\t1\t100\tcorrupt\t0\t1060",
		"1055\tserver_to_client\t1\t100\tout\t0\t1050",
	}
	for _, w := range want {
		if !strings.Contains(string(text), w+"\n") {
			t.Errorf("missing line %q in\n%s", w, text)
		}
	}
}

func TestArenaReusesSlotsAndKeepsFrames(t *testing.T) {
	a, err := newArena(1518)
	if err != nil {
		t.Fatal(err)
	}
	slots := map[int32]byte{}
	for i := 0; i < 3*arenaChunkSlots; i++ {
		slot, ok := a.store([]byte{byte(i), byte(i >> 8)})
		if !ok {
			t.Fatal("no slot")
		}
		if _, used := slots[slot]; used {
			t.Fatalf("slot %d given twice", slot)
		}
		slots[slot] = byte(i)
	}
	for slot, b := range slots {
		if a.bytes(slot)[0] != b {
			t.Fatalf("slot %d was overwritten", slot)
		}
		a.release(slot)
	}
	before := a.slots()
	a.store([]byte{1})
	if a.slots() != before {
		t.Error("grew although slots were free")
	}
}
