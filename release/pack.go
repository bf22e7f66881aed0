package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	modulepath "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// pack writes the module in the layout of a module proxy, without the modules in its subfolders.
func pack(root, proxy string) error {
	moduleVersion := modulepath.Version{Path: module, Version: version}
	folder := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	tracked, err := trackedFiles(root)
	if err != nil {
		return err
	}
	var files []zip.File
	for _, name := range tracked {
		files = append(files, file{root, name})
	}
	packed, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.Create(packed, moduleVersion, files); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Unix(0, 0).UTC().Format(time.RFC3339))
	for name, data := range map[string][]byte{version + ".mod": text, version + ".info": []byte(info), "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

type file struct{ root, name string }

func (f file) Path() string { return f.name }
func (f file) Lstat() (os.FileInfo, error) {
	return os.Lstat(filepath.Join(f.root, filepath.FromSlash(f.name)))
}
func (f file) Open() (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.root, filepath.FromSlash(f.name)))
}
