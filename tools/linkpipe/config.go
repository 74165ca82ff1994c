package main

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Jitter modes. See jitterSource for what each does.
const (
	jitterNone    = "none"
	jitterUniform = "uniform"
	jitterRedraw  = "redraw"
	jitterNormal  = "normal"
)

// Bounds that keep every intermediate value inside an int64 of nanoseconds.
const (
	maxBandwidthMbps = 1e6
	maxDelayMs       = 600e3
	maxBurstBytes    = 1e8
	// At 100 % netem's generator would give one number for ever.
	maxCorrelationPct = 99.9
)

// jitterConfig says how a direction's delay varies. RangeMs is the full width of
// the uniform distribution around the delay; IntervalMs is the time between two
// draws and is used by mode redraw only. Mode normal has the standard deviation
// SdMs and the correlation of netem's generator.
type jitterConfig struct {
	Mode           string  `json:"mode"`
	RangeMs        float64 `json:"range_ms"`
	IntervalMs     float64 `json:"interval_ms"`
	SdMs           float64 `json:"sd_ms,omitempty"`
	CorrelationPct float64 `json:"correlation_pct,omitempty"`
}

// dirConfig is the whole configuration of one direction. The zero value is a
// wire: unlimited bandwidth and queue, no delay, no loss, no jitter. What came
// after version 0.2.0 is told only where it is set.
type dirConfig struct {
	BandwidthMbps float64      `json:"bandwidth_mbps"`
	DelayMs       float64      `json:"delay_ms"`
	LossPct       float64      `json:"loss_pct"`
	QueueBytes    int64        `json:"queue_bytes"`
	QueuePackets  int64        `json:"queue_packets"`
	Seed          uint64       `json:"seed"`
	Jitter        jitterConfig `json:"jitter"`

	LossCorrelationPct      float64        `json:"loss_correlation_pct,omitempty"`
	Gemodel                 *gemodelConfig `json:"gemodel,omitempty"`
	CorruptPct              float64        `json:"corrupt_pct,omitempty"`
	CorruptCorrelationPct   float64        `json:"corrupt_correlation_pct,omitempty"`
	DuplicatePct            float64        `json:"duplicate_pct,omitempty"`
	DuplicateCorrelationPct float64        `json:"duplicate_correlation_pct,omitempty"`
	BurstBytes              int64          `json:"burst_bytes,omitempty"`
	Trace                   *traceConfig   `json:"trace,omitempty"`

	QueueDiscipline *disciplineConfig `json:"queue_discipline,omitempty"` // nil: droptail
}

// linkConfig holds both directions; a nil direction means "leave as it is".
type linkConfig struct {
	ServerToClient *dirConfig `json:"server_to_client,omitempty"`
	ClientToServer *dirConfig `json:"client_to_server,omitempty"`
	Configured     int64      `json:"configured,omitempty"` // in replies only: operations of either kind since the start
	Reseeded       int64      `json:"reseeded,omitempty"`
}

// rawLink is linkConfig before its directions are checked key by key.
type rawLink struct {
	ServerToClient json.RawMessage `json:"server_to_client"`
	ClientToServer json.RawMessage `json:"client_to_server"`
}

// parseLink turns the JSON of a -config file into a checked configuration.
func parseLink(raw []byte) (linkConfig, error) {
	var parts rawLink
	if err := decodeStrict(raw, &parts, "configuration"); err != nil {
		return linkConfig{}, err
	}
	return parts.check()
}

func (r rawLink) check() (linkConfig, error) {
	var out linkConfig
	var err error
	if out.ServerToClient, err = parseDir(r.ServerToClient, "server_to_client"); err != nil {
		return linkConfig{}, err
	}
	if out.ClientToServer, err = parseDir(r.ClientToServer, "client_to_server"); err != nil {
		return linkConfig{}, err
	}
	if out.ServerToClient == nil && out.ClientToServer == nil {
		return linkConfig{}, fmt.Errorf("nothing to configure: give server_to_client, client_to_server or both")
	}
	return out, nil
}

// parseDir reads one direction. Keys that are left out take their defaults, not
// the values in force, so that no setting leaks from one condition to the next.
func parseDir(raw json.RawMessage, where string) (*dirConfig, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	cfg := dirConfig{}
	var shape struct {
		Jitter  json.RawMessage `json:"jitter"`
		Gemodel json.RawMessage `json:"gemodel"`
		Trace   json.RawMessage `json:"trace"`

		QueueDiscipline json.RawMessage `json:"queue_discipline"`
	}
	if err := decodeStrict(raw, &cfg, where); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &shape); err != nil {
		return nil, fmt.Errorf("%s: %v", where, err)
	}
	if err := checkKeys(shape.Jitter, &jitterConfig{}, where+".jitter"); err != nil {
		return nil, err
	}
	if err := checkKeys(shape.Gemodel, &gemodelConfig{}, where+".gemodel"); err != nil {
		return nil, err
	}
	if err := checkKeys(shape.Trace, &traceConfig{}, where+".trace"); err != nil {
		return nil, err
	}
	if err := checkKeys(shape.QueueDiscipline, &disciplineConfig{}, where+".queue_discipline"); err != nil {
		return nil, err
	}
	if cfg.Jitter.Mode == "" {
		cfg.Jitter.Mode = jitterNone
	}
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("%s: %v", where, err)
	}
	if cfg.Trace != nil {
		if err := cfg.Trace.load(); err != nil {
			return nil, fmt.Errorf("%s: %v", where, err)
		}
	}
	return &cfg, nil
}

// checkKeys refuses unknown keys of an object inside another, where it is given.
func checkKeys(raw json.RawMessage, shape interface{}, where string) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return decodeStrict(raw, shape, where)
}

func (c dirConfig) validate() error {
	ranges := []bounded{
		{"bandwidth_mbps", c.BandwidthMbps, maxBandwidthMbps},
		{"delay_ms", c.DelayMs, maxDelayMs},
		{"loss_pct", c.LossPct, 100},
		{"queue_bytes", float64(c.QueueBytes), math.MaxInt32 * 1024},
		{"queue_packets", float64(c.QueuePackets), math.MaxInt32},
		{"jitter.range_ms", c.Jitter.RangeMs, maxDelayMs},
		{"jitter.interval_ms", c.Jitter.IntervalMs, maxDelayMs},
		{"jitter.sd_ms", c.Jitter.SdMs, maxDelayMs},
		{"jitter.correlation_pct", c.Jitter.CorrelationPct, maxCorrelationPct},
		{"loss_correlation_pct", c.LossCorrelationPct, maxCorrelationPct},
		{"corrupt_pct", c.CorruptPct, 100},
		{"corrupt_correlation_pct", c.CorruptCorrelationPct, maxCorrelationPct},
		{"duplicate_pct", c.DuplicatePct, 100},
		{"duplicate_correlation_pct", c.DuplicateCorrelationPct, maxCorrelationPct},
		{"burst_bytes", float64(c.BurstBytes), maxBurstBytes},
	}
	if g := c.Gemodel; g != nil {
		ranges = append(ranges, []bounded{
			{"gemodel.p_pct", g.PPct, 100},
			{"gemodel.r_pct", g.RPct, 100},
			{"gemodel.one_minus_h_pct", g.OneMinusHPct, 100},
			{"gemodel.one_minus_k_pct", g.OneMinusKPct, 100},
		}...)
	}
	if q := c.QueueDiscipline; q != nil {
		ranges = append(ranges, bounded{"queue_discipline.target_ms", q.TargetMs, maxDelayMs},
			bounded{"queue_discipline.interval_ms", q.IntervalMs, maxDelayMs})
	}
	for _, r := range ranges {
		if math.IsNaN(r.value) || r.value < 0 || r.value > r.max {
			return fmt.Errorf("%s is %v, must be between 0 and %v", r.name, r.value, r.max)
		}
	}
	if c.BandwidthMbps > 0 && bitsPerSecond(c.BandwidthMbps) < 1 {
		return fmt.Errorf("bandwidth_mbps is %v, less than one bit per second", c.BandwidthMbps)
	}
	if c.BurstBytes > 0 && c.BandwidthMbps == 0 {
		return fmt.Errorf("burst_bytes is %d, but bandwidth_mbps is 0: nothing limits the rate", c.BurstBytes)
	}
	if c.BurstBytes > 0 && c.Trace != nil {
		return fmt.Errorf("burst_bytes is %d beside a trace, which has a rate of its own", c.BurstBytes)
	}
	if c.QueueDiscipline != nil {
		if err := c.QueueDiscipline.validate(c); err != nil {
			return err
		}
	}
	if err := c.validateJitter(); err != nil {
		return err
	}
	return c.validateFates()
}

// bounded is a value from 0 to max.
type bounded struct {
	name       string
	value, max float64
}

// validateFates refuses what would have no effect, or leaves open which is meant.
func (c dirConfig) validateFates() error {
	if g := c.Gemodel; g != nil {
		switch {
		case c.LossPct > 0 || c.LossCorrelationPct > 0:
			return fmt.Errorf("loss_pct or loss_correlation_pct beside gemodel: a direction has one model of loss")
		case g.PPct == 0 || g.RPct == 0:
			return fmt.Errorf("gemodel.p_pct is %v and gemodel.r_pct is %v: a state would never be left", g.PPct, g.RPct)
		case g.OneMinusHPct == 0 && g.OneMinusKPct == 0:
			return fmt.Errorf("gemodel.one_minus_h_pct and gemodel.one_minus_k_pct are 0: no state loses anything")
		}
	}
	for _, one := range []struct {
		name             string
		pct, correlation float64
	}{
		{"loss", c.LossPct, c.LossCorrelationPct},
		{"corrupt", c.CorruptPct, c.CorruptCorrelationPct},
		{"duplicate", c.DuplicatePct, c.DuplicateCorrelationPct},
	} {
		if one.correlation > 0 && one.pct == 0 {
			return fmt.Errorf("%s_correlation_pct is %v, but %s_pct is 0", one.name, one.correlation, one.name)
		}
	}
	return nil
}

func (c dirConfig) validateJitter() error {
	if c.Jitter.Mode != jitterNormal && (c.Jitter.SdMs > 0 || c.Jitter.CorrelationPct > 0) {
		return fmt.Errorf("jitter.sd_ms and jitter.correlation_pct belong to mode %s, jitter.mode is %q", jitterNormal, c.Jitter.Mode)
	}
	switch c.Jitter.Mode {
	case jitterNone:
		return nil
	case jitterNormal:
		if c.Jitter.RangeMs > 0 || c.Jitter.IntervalMs > 0 {
			return fmt.Errorf("jitter.range_ms and jitter.interval_ms are not of mode %s, which has sd_ms and correlation_pct", jitterNormal)
		}
		if c.Jitter.SdMs == 0 {
			return fmt.Errorf("jitter.sd_ms is 0, mode %s needs a standard deviation", jitterNormal)
		}
		return nil
	case jitterUniform, jitterRedraw:
	default:
		return fmt.Errorf("jitter.mode is %q, known modes: %s, %s, %s, %s",
			c.Jitter.Mode, jitterNone, jitterUniform, jitterRedraw, jitterNormal)
	}
	if c.Jitter.RangeMs/2 > c.DelayMs {
		return fmt.Errorf("jitter.range_ms is %v but half of it must not exceed delay_ms (%v): a delay cannot be negative",
			c.Jitter.RangeMs, c.DelayMs)
	}
	if c.Jitter.Mode == jitterRedraw && millis(c.Jitter.IntervalMs) < 2 {
		return fmt.Errorf("jitter.interval_ms is %v, mode redraw needs an interval above 0", c.Jitter.IntervalMs)
	}
	return nil
}

// decodeStrict unmarshals raw into dst, a pointer to a struct, and refuses keys
// that the struct does not name (exactly, unlike encoding/json).
func decodeStrict(raw []byte, dst interface{}, where string) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return fmt.Errorf("%s is not a JSON object: %v", where, err)
	}
	known := knownKeys(dst)
	for key := range keys {
		if !contains(known, key) {
			return fmt.Errorf("unknown key %q in %s, known keys: %s", key, where, strings.Join(known, ", "))
		}
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		return fmt.Errorf("%s: %v", where, err)
	}
	return nil
}

// knownKeys lists the JSON names of the fields of the struct that dst points to.
func knownKeys(dst interface{}) []string {
	t := reflect.TypeOf(dst).Elem()
	var names []string
	for i := 0; i < t.NumField(); i++ {
		if field := t.Field(i); field.IsExported() {
			names = append(names, strings.Split(field.Tag.Get("json"), ",")[0])
		}
	}
	return names
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// millis converts milliseconds to whole nanoseconds.
func millis(ms float64) int64 { return int64(math.Round(ms * 1e6)) }
