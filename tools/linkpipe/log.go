package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	logRecords = 4096 // per buffer
	logBuffers = 256  // per lane; beyond them records are counted as lost
)

// Events of the packet log.
const (
	logIn = iota
	logLoss
	logQueueDrop
	logOut
	logDuplicate
	logCorrupt
	logMark
	logAQMDrop
)

var logEventNames = [...]string{"in", "loss", "queue_drop", "out", "duplicate", "corrupt", "mark", "aqm_drop"}

// logFates are the events of a managed queue's decisions.
var logFates = [...]uint8{markedCE: logMark, droppedAQM: logAQMDrop, droppedLimit: logQueueDrop}

// logRecord is one line of the packet log, in the emulator's clock.
type logRecord struct {
	time, due, queue int64
	ordinal          uint64
	length           int32
	event            uint8
}

// laneLog collects the records of one lane without ever waiting: full buffers
// go to the writer, and when none is free the records are counted and dropped.
type laneLog struct {
	name string
	buf  []logRecord
	out  *packetLog
}

type logChunk struct {
	name    string
	records []logRecord
	note    string
}

// packetLog writes the per-packet log of both lanes to one file.
type packetLog struct {
	file   *os.File
	w      *bufio.Writer
	chunks chan logChunk
	free   chan []logRecord
	offset int64 // Unix time minus the emulator's clock, ns
	lost   int64 // atomic
	ended  chan error
}

// openLog creates the file and starts its writer. The header states the version
// and the configuration as JSON.
func openLog(path string, offset int64, config interface{}) (*packetLog, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write the log: %v", err)
	}
	l := &packetLog{file: f, w: bufio.NewWriterSize(f, 1<<20), offset: offset,
		chunks: make(chan logChunk, 2*logBuffers+16), free: make(chan []logRecord, 2*logBuffers),
		ended: make(chan error, 1)}
	for i := 0; i < cap(l.free); i++ {
		l.free <- nil // made when first used
	}
	fmt.Fprintf(l.w, "# linkpipe %s packet log, times in Unix nanoseconds, configuration %s\n", version, compact(config))
	fmt.Fprintln(l.w, "time_ns\tdirection\tordinal\tlength\tevent\tqueue_bytes\tdue_ns")
	go l.write()
	return l, nil
}

func compact(v interface{}) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (l *packetLog) lane(name string) *laneLog {
	return &laneLog{name: name, out: l, buf: make([]logRecord, 0, logRecords)}
}

// note writes a comment line, such as a change of configuration.
func (l *packetLog) note(what string, v interface{}) {
	l.chunks <- logChunk{note: what + " " + compact(v)}
}

func (l *packetLog) write() {
	var line []byte
	for chunk := range l.chunks {
		if chunk.note != "" {
			fmt.Fprintf(l.w, "# %d %s\n", time.Now().UnixNano(), chunk.note)
			continue
		}
		for i := range chunk.records {
			line = l.format(line[:0], chunk.name, &chunk.records[i])
			l.w.Write(line)
		}
		l.free <- chunk.records[:0]
	}
	if n := atomic.LoadInt64(&l.lost); n > 0 {
		fmt.Fprintf(l.w, "# %d records lost: the disk was too slow\n", n)
	}
	err := l.w.Flush()
	if e := l.file.Close(); err == nil {
		err = e
	}
	l.ended <- err
}

func (l *packetLog) format(b []byte, name string, r *logRecord) []byte {
	b = strconv.AppendInt(b, r.time+l.offset, 10)
	b = append(append(append(b, '\t'), name...), '\t')
	b = append(strconv.AppendUint(b, r.ordinal, 10), '\t')
	b = append(strconv.AppendInt(b, int64(r.length), 10), '\t')
	b = append(append(b, logEventNames[r.event]...), '\t')
	b = append(strconv.AppendInt(b, r.queue, 10), '\t')
	if r.due == 0 {
		return append(b, '0', '\n')
	}
	return append(strconv.AppendInt(b, r.due+l.offset, 10), '\n')
}

// close writes what is left; the lanes must no longer use the log.
func (l *packetLog) close() error {
	close(l.chunks)
	return <-l.ended
}

func (l *laneLog) add(r logRecord) {
	l.buf = append(l.buf, r)
	if len(l.buf) == logRecords {
		l.flush()
	}
}

// flush hands the buffer to the writer.
func (l *laneLog) flush() {
	if len(l.buf) == 0 {
		return
	}
	select {
	case next := <-l.out.free:
		l.out.chunks <- logChunk{name: l.name, records: l.buf}
		if next == nil {
			next = make([]logRecord, 0, logRecords)
		}
		l.buf = next
	default:
		atomic.AddInt64(&l.out.lost, int64(len(l.buf)))
		l.buf = l.buf[:0]
	}
}

// arrived logs an arrival, or a copy that was made of it, and what befell it.
func (l *laneLog) arrived(d *direction, now int64, length int, event uint8, v verdict, due int64) {
	_, queue := d.queued()
	r := logRecord{time: now, due: due, queue: queue, ordinal: d.ordinal, length: int32(length), event: event}
	l.add(r)
	switch v {
	case accepted:
		if d.bit > 0 && due > 0 {
			r.event = logCorrupt
			l.add(r)
		}
	case lostRandom:
		r.event = logLoss
		l.add(r)
	case droppedQueue:
		r.event = logQueueDrop
		l.add(r)
	}
}

// left logs a packet that was sent at time now.
func (l *laneLog) left(d *direction, now int64, p *packet) {
	_, queue := d.queued()
	l.add(logRecord{time: now, due: p.due, queue: queue, ordinal: p.ordinal, length: p.length, event: logOut})
}

// decided logs what a managed queue has decided on a packet.
func (l *laneLog) decided(d *direction, one *decision) {
	_, queue := d.queued()
	l.add(logRecord{time: one.at, queue: queue, ordinal: one.ordinal, length: one.length, event: logFates[one.fate]})
}
