package heed_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestDeps runs .ci/deps on machines without servers: as root with apt-get, as root with
// an apt-get that fails, as a user with sudo, without rights, and without apt-get.
func TestDeps(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash, not on Windows")
	}
	const (
		announced = "apt-get installs these packages, and their services may start:\n  vsftpd, for tests of "
		skipped   = "These packages are not installed, so their tests are skipped:\n  vsftpd, for tests of "
	)
	for _, test := range []struct {
		name, user, sudo, aptGet string
		argument                 string
		want                     []string // in this order
		wantNot                  string
	}{
		{"root", "0", "exit 1", "echo apt-get $*", "", []string{announced, "apt-get -qq install -y vsftpd redis-server nginx-light iproute2 chromium brotli parallel gcc pkg-config python3-pip python3-scrapy nodejs npm\n"}, "failed"},
		{"apt-get fails", "0", "exit 1", "exit 1", "", []string{announced, "apt-get failed.\n", skipped}, ""},
		{"user", "1000", "exit 1", "echo apt-get $*", "", []string{skipped, "run make deps as root"}, "apt-get installs"},
		{"sudo", "1000", "echo sudo $*", "exit 1", "", []string{announced, "sudo -n apt-get -qq update\nsudo -n apt-get -qq install -y vsftpd "}, "failed"},
		{"installed", "0", "exit 1", "for p in vsftpd redis-server nginx ip chromium brotli parallel cc pkg-config pip3 scrapy node npm; do echo >${0%/*}/$p; /bin/chmod +x ${0%/*}/$p; done", "", []string{announced}, "skipped"},
		{"no apt-get", "0", "exit 1", "", "", []string{skipped, "run make deps as root"}, "apt-get installs"},
		{"missing", "0", "exit 1", "echo apt-get $*", "--missing", []string{skipped, `"make deps" installs them.`}, "install -y"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			for name, body := range map[string]string{"id": "echo " + test.user, "apt-get": test.aptGet, "sudo": test.sudo} {
				if body == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(folder, name), []byte("#!"+bash+"\n"+body+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.Command(bash, ".ci/deps", test.argument)
			command.Env = []string{"PATH=" + folder, "SERVER_FOLDERS="}
			out, err := command.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			rest := string(out)
			for _, want := range test.want {
				_, behind, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("%q is not in %s", want, out)
				}
				rest = behind
			}
			if test.wantNot != "" && strings.Contains(string(out), test.wantNot) {
				t.Errorf("%q is in %s", test.wantNot, out)
			}
		})
	}
}

// TestDepsAreInstalled runs .ci/deps on a machine with all servers.
func TestDepsAreInstalled(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash, not on Windows")
	}
	folder := t.TempDir()
	for _, name := range []string{"vsftpd", "redis-server", "nginx", "ip", "chromium", "brotli", "parallel", "cc", "pkg-config", "pip3", "scrapy", "node", "npm"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for argument, want := range map[string]string{"": "All programs that tests start are installed.\n", "--missing": ""} {
		command := exec.Command(bash, ".ci/deps", argument)
		command.Env = []string{"PATH=/nowhere", "SERVER_FOLDERS=" + folder}
		if out, err := command.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%q: %v: %s", argument, err, out)
		}
	}
}

// TestMakeTestInstallsNothing reads what make would run: only "make deps" may call apt-get.
func TestMakeTestInstallsNothing(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	for targets, want := range map[string]string{"test": ".ci/deps --missing\n", "deps test": ".ci/deps\n"} {
		out, err := exec.Command("make", append([]string{"-n"}, strings.Fields(targets)...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("make %s: %v, %q is not in %s", targets, err, want, out)
		}
		if targets == "test" && strings.Contains(string(out), ".ci/deps\n") {
			t.Errorf("make test installs: %s", out)
		}
	}
	run, err := os.ReadFile(".ci/run")
	if err != nil || !strings.Contains(string(run), "\nmake deps test\n") {
		t.Errorf("%v: .ci/run does not have the README's second command: %s", err, run)
	}
}

// TestNoLargeDependencies: the packages that answer without I/O are also WebAssembly in web pages
// and in a package for npm, where some packages of the standard library would cost much of the size.
func TestNoLargeDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./robotstxt", "./internal/report", "./compare", "./internal/lint", "./crawlers", "./internal/asked", "./internal/binding").Output()
	if err != nil {
		t.Fatal(err)
	}
	dependencies := strings.Fields(string(out))
	if !slices.Contains(dependencies, "encoding/json") {
		t.Errorf("encoding/json is not among the dependencies: %q", dependencies)
	}
	for _, large := range []string{"crypto/sha256", "mime", "net/http", "net/url", "regexp"} {
		if slices.Contains(dependencies, large) {
			t.Errorf("%s is among the dependencies", large)
		}
	}
}
