package main

import (
	"os/exec"
	"time"
)

// command returns a command that this one starts.
func command(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }

// measureOpening measures a whole process with an archive and no URL, or one, beside one that only
// starts.
func (s *settings) measureOpening(facts) error {
	if err := s.compile(largeJSON, compiledLarge); err != nil {
		return err
	}
	t := table{"opening a compiled archive", "`heed version`", "no URL", "one URL", "opening (bar: 10 ms)", "first answer (bar: 1 ms)"}
	t.head()
	for _, archive := range []string{compiled, compiledLarge} {
		robots := "--robots=" + s.path(archive)
		took := make([]time.Duration, 3)
		for i := range 10 * s.rounds {
			for n, p := range []process{
				{Cmd: command(s.heed, "version")},
				s.heedFilter(robots, s.path(noURL)),
				s.heedFilter(robots, s.path(oneURL)),
			} {
				u, err := p.run()
				if err != nil {
					return err
				}
				if i == 0 || u.took < took[n] {
					took[n] = u.took
				}
			}
		}
		t.row(archive, milliseconds(took[0]), milliseconds(took[1]), milliseconds(took[2]), milliseconds(took[1]-took[0]), milliseconds(took[2]-took[1]))
	}
	return nil
}
