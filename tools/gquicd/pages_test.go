package main

import "testing"

type connection struct{ goneAway, closed int }

func (c *connection) ID() string          { return "1" }
func (c *connection) Rejections() int     { return 0 }
func (c *connection) GoAway()             { c.goneAway++ }
func (c *connection) CloseWhenDelivered() { c.closed++ }
func (c *connection) Confirmed() bool     { return false }
func (c *connection) Work()               {}

func TestAConnectionIsClosedAfterTheLastResponseOfItsPage(t *testing.T) {
	pages, own := newPages(3), &connection{}
	for response := 1; response <= 3; response++ {
		if own.closed != 0 {
			t.Fatalf("closed after %d of 3 responses", response-1)
		}
		pages.served(own)
	}
	if own.closed != 1 {
		t.Errorf("closed %d times", own.closed)
	}
	if len(pages.done) != 0 {
		t.Error("the count of a closed connection was kept")
	}
}

func TestNothingIsClosedWithoutALimit(t *testing.T) {
	pages, own := newPages(0), &connection{}
	for response := 0; response < 1000; response++ {
		pages.served(own)
	}
	if own.closed != 0 {
		t.Error("closed")
	}
}
