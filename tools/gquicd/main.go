// Gquicd serves a folder's files over one version of Google QUIC, as Chromium's server did in 2017: see README.md.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	quic "github.com/lucas-clemente/quic-go"
	"github.com/lucas-clemente/quic-go/h2quic"
	"github.com/lucas-clemente/quic-go/sender"
)

const version = "0.2.0"

// options are the flags.
type options struct {
	address, certificate, key, www string
	quicVersion                    string
	requestsPerPage, requestCostUs int
	socketBufferBytes              int
	accessLog, congestionLog       string
	sender                         sender.Settings
}

func main() {
	opt, showVersion := parseFlags(os.Args[1:])
	if showVersion {
		fmt.Printf("gquicd %s (%s; quic-go v0.10.2)\n", version, strings.Join(quic.Tags(), ", "))
		return
	}
	if err := run(opt); err != nil {
		fmt.Fprintf(os.Stderr, "gquicd: %v\n", err)
		os.Exit(1)
	}
}

func parseFlags(arguments []string) (opt options, showVersion bool) {
	opt.sender = sender.Current
	flags := flag.NewFlagSet("gquicd", flag.ExitOnError)
	flags.StringVar(&opt.address, "address", "", "address and port to listen on, for instance 10.0.0.1:443; never a public one")
	flags.StringVar(&opt.certificate, "certificate", "", "PEM file with the certificate chain")
	flags.StringVar(&opt.key, "key", "", "PEM file with the private key")
	flags.StringVar(&opt.www, "www", "", "folder whose files are served, each under its path below it")
	flags.StringVar(&opt.quicVersion, "quic-version", "Q037", "the one version spoken: "+strings.Join(quic.Tags(), ", "))
	flags.IntVar(&opt.requestsPerPage, "requests-per-page", 0, "close a connection after so many responses (0: never)")
	flags.IntVar(&opt.requestCostUs, "request-cost-us", -1, "CPU time, microseconds, that each request takes its connection's loop (-1: no more than it needs)")
	flags.IntVar(&opt.sender.EmulatedConnections, "emulated-connections", opt.sender.EmulatedConnections, "N of CUBIC, 1 or 2")
	flags.IntVar(&opt.sender.NackThreshold, "nack-threshold", opt.sender.NackThreshold, "a packet is lost once one so many numbers higher is acknowledged")
	flags.IntVar(&opt.sender.MaxWindow, "max-window", opt.sender.MaxWindow, "maximum congestion window, packets")
	flags.IntVar(&opt.sender.InitialWindow, "initial-window", opt.sender.InitialWindow, "initial congestion window, packets")
	flags.IntVar(&opt.socketBufferBytes, "socket-buffer-bytes", 0, "receive and send buffer of the socket (0: the system's)")
	flags.StringVar(&opt.accessLog, "access-log", "", "file that gets one JSON line per response, and one per refused version")
	flags.StringVar(&opt.congestionLog, "congestion-log", "", "file that gets one CSV line per ACK")
	flags.BoolVar(&showVersion, "version", false, "print the version and exit")
	_ = flags.Parse(arguments) // ExitOnError
	return opt, showVersion
}

func (opt options) check() error {
	for name, value := range map[string]string{"address": opt.address, "certificate": opt.certificate, "key": opt.key, "www": opt.www} {
		if value == "" {
			return fmt.Errorf("-%s is missing", name)
		}
	}
	own := opt.sender
	if own.EmulatedConnections < 1 || own.EmulatedConnections > 2 {
		return fmt.Errorf("-emulated-connections is 1 or 2, not %d", own.EmulatedConnections)
	}
	if own.NackThreshold < 1 || own.InitialWindow < 2 || own.MaxWindow < own.InitialWindow || own.MaxWindow > 2000 {
		return fmt.Errorf("out of range: NACK threshold %d (from 1), initial window %d (from 2), maximum window %d (initial to 2000)",
			own.NackThreshold, own.InitialWindow, own.MaxWindow)
	}
	if opt.requestsPerPage < 0 {
		return fmt.Errorf("-requests-per-page is %d", opt.requestsPerPage)
	}
	if opt.requestCostUs < -1 {
		return fmt.Errorf("-request-cost-us is %d", opt.requestCostUs)
	}
	return nil
}

func run(opt options) error {
	if err := opt.check(); err != nil {
		return err
	}
	spoken, err := quic.Speak(opt.quicVersion)
	if err != nil {
		return fmt.Errorf("-quic-version: %w", err)
	}
	site, err := readSite(opt.www)
	if err != nil {
		return err
	}
	certificate, err := tls.LoadX509KeyPair(opt.certificate, opt.key)
	if err != nil {
		return err
	}
	access, err := newAccessLog(opt.accessLog, opt.quicVersion)
	if err != nil {
		return err
	}
	defer access.Close()
	congestion, err := logCongestion(opt.congestionLog)
	if err != nil {
		return err
	}
	defer congestion.Close()
	if opt.requestCostUs >= 0 {
		opt.sender.RequestCost = time.Duration(opt.requestCostUs) * time.Microsecond
		sender.OnWork = access.worked
	}
	socket, err := listen(opt.address, opt.socketBufferBytes)
	if err != nil {
		return err
	}
	defer socket.Close()
	sender.Current = opt.sender

	pages := newPages(opt.requestsPerPage)
	server := &h2quic.Server{
		Server:        &http.Server{Handler: pages.count(access.record(worked(site))), TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}},
		QuicConfig:    &quic.Config{AcceptCookie: anyAddress, Versions: []quic.VersionNumber{spoken}},
		AfterResponse: pages.served,
	}
	fmt.Printf("gquicd %s listens on %s, speaks %s\n", version, socket.LocalAddr(), opt.quicVersion)
	failed := make(chan error, 1)
	go func() {
		failed <- server.Serve(&versionGate{PacketConn: socket, spoken: opt.quicVersion, refused: access.refused})
	}()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	select {
	case err := <-failed:
		return err
	case <-stop:
		return nil
	}
}

// anyAddress accepts a client without a source-address token, so that a cold handshake takes one REJ, as with
// Chromium's server, and not two.
func anyAddress(net.Addr, *quic.Cookie) bool { return true }

func listen(address string, bufferBytes int) (*net.UDPConn, error) {
	resolved, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	socket, err := net.ListenUDP("udp", resolved)
	if err != nil || bufferBytes == 0 {
		return socket, err
	}
	if err := socket.SetReadBuffer(bufferBytes); err != nil {
		return nil, err
	}
	return socket, socket.SetWriteBuffer(bufferBytes)
}

// nothing is an io.Closer that has nothing to close.
var nothing io.Closer = io.NopCloser(nil)
