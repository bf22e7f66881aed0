package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// A tool is a program that prepares or reads a list.
type tool struct {
	what    string
	process process
}

// partition writes the lines of a list into 64 files, by a hash of the host.
const partition = `BEGIN { for (i = 0; i < 256; i++) code[sprintf("%c", i)] = i }
{ h = 0; for (i = length($3); i > 0; i--) h = (h * 31 + code[substr($3, i, 1)]) % 64; print > (folder "/" h ".part") }`

// measureTools measures what a list costs before heed judges it.
func (s *settings) measureTools(counts []int) error {
	middle, large := counts[len(counts)/2-1], counts[len(counts)-2]
	if err := writeOneRobots(s.path(oneRobots), nil); err != nil {
		return err
	}
	t := table{"program", "URLs", "processor time for 1,000,000 URLs", "URLs a second", "memory"}
	t.head()
	for _, group := range []struct {
		origins int
		order   string
		tools   func() []tool
	}{
		{middle, inOrder, s.readers},
		{middle, shuffled, s.sorters},
		{large, shuffled, s.sorters},
	} {
		const each = 58
		if _, err := s.makeList(group.origins, group.order, each); err != nil {
			return err
		}
		for _, tool := range group.tools() {
			u, err := tool.process.run()
			if err != nil {
				return err
			}
			urls := group.origins * each
			t.row(tool.what+", "+group.order, number(float64(urls)), fmt.Sprintf("%.3f s", u.cpu.Seconds()/float64(urls)*1e6),
				number(perSecond(urls, u.took)), mib(u.peak))
		}
		if err := errors.Join(s.removeAll(scaleList+"*"), s.removeAll("*.part")); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes the files of the data whose names match a pattern.
func (s *settings) removeAll(pattern string) error {
	names, err := filepath.Glob(s.path(pattern))
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// readers read a list, also compressed.
func (s *settings) readers() []tool {
	list := s.path(scaleList)
	to := func(file, name string, args ...string) process { return process{Cmd: command(name, args...), to: file} }
	judge := func(list string) process {
		p := s.heedFilter("--robots", s.path(oneRobots), "--allowed", "--missing=allowed", list)
		p.to = os.DevNull
		return p
	}
	ceiling := s.self("ceiling", list)
	ceiling.to = os.DevNull
	return []tool{
		{"a program that reads lines, finds the host and writes", ceiling},
		{"`gzip`", to(list+".gz", "gzip", "-c", list)},
		{"`gzip -d`", to(os.DevNull, "gzip", "-dc", list+".gz")},
		{"`zstd`", to(list+".zst", "zstd", "-qc", list)},
		{"`zstd -d`", to(os.DevNull, "zstd", "-qdc", list+".zst")},
		{"`heed filter` without robots.txt files, plain", judge(list)},
		{"the same, gzip", judge(list + ".gz")},
		{"the same, zstd", judge(list + ".zst")},
	}
}

// sorters bring the URLs of a host together.
func (s *settings) sorters() []tool {
	list := s.path(scaleList)
	sorting := command("sort", fmt.Sprint("--parallel=", runtime.NumCPU()), "-S", "2G", "-T", s.folder, "-o", list+".sorted", list)
	sorting.Env = append(os.Environ(), "LC_ALL=C")
	return []tool{
		{"`sort -S 2G`", process{Cmd: sorting}},
		{"`awk`, 64 parts by a hash of the host", process{Cmd: command("awk", "-F/", "-v", "folder="+s.folder, partition, list)}},
	}
}
