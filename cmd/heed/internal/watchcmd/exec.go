package watchcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/watch"
)

const (
	pipesTime = time.Second // processes that the program started may keep its output open for this time
	maxSaid   = 4 << 10     // bytes of the program's output that are kept
)

// Tests change these times.
var (
	programTime = time.Minute
	leaveTime   = 10 * time.Second // the program may run for this time after heed got a signal to end
)

func run(ctx context.Context, words []string, m *watch.Message) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), programTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(leaveTime, cancel) })()
	c := exec.CommandContext(limited, words[0], words[1:]...)
	c.WaitDelay = pipesTime
	c.Stdin = bytes.NewReader(append(term.Marshal(m.JSON), '\n'))
	var said tail
	c.Stdout, c.Stderr = &said, &said
	err := c.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case errors.Is(limited.Err(), context.Canceled):
		err = errors.New("heed stopped the program of --exec, because heed itself was stopped")
	case limited.Err() != nil:
		err = fmt.Errorf("the program of --exec ran for more than %s, so heed stopped it: expected a program that ends earlier", programTime)
	}
	return fmt.Errorf("--exec %s failed: %w%s; heed keeps the event, and will start the program again", words[0], err, said.inWords())
}

func checkProgram(value string) error {
	words := strings.Fields(value)
	if len(words) == 0 {
		return errors.New(`--exec "": expected a program, such as --exec "./send-mail owner@example.com"`)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return fmt.Errorf("--exec: %w", err)
	}
	return nil
}

type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[max(0, len(p)-maxSaid):]...)
	t.text = t.text[max(0, len(t.text)-maxSaid):]
	return len(p), nil
}

func (t *tail) inWords() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return ""
	}
	return ": " + printable.Short(last)
}
