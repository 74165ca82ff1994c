package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// whole is a file with the time at which its last byte could be read.
type whole struct {
	Path   string  `json:"path"`
	Status int     `json:"status"`
	Size   int     `json:"size"`
	SHA256 string  `json:"sha256"`
	TTLBMs float64 `json:"ttlb_ms"`
	first  time.Time
	err    error
}

// several asks for files of one size at once, all in one answer, or each on a stream of its own. On streams, too, one leaves after
// the other, if the server heeds priorities (serve.go): that a lost packet stops is then all that differs.
func (own fetching) several(ctx context.Context, connection *quic.Conn, asked request, begin time.Time) (map[string]any, error) {
	client := (&http3.Transport{DisableCompression: true}).NewClientConn(connection)
	answers := [][]string{append([]string{asked.Path}, asked.Further...)}
	if !asked.OneStream {
		each := answers[0]
		answers = nil
		for index := range each {
			answers = append(answers, each[index:index+1])
		}
	}
	count := 1 + len(asked.Further)
	came := make(chan whole, count) // who gives up leaves no reader behind that waits for it
	for _, paths := range answers {
		stream, err := client.OpenRequestStream(ctx)
		if err != nil {
			return nil, err
		}
		wanted, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+net.JoinHostPort(own.origin, own.port)+paths[0], nil)
		if err != nil {
			return nil, err
		}
		wanted.Header.Set("Priority", inTurn)
		if len(paths) > 1 {
			wanted.Header.Set(then, strings.Join(paths[1:], " "))
		}
		if err := stream.SendRequestHeader(wanted); err != nil {
			return nil, err
		}
		if err := stream.Close(); err != nil {
			return nil, err
		}
		go read(stream, paths, begin, came)
	}
	return gathered(ctx, connection, came, count, begin)
}

// read tells of each file of one answer as soon as its last byte is there.
func read(stream *http3.RequestStream, paths []string, begin time.Time, came chan<- whole) {
	answer, err := stream.ReadResponse()
	if err != nil {
		came <- whole{err: err}
		return
	}
	first := time.Now()
	body := make([]byte, max(answer.ContentLength, 0)/int64(len(paths)))
	for _, path := range paths {
		size, err := io.ReadFull(answer.Body, body)
		if err != nil && answer.StatusCode == http.StatusOK {
			came <- whole{err: fmt.Errorf("%s: %w", path, err)}
			return
		}
		took, digest := ms(time.Since(begin)), sha256.Sum256(body[:size])
		came <- whole{path, answer.StatusCode, size, hex.EncodeToString(digest[:]), took, first, nil}
	}
}

func gathered(ctx context.Context, connection *quic.Conn, came <-chan whole, count int, begin time.Time) (map[string]any, error) {
	files := make([]whole, 0, count)
	first, last := time.Now().Add(time.Hour), 0.0
	for range count {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case one := <-came:
			if one.err != nil {
				return nil, one.err
			}
			files, last = append(files, one), max(last, one.TTLBMs)
			if one.first.Before(first) {
				first = one.first
			}
		}
	}
	state := connection.ConnectionState()
	return map[string]any{
		"ok":         true,
		"protocol":   state.TLS.NegotiatedProtocol,
		"early_data": state.Used0RTT,
		"ttfb_ms":    ms(first.Sub(begin)),
		"ttlb_ms":    last,
		"files":      files,
	}, nil
}
