package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/claim"
)

// The file of a checkpoint has a SHA-256, because wrong numbers would make a later run skip lines.
type checkpoint struct {
	Version  int         `json:"heed_filter_checkpoint"`
	Settings string      `json:"settings"`
	Input    int         `json:"input"`
	States   []fileState `json:"states"` // of the inputs that were opened, in order
	Offset   int64       `json:"offset"` // the offset in this input, after decompression
	Line     int         `json:"line"`   // the number of the next line in this input
	Output   int64       `json:"output"` // the length of the output in bytes
	Rejects  int64       `json:"rejects"`
	Header   bool        `json:"header"`
	Broken   bool        `json:"broken"`
	Counts   bulk.Counts `json:"counts"`
}

const (
	checkpointVersion = 3
	maxCheckpoint     = 64 << 20 // enough for the states of a million inputs
)

func CheckpointOf(output string) string { return output + ".checkpoint" }

func readCheckpoint(output string) (*checkpoint, error) {
	name := CheckpointOf(output)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxCheckpoint) {
		err = fmt.Errorf("%s is not a checkpoint of an interrupted run: it is not a file, or has more than %d bytes; delete it to start again", name, maxCheckpoint)
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c := &checkpoint{}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if err := json.Unmarshal(line, c); err != nil {
		return nil, fmt.Errorf("%s is not a checkpoint of an interrupted run: %w; delete it to start again", name, err)
	}
	if c.Version != checkpointVersion {
		return nil, fmt.Errorf("the checkpoint %s has version %d, and this heed reads version %d: delete the checkpoint to start again", name, c.Version, checkpointVersion)
	}
	if !bytes.Equal(text, withSum(line)) {
		return nil, fmt.Errorf("the checkpoint %s is damaged (its SHA-256 is wrong): delete it to start again", name)
	}
	return c, nil
}

func withSum(line []byte) []byte { return fmt.Appendf(nil, "%s\n%x\n", line, sha256.Sum256(line)) }

// A new file is renamed, so that a checkpoint is always complete.
func (c *checkpoint) write(output string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	name := CheckpointOf(output)
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(withSum(text))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	if folder, err := os.Open(filepath.Dir(name)); err == nil {
		folder.Sync()
		folder.Close()
	}
	return nil
}

// A fileState shows whether a file has changed. Of a file that is not regular, nothing is known.
type fileState struct {
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"` // nanoseconds since 1970
}

func stateOf(name string) (state fileState) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		state = fileState{info.Size(), info.ModTime().UnixNano()}
	}
	return state
}

// check returns an error if an input that the interrupted run has opened is another file now. An input that is missing now
// does not count as changed.
func (c *checkpoint) check(inputs []string) error {
	for i, state := range c.States {
		if _, err := os.Stat(inputs[i]); err == nil && stateOf(inputs[i]) != state {
			return fmt.Errorf("the input %s has changed since the run was interrupted: delete the checkpoint, and start again without --resume", inputs[i])
		}
	}
	return nil
}

// Claim locks an output, so that no other run writes to it.
func Claim(output string) (release func() error, err error) {
	return claim.File(CheckpointOf(output)+".lock", output)
}

// A run with other arguments or inputs than the interrupted run must not continue.
func (r *run) resume() error {
	if !r.isDurable {
		return errors.New("--resume can only continue a run that wrote to a file: name that file with --output")
	}
	before, err := readCheckpoint(r.To)
	switch {
	case err != nil:
		return err
	case before == nil:
		if _, err := os.Stat(r.To); err == nil {
			return ErrEnded(r.To)
		}
		return nil
	case len(before.Counts.Columns) != len(r.Columns) || before.Input > len(r.Inputs), len(before.States) > len(r.Inputs):
		return otherArguments(CheckpointOf(r.To))
	}
	if err := CheckSettings(before.Settings, r.Settings, CheckpointOf(r.To)); err != nil {
		return err
	}
	if err := before.check(r.Inputs); err != nil { // checked before this run creates or cuts a file
		return err
	}
	r.state = *before
	return nil
}

// CheckSettings returns an error if the Settings of an interrupted run differ from those of this run. The error asks the user
// to delete the files.
func CheckSettings(before, now, files string) error {
	arguments, _, _ := strings.Cut(before, " ")
	switch same, _, _ := strings.Cut(now, " "); {
	case before == now:
		return nil
	case arguments == same:
		return fmt.Errorf("--resume: a source of --robots has changed since the interrupted run, so its verdicts would not fit: delete %s to start again", files)
	}
	return otherArguments(files)
}

func otherArguments(files string) error {
	return fmt.Errorf("--resume: the interrupted run had other arguments: give the same arguments as before, or delete %s to start again", files)
}

// ErrEnded is for --resume if the output exists, but has no checkpoint.
func ErrEnded(output string) error {
	return fmt.Errorf("%s exists and the checkpoint %s does not: an earlier run has ended, perhaps with other arguments or lists: to check these lists, leave --resume out", output, CheckpointOf(output))
}
