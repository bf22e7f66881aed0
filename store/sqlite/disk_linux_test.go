package sqlite_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/store/sqlite"
)

func init() {
	children["open"] = func(arguments []string) error {
		s, err := sqlite.Open(arguments[0], sqlite.Options{})
		if err != nil {
			return err
		}
		return errors.Join(s.Put(ctx, storetest.Record(storetest.Origin(1), noon, "")), s.Close())
	}
}

// mount returns a folder on a small disk.
func mount(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("none", folder, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no disk can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Errorf("unmount %s: %v", folder, err)
		}
	})
	return folder
}

func TestFullDisk(t *testing.T) {
	folder := mount(t)
	ballast := filepath.Join(folder, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 500_000), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(folder, "heed.db"))
	testFull(t, s, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	})
}

// Open on a full disk returns an error that names the reason, and works when there is space.
func TestOpenOnFullDisk(t *testing.T) {
	folder := mount(t)
	ballast := filepath.Join(folder, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 3<<20), 0o600); err == nil {
		t.Fatal("3 MiB could be written to a disk of 2 MiB")
	}
	path := filepath.Join(folder, "heed.db")
	if s, err := sqlite.Open(path, sqlite.Options{}); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("%v, %v", s, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	put(t, open(t, path), storetest.Record(storetest.Origin(1), noon, ""))
}

// On a read-only disk Open returns an error, for root too.
func TestReadOnlyDisk(t *testing.T) {
	folder := mount(t)
	path := filepath.Join(folder, "heed.db")
	s := open(t, path)
	put(t, s, storetest.Record(storetest.Origin(1), noon, ""))
	s.Close()
	if err := syscall.Mount("none", folder, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, path, "allowed to write")
	checkRefused(t, filepath.Join(folder, "new.db"), "allowed to write")
	checkRefused(t, filepath.Join(folder, "folder", "new.db"), "allowed to write")
}

// In a read-only folder, or with a read-only file, Open returns an error that names the rights.
func TestReadOnlyFolder(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "heed.db")
	s := open(t, path)
	put(t, s, storetest.Record(storetest.Origin(1), noon, ""))
	s.Close()
	for _, c := range []struct {
		file, name   string
		folder, mode os.FileMode
		opens        bool
	}{
		{"a new file in a folder", "new.db", 0o555, 0o666, false},
		{"a file in a folder", "heed.db", 0o555, 0o666, false},
		{"a file that can be read", "heed.db", 0o777, 0o444, false},
		{"a file that cannot", "heed.db", 0o777, 0, false},
		{"a file that can be written", "heed.db", 0o777, 0o666, true},
	} {
		os.Remove(path + "-wal") // the one of the case before belongs to the user "nobody"
		os.Remove(path + "-shm")
		if err := errors.Join(os.Chmod(folder, c.folder), os.Chmod(path, c.mode)); err != nil {
			t.Fatal(err)
		}
		output := openAsNobody(t, filepath.Join(folder, c.name))
		t.Log(c.file, ": ", output)
		if c.opens != (output == "") || !c.opens && !(strings.Contains(output, ": open: ") && strings.Contains(output, "allowed to write")) {
			t.Errorf("%s: the output is %q", c.file, output)
		}
	}
}

// openAsNobody opens a file in a process of another user than root, and returns the output.
func openAsNobody(t *testing.T, path string) string {
	t.Helper()
	c := child(t, "open", path)
	if os.Getuid() == 0 {
		folder := filepath.Dir(path)
		reachable(t, filepath.Dir(folder))
		c.Path = filepath.Join(filepath.Dir(folder), "child")
		copyProgram(t, c.Args[0], c.Path)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		c.Dir = folder
	}
	output, err := c.CombinedOutput()
	if (err != nil) != (len(output) > 0) {
		t.Fatalf("%v: %s", err, output)
	}
	return string(output)
}

// reachable gives other users access to a folder.
func reachable(t *testing.T, folder string) {
	t.Helper()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
}

// copyProgram copies this program to a place where other users may run it.
func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	if _, err := os.Stat(to); err == nil {
		return
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}
