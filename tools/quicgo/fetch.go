package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

const (
	noError = 0x100   // H3_NO_ERROR, RFC 9114, 8.1
	window  = 6 << 20 // bytes; quic-go lets a stream's grow so far
)

type fetching struct{ origin, port, address, certificate string }

type request struct {
	ID        int      `json:"id"`
	Path      string   `json:"path"`
	Further   []string `json:"further"`    // files beside Path, of its size, all asked for at once
	OneStream bool     `json:"one_stream"` // all of them in one answer
	TimeoutMs int64    `json:"timeout_ms"`
	Fresh     bool     `json:"fresh"`
}

// fetchAll answers requests from standard input, one line of JSON each, as longlook/client/scripted.py has them.
func fetchAll(own fetching) error {
	known, err := own.trusted()
	if err != nil {
		return err
	}
	if err := say(os.Stdout, map[string]any{"event": "ready", "version": version()}); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		found, err := own.fetch(known, asked)
		if err != nil {
			found = map[string]any{"ok": false, "error": err.Error()}
		}
		found["id"] = asked.ID
		if err := say(os.Stdout, found); err != nil {
			return err
		}
	}
	return lines.Err()
}

// trusted has the one certificate, and writes secrets where it is told to.
func (own fetching) trusted() (*tls.Config, error) {
	pem, err := os.ReadFile(own.certificate)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", own.certificate)
	}
	config := &tls.Config{RootCAs: roots, ServerName: own.origin, NextProtos: []string{http3.NextProtoH3}}
	config.ClientSessionCache = &sessions{ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	config.Time = func() time.Time { return time.Now().Truncate(time.Second) }
	if path := os.Getenv("SSLKEYLOGFILE"); path != "" {
		secrets, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		config.KeyLogWriter = secrets
	}
	return config, nil
}

// sessions are what a client resumes. Go takes a ticket's age from the second in which it came, so that it says up to a second
// too much; GnuTLS takes no early data from a ticket that is older by the client's clock than by its own. By a clock of whole
// seconds (fetching.trusted) it is no older than it is, once the second is as old as it was when the ticket came.
type sessions struct {
	tls.ClientSessionCache
	came atomic.Int64
}

func (s *sessions) Put(server string, session *tls.ClientSessionState) {
	s.came.Store(time.Now().UnixNano())
	s.ClientSessionCache.Put(server, session)
}

// aged waits until then.
func (s *sessions) aged() {
	came := time.Unix(0, s.came.Load())
	time.Sleep(time.Duration(came.Nanosecond() - time.Now().Nanosecond()))
}

// fetch asks for one file on a connection of its own. One that is not to be fresh resumes an earlier session by the newest
// ticket, once its server gave one, with the request as early data. Times are by the monotonic clock, ms, from when the first
// packet is about to leave: until the request may leave (with the client's Finished, or as early data), until the head of the
// answer is there, until its last byte is.
func (own fetching) fetch(known *tls.Config, asked request) (map[string]any, error) {
	limit := time.Duration(asked.TimeoutMs) * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, fmt.Errorf("not finished within %g s", limit.Seconds()))
	defer cancel()
	found, err := own.download(ctx, known, asked)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return found, err
}

func (own fetching) download(ctx context.Context, known *tls.Config, asked request) (map[string]any, error) {
	server, err := net.ResolveUDPAddr("udp", net.JoinHostPort(own.address, own.port))
	if err != nil {
		return nil, err
	}
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4zero})
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	transport := &quic.Transport{Conn: socket}
	defer transport.Close()
	dial, chosen := transport.DialEarly, known
	if asked.Fresh {
		dial, chosen = transport.Dial, known.Clone()
		chosen.ClientSessionCache = nil
	}
	if known, resumes := chosen.ClientSessionCache.(*sessions); resumes {
		known.aged()
	}
	begin := time.Now()
	var limits *quic.Config
	if len(asked.Further) > 0 {
		// quic-go's windows of flow control begin with half a megabyte for a stream: one stream would wait where many do not.
		limits = &quic.Config{InitialStreamReceiveWindow: window, InitialConnectionReceiveWindow: window}
	}
	connection, err := dial(ctx, server, chosen, limits)
	if err != nil {
		return nil, err
	}
	connected := time.Now()
	defer connection.CloseWithError(noError, "")
	if len(asked.Further) > 0 {
		found, err := own.several(ctx, connection, asked, begin)
		if err != nil {
			return nil, err
		}
		found["port"], found["connect_ms"] = socket.LocalAddr().(*net.UDPAddr).Port, ms(connected.Sub(begin))
		return found, nil
	}
	answer, err := own.ask(ctx, connection, asked.Path)
	if errors.Is(err, quic.Err0RTTRejected) {
		if connection, err = connection.NextConnection(ctx); err != nil {
			return nil, err
		}
		// quic-go still resets the stream of the rejected request, by its number: that of the first one which is opened now.
		if _, err = connection.OpenStreamSync(ctx); err != nil {
			return nil, err
		}
		connected = time.Now()
		answer, err = own.ask(ctx, connection, asked.Path)
	}
	if err != nil {
		return nil, err
	}
	first := time.Now()
	defer answer.Body.Close()
	digest := sha256.New()
	size, err := io.Copy(digest, answer.Body)
	if err != nil {
		return nil, err
	}
	last := time.Now()
	state := connection.ConnectionState()
	return map[string]any{
		"ok":         true,
		"status":     answer.StatusCode,
		"protocol":   state.TLS.NegotiatedProtocol,
		"port":       socket.LocalAddr().(*net.UDPAddr).Port,
		"size":       size,
		"sha256":     hex.EncodeToString(digest.Sum(nil)),
		"early_data": state.Used0RTT,
		"connect_ms": ms(connected.Sub(begin)),
		"ttfb_ms":    ms(first.Sub(begin)),
		"ttlb_ms":    ms(last.Sub(begin)),
	}, nil
}

// ask sends a request as soon as it may leave, be it before the handshake is complete.
func (own fetching) ask(ctx context.Context, connection *quic.Conn, path string) (*http.Response, error) {
	asked, err := http.NewRequestWithContext(ctx, http3.MethodGet0RTT, "https://"+net.JoinHostPort(own.origin, own.port)+path, nil)
	if err != nil {
		return nil, err
	}
	return (&http3.Transport{DisableCompression: true}).NewClientConn(connection).RoundTrip(asked)
}

func ms(took time.Duration) float64 {
	return math.Round(float64(took.Microseconds())) / 1e3
}
