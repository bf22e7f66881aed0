package gate

import (
	"net"
	"testing"
	"time"
)

// deadlines is a connection that records the deadline of its writes.
type deadlines struct {
	net.Conn
	set int
	at  time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set, d.at = d.set+1, t
	return nil
}

func (d *deadlines) Write(p []byte) (int, error) { return len(p), nil }

// Each write has WriteTime or more, also after an earlier one whose deadline is still in the future,
// and after net/http removed the deadline. It is not set for each write.
func TestWritesHaveTheirTime(t *testing.T) {
	d := &deadlines{}
	l := &Limits{WriteTime: time.Minute, WritePiece: 10}
	c := &limitedConn{Conn: d, limits: l}
	write := func(what string, set int) {
		t.Helper()
		if _, err := c.Write(make([]byte, 25)); err != nil {
			t.Fatal(err)
		}
		if left := time.Until(d.at); d.set != set || left < l.WriteTime-time.Second || left > 2*l.WriteTime {
			t.Errorf("%s: the deadline was set %d times, want %d; %s are left", what, d.set, set, left)
		}
	}
	write("first", 1)
	write("second", 1)
	c.SetWriteDeadline(time.Time{})
	write("after net/http removed it", 1)
	c.SetWriteDeadline(time.Now().Add(l.WriteTime - time.Second))
	write("less than writeTime is left", 3)
	c.SetWriteDeadline(time.Now().Add(-time.Second))
	write("none is left", 5)
}
