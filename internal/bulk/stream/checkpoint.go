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
	"time"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/claim"
	"github.com/heed-robots/heed/internal/input"
)

// The file of a checkpoint has a SHA-256, because wrong numbers would make a later run skip lines.
type checkpoint struct {
	Version  int         `json:"heed_filter_checkpoint"`
	Settings string      `json:"settings"`
	Input    int         `json:"input"`
	Name     string      `json:"name"`
	Size     int64       `json:"size"` // the size of this input in bytes; -1 if it is not a regular file
	Modified time.Time   `json:"modified"`
	Offset   int64       `json:"offset"` // the offset in this input, after decompression
	Line     int         `json:"line"`   // the number of the next line in this input
	Output   int64       `json:"output"` // the length of the output in bytes
	Rejects  int64       `json:"rejects"`
	Header   bool        `json:"header"`
	Broken   bool        `json:"broken"`
	Counts   bulk.Counts `json:"counts"`
}

const (
	checkpointVersion = 2
	maxCheckpoint     = 1 << 20
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

func (c *checkpoint) identify(in *input.Input) error {
	c.Name, c.Size, c.Modified = in.Name, -1, time.Time{}
	if in.File == nil {
		return nil
	}
	info, err := in.File.Stat()
	if err == nil {
		c.Size, c.Modified = stateOf(info)
	}
	return err
}

func stateOf(info fs.FileInfo) (size int64, modified time.Time) {
	if !info.Mode().IsRegular() {
		return -1, time.Time{}
	}
	return info.Size(), info.ModTime().UTC()
}

func (c *checkpoint) check(name string) error {
	info, err := os.Stat(name)
	if c.Name == "" || name == "-" || err != nil {
		return nil // if the input cannot be opened, run.checkInput returns the error later
	}
	size, modified := stateOf(info)
	if name != c.Name || size != c.Size || !modified.Equal(c.Modified) {
		return fmt.Errorf("the input %s has changed since the run was interrupted: delete the checkpoint, and start again without --resume", name)
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
	case len(before.Counts.Columns) != len(r.Columns) || before.Input > len(r.Inputs):
		return otherArguments(CheckpointOf(r.To))
	}
	if err := CheckSettings(before.Settings, r.Settings, CheckpointOf(r.To)); err != nil {
		return err
	}
	if before.Input < len(r.Inputs) {
		if err := before.check(r.Inputs[before.Input]); err != nil { // checked before this run creates or cuts a file
			return err
		}
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
