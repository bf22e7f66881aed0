package heed

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// requirements are the ids that something in this project must prove.
const requirements = `
	S94-1 S94-2 S94-3 S94-4 S94-5 S94-6 S94-7 S94-8 S94-9 S94-10 S94-11
	S96-1 S96-2 S96-3 S96-4 S96-5 S96-6 S96-7 S96-8 S96-9
	R-1 R-2 R-3 R-4 R-5 R-6 R-7 R-8 R-9 R-10 R-11 R-12 R-13 R-14 R-15 R-16 R-17 R-18 R-19 R-20 R-21 R-22
	D-1 D-2
	G-1 G-2 G-3 G-4 G-5 G-6 G-7 G-8 G-9 G-10 G-11 G-12 G-13 G-14 G-15 G-16
	L1 L2 L3 L4 L5 L6
	K1 K2 K3 K4 K5 K6 K7 K8 K9 K10
	G1 G2 G3 G4 G5 G6 G7 G8 G9 G10 G11
	M1 M2 M3 M4 M5 M6 M7 M8 M9 M10
	U1 U2 U3 U4 U5 U6`

// Every requirement is named by a test or by a case.
func TestEveryRequirementIsNamed(t *testing.T) {
	var tests strings.Builder
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		isTest := strings.HasSuffix(file, "_test.go") && file != "requirements_test.go"
		isCase := strings.Contains(filepath.ToSlash(file), "/testdata/")
		if err != nil || entry.IsDir() || !isTest && !isCase {
			return err
		}
		data, err := os.ReadFile(file)
		tests.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range strings.Fields(requirements) {
		if !regexp.MustCompile(`\b` + id + `\b`).MatchString(tests.String()) {
			t.Errorf("%s: no test names it", id)
		}
	}
}
