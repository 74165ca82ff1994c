package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lucas-clemente/quic-go/h2quic"
	"github.com/lucas-clemente/quic-go/sender"
)

// accessLog writes one JSON line per request, as it begins to be answered.
type accessLog struct {
	io.Closer
	mutex  sync.Mutex
	out    io.Writer
	spoken string // the version
}

type accessRecord struct {
	TimeS      float64 `json:"time_s"`
	Connection string  `json:"connection"`
	Path       string  `json:"path"`
	// Rejections that the handshake took; without any the request may be 0-RTT data, and is unless Confirmed.
	Rejections int `json:"rejections"`
	// Confirmed: the client waited for the end of the handshake before it asked. Chromium does after a network change.
	Confirmed bool `json:"confirmed"`
}

type refusedRecord struct {
	TimeS   float64  `json:"time_s"`
	Offered []string `json:"offered"`
	Spoken  string   `json:"spoken"`
}

type workRecord struct {
	TimeS      float64 `json:"time_s"`
	Connection string  `json:"connection"`
	Requests   int     `json:"requests"`
	WorkedUs   float64 `json:"worked_us"` // at all of them
}

func newAccessLog(path, spoken string) (*accessLog, error) {
	if path == "" {
		return &accessLog{Closer: nothing, out: io.Discard, spoken: spoken}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &accessLog{Closer: file, out: file, spoken: spoken}, nil
}

func (l *accessLog) write(record any) {
	line, err := json.Marshal(record)
	if err != nil {
		panic(err) // the records above can always be written as JSON
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, _ = l.out.Write(append(line, '\n'))
}

func seconds(now time.Time) float64 { return float64(now.UnixMicro()) / 1e6 }

func (l *accessLog) record(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if connection := h2quic.ConnectionOf(request); connection != nil {
			l.write(accessRecord{seconds(time.Now()), connection.ID(), request.URL.Path, connection.Rejections(), connection.Confirmed()})
		}
		handler.ServeHTTP(w, request)
	})
}

func (l *accessLog) worked(work sender.Work) {
	l.write(workRecord{seconds(time.Now()), work.Connection, work.Requests, float64(work.Took) / float64(time.Microsecond)})
}

func (l *accessLog) refused(offered []string) {
	l.write(refusedRecord{seconds(time.Now()), offered, l.spoken})
}

var congestionColumns = []string{
	"time_s", "connection", "cwnd_bytes", "ssthresh_bytes", "bytes_in_flight", "smoothed_rtt_ms", "packets_lost", "phase",
}

// congestionLog writes one CSV line per ACK; every connection has its own goroutine, hence the lock.
type congestionLog struct {
	mutex  sync.Mutex
	buffer *bufio.Writer
	file   *os.File
	stop   chan struct{}
}

const flushEvery = 200 * time.Millisecond

func logCongestion(path string) (io.Closer, error) {
	if path == "" {
		return nothing, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	log := &congestionLog{buffer: bufio.NewWriterSize(file, 1<<16), file: file, stop: make(chan struct{})}
	fmt.Fprintln(log.buffer, strings.Join(congestionColumns, ","))
	sender.OnAck = log.write
	go log.flush()
	return log, nil
}

func (l *congestionLog) write(ack sender.Ack) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	fmt.Fprintf(l.buffer, "%.6f,%s,%d,%d,%d,%.3f,%d,%s\n", seconds(ack.Time), ack.Connection, ack.CongestionWindow,
		ack.SlowStartThreshold, ack.BytesInFlight, ack.SmoothedRTT.Seconds()*1e3, ack.PacketsLost, ack.Phase)
}

func (l *congestionLog) flush() {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.mutex.Lock()
			_ = l.buffer.Flush() // an error stays with the writer and comes back from Close
			l.mutex.Unlock()
		case <-l.stop:
			return
		}
	}
}

// Close writes what is left.
func (l *congestionLog) Close() error {
	close(l.stop)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err := l.buffer.Flush(); err != nil {
		return err
	}
	return l.file.Close()
}
