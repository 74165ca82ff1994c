package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// testbed is three namespaces in a row, server - bridge - client, with linkpipe
// in the middle. Everything is named lpt-<pid>- and removed when the test ends.
type testbed struct {
	t       *testing.T
	prefix  string
	process *exec.Cmd
	stdout  *bufio.Scanner
	conn    net.Conn
	replies *bufio.Reader
}

const (
	serverIP = "10.83.0.1"
	clientIP = "10.83.0.2"
)

// newTestbed skips the test unless it was asked for and can run.
func newTestbed(t *testing.T) *testbed {
	if os.Getenv("LINKPIPE_E2E") == "" {
		t.Skip("end-to-end check not asked for: set LINKPIPE_E2E=1 and run as root")
	}
	if os.Geteuid() != 0 {
		t.Skip("end-to-end check needs root for network namespaces")
	}
	b := &testbed{t: t, prefix: fmt.Sprintf("lpt-%d-", os.Getpid())}
	t.Cleanup(b.close)
	for _, host := range []string{"srv", "br", "cli"} {
		b.run("ip", "netns", "add", b.ns(host))
	}
	b.cable("srv", "s0", serverIP, "bs")
	b.cable("cli", "c0", clientIP, "bc")
	b.neighbour("srv", "s0", clientIP, "cli", "c0")
	b.neighbour("cli", "c0", serverIP, "srv", "s0")
	b.startLinkpipe()
	return b
}

func (b *testbed) ns(host string) string { return b.prefix + host }

func (b *testbed) run(args ...string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (b *testbed) in(host string, args ...string) string {
	b.t.Helper()
	return b.run(append([]string{"ip", "netns", "exec", b.ns(host)}, args...)...)
}

// cable joins a host to the bridge with all offloads off at both ends.
func (b *testbed) cable(host, hostIf, ip, bridgeIf string) {
	b.run("ip", "link", "add", hostIf, "netns", b.ns(host), "type", "veth", "peer", "name", bridgeIf, "netns", b.ns("br"))
	for _, end := range [][2]string{{host, hostIf}, {"br", bridgeIf}} {
		b.in(end[0], "sysctl", "-qw", "net.ipv6.conf."+end[1]+".disable_ipv6=1")
		b.in(end[0], "ethtool", "-K", end[1], "tso", "off", "gso", "off", "gro", "off", "tx", "off")
		b.in(end[0], "ip", "link", "set", end[1], "up")
	}
	b.in(host, "ip", "addr", "add", ip+"/24", "dev", hostIf)
	allowCubic(b.t)
	b.in(host, "sysctl", "-qw", "net.ipv4.tcp_congestion_control=cubic")
}

// allowCubic: a namespace may only use controllers that the whole machine's list allows, and a fresh machine's may lack it.
func allowCubic(t *testing.T) {
	t.Helper()
	const list = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"
	known, err := os.ReadFile(list)
	if err == nil && !slices.Contains(strings.Fields(string(known)), "cubic") {
		err = os.WriteFile(list, []byte(strings.TrimSpace(string(known))+" cubic"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// neighbour spares the link ARP packets, so that packet n is datagram n.
func (b *testbed) neighbour(host, hostIf, ip, peer, peerIf string) {
	mac := strings.TrimSpace(b.in(peer, "cat", "/sys/class/net/"+peerIf+"/address"))
	b.in(host, "ip", "neigh", "replace", ip, "lladdr", mac, "nud", "permanent", "dev", hostIf)
}

func (b *testbed) startLinkpipe() {
	binary := filepath.Join(b.t.TempDir(), "linkpipe")
	control := filepath.Join(b.t.TempDir(), "control")
	b.run("go", "build", "-o", binary, ".")
	b.process = exec.Command("ip", "netns", "exec", b.ns("br"), binary, "-server-if", "bs", "-client-if", "bc", "-control", control)
	b.process.Stderr = os.Stderr
	stdout, err := b.process.StdoutPipe()
	if err == nil {
		err = b.process.Start()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.stdout = bufio.NewScanner(stdout)
	if !b.stdout.Scan() || !strings.Contains(b.stdout.Text(), `"ready"`) {
		b.t.Fatalf("linkpipe did not become ready: %s", b.stdout.Text())
	}
	if b.conn, err = net.Dial("unix", control); err != nil {
		b.t.Fatal(err)
	}
	b.replies = bufio.NewReader(b.conn)
}

// close ends linkpipe and removes the namespaces, whatever state they are in.
func (b *testbed) close() {
	if b.conn != nil {
		b.conn.Close()
	}
	if b.process != nil && b.process.Process != nil {
		b.process.Process.Signal(syscall.SIGTERM)
		if !b.stdout.Scan() || !strings.Contains(b.stdout.Text(), `"exit"`) {
			b.t.Errorf("no exit line: %q", b.stdout.Text())
		}
		if err := b.process.Wait(); err != nil {
			b.t.Errorf("linkpipe ended with %v", err)
		}
	}
	for _, host := range []string{"srv", "br", "cli"} {
		exec.Command("ip", "netns", "del", b.ns(host)).Run()
	}
}

// ask sends one request and returns the counters or whatever is in the reply.
func (b *testbed) ask(request string) countersReport {
	b.t.Helper()
	fmt.Fprintln(b.conn, request)
	line, err := b.replies.ReadBytes('\n')
	var r struct {
		OK    bool
		Error string
		countersReport
	}
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil || !r.OK {
		b.t.Fatalf("%s: %v %s", request, err, r.Error)
	}
	return r.countersReport
}

// both configures both directions alike and zeroes the counters.
func (b *testbed) both(dir string) {
	b.t.Helper()
	b.ask(`{"op":"configure","server_to_client":{` + dir + `},"client_to_server":{` + dir + `}}`)
	b.ask(`{"op":"counters","reset":true}`)
}

// socket opens a UDP socket inside a namespace. The thread that enters it is
// thrown away with its goroutine.
func (b *testbed) socket(host, address string) *net.UDPConn {
	b.t.Helper()
	type result struct {
		conn *net.UDPConn
		err  error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread()
		fd, err := unix.Open("/var/run/netns/"+b.ns(host), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			err = unix.Setns(fd, unix.CLONE_NEWNET)
			unix.Close(fd)
		}
		var conn *net.UDPConn
		if err == nil {
			conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(address)})
		}
		done <- result{conn, err}
	}()
	r := <-done
	if r.err != nil {
		b.t.Fatal(r.err)
	}
	raw, _ := r.conn.SyscallConn()
	raw.Control(func(fd uintptr) {
		unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)
	})
	b.t.Cleanup(func() { r.conn.Close() })
	return r.conn
}

// arrival is a datagram that came out of the link.
type arrival struct {
	seq  uint64
	at   time.Time
	took time.Duration
}

// blast sends n datagrams that make frames of that many bytes from the server to
// the client, at the given rate, and returns those that arrive.
func (b *testbed) blast(n, frameBytes int, mbps float64) []arrival {
	b.t.Helper()
	return b.blastOf(n, n, frameBytes, mbps)
}

// blastOf is a blast of which up to most datagrams may arrive.
func (b *testbed) blastOf(n, most, frameBytes int, mbps float64) []arrival {
	b.t.Helper()
	from, to := b.socket("srv", serverIP), b.socket("cli", clientIP)
	base := time.Now()
	go func() {
		payload := make([]byte, frameBytes-42)
		for i := 0; i < n; i++ {
			due := time.Duration(float64(i*frameBytes*8) / mbps * 1000)
			if ahead := due - time.Since(base); ahead > time.Millisecond {
				time.Sleep(ahead)
			}
			binary.BigEndian.PutUint64(payload, uint64(i+1))
			binary.BigEndian.PutUint64(payload[8:], uint64(time.Since(base)))
			from.WriteToUDP(payload, to.LocalAddr().(*net.UDPAddr))
		}
	}()
	var got []arrival
	buf := make([]byte, 2048)
	for len(got) < most {
		to.SetReadDeadline(time.Now().Add(700 * time.Millisecond))
		if _, err := to.Read(buf); err != nil {
			break
		}
		now := time.Now()
		sent := base.Add(time.Duration(binary.BigEndian.Uint64(buf[8:])))
		got = append(got, arrival{binary.BigEndian.Uint64(buf), now, now.Sub(sent)})
	}
	return got
}
