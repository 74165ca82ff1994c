package main

// counters of one direction, since the start or the last reset.
type counters struct {
	PacketsIn        int64 `json:"packets_in"`
	BytesIn          int64 `json:"bytes_in"`
	DroppedLoss      int64 `json:"dropped_loss"`
	DroppedQueue     int64 `json:"dropped_queue"`
	DroppedAQM       int64 `json:"dropped_aqm"`
	MarkedCE         int64 `json:"marked_ce"`
	ECNCapable       int64 `json:"ecn_capable"`
	Corrupted        int64 `json:"corrupted"`
	Duplicated       int64 `json:"duplicated"`
	PacketsOut       int64 `json:"packets_out"`
	BytesOut         int64 `json:"bytes_out"`
	QueuePackets     int64 `json:"queue_packets"`
	QueueBytes       int64 `json:"queue_bytes"`
	QueueBytesMax    int64 `json:"queue_bytes_max"`
	DelayPackets     int64 `json:"delay_packets"`
	SocketDrops      int64 `json:"socket_drops"`
	MemoryDrops      int64 `json:"memory_drops"`
	OversizeDrops    int64 `json:"oversize_drops"`
	PartialChecksums int64 `json:"partial_checksums"`
	SendErrors       int64 `json:"send_errors"`
	SendRetries      int64 `json:"send_retries"`
	LateMaxUs        int64 `json:"late_max_us"`
	LateOver1ms      int64 `json:"late_over_1ms"`
	BehindUs         int64 `json:"behind_us"`
}

// behindNs: a wake-up that is later than this counts as time behind schedule.
const behindNs = 5e6

// woke records a wake-up at which the packet that had waited longest left late ns
// after it was due. A process that is stopped or frozen for as long as a round trip
// makes one packet in a thousand late, and shows here.
func (c *counters) woke(late int64) {
	if late > behindNs {
		c.BehindUs += late / 1000
	}
}

// sent records a packet that left at time now although it was due at due.
func (c *counters) sent(p *packet, now int64) {
	c.PacketsOut++
	c.BytesOut += int64(p.length)
	late := now - p.due
	if late > c.LateMaxUs*1000 {
		c.LateMaxUs = late / 1000
	}
	if late > 1e6 {
		c.LateOver1ms++
	}
}

// snapshot returns the counters as of now, with the present queue.
func (d *direction) snapshot(now int64) counters {
	d.advance(now)
	c := d.count
	c.QueuePackets, c.QueueBytes = d.queued()
	c.DelayPackets = int64(d.delayed.len())
	return c
}

// resetCounters zeroes what has been counted; the highest queue starts again
// from the present one.
func (d *direction) resetCounters() {
	_, bytes := d.queued()
	d.count = counters{QueueBytesMax: bytes}
}

// countersReport is the reply to the counters operation and the exit line.
type countersReport struct {
	ServerToClient counters `json:"server_to_client"`
	ClientToServer counters `json:"client_to_server"`
	CPUUserS       float64  `json:"cpu_user_s"`
	CPUSystemS     float64  `json:"cpu_system_s"`
	UptimeS        float64  `json:"uptime_s"`
}
