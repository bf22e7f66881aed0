package accesslog_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/accesslog"
)

// block returns the block of a language in docs/audit.md.
func block(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("docs/audit.md has no block of %s", language)
	}
	return string(found[1])
}

// TestServers (AU-14): what real servers write with the log formats of docs/audit.md is read: host, scheme, method, target,
// status, User-Agent and X-Forwarded-For, with odd bytes in them.
func TestServers(t *testing.T) {
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	for _, server := range []struct {
		name, program string
		config        func(folder, address string) string
		args          func(folder string) []string
		scheme        string
	}{
		{"nginx", "nginx", func(folder, address string) string {
			format := strings.ReplaceAll(block(t, "nginx"), "/var/log/nginx/heed.log", folder+"/log")
			return fmt.Sprintf("daemon off; master_process off; pid %s/pid; error_log %[1]s/errors; events {}\nhttp { client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n%s\nserver { listen %s; root %[1]s; } }\n", folder, format, address)
		}, func(folder string) []string {
			return []string{"-p", folder, "-e", folder + "/errors", "-c", folder + "/config"}
		}, "http"},
		{"apache", "apache2", func(folder, address string) string {
			format := strings.ReplaceAll(block(t, "apache"), "logs/heed.log", folder+"/log")
			modules := "/usr/lib/apache2/modules"
			return fmt.Sprintf("ServerName example.com\nListen %s\nPidFile %s/pid\nErrorLog %[2]s/errors\nDocumentRoot %[2]s\nLoadModule mpm_event_module %s/mod_mpm_event.so\nLoadModule authz_core_module %[3]s/mod_authz_core.so\nUseCanonicalName Off\nUseCanonicalPhysicalPort Off\n%s",
				address, folder, modules, format)
		}, func(folder string) []string { return []string{"-X", "-d", folder, "-f", folder + "/config"} }, "http"},
		{"caddyfile", "caddy", func(folder, address string) string {
			format := strings.ReplaceAll(block(t, "caddyfile"), "/var/log/caddy/access.log", folder+"/log")
			return fmt.Sprintf("{\n admin off\n}\nhttp://%s, http://shop.example:%s {\n%s\nrespond \"x\" 404\n}\n", address, address[strings.LastIndexByte(address, ':')+1:], format)
		}, func(folder string) []string {
			return []string{"run", "--adapter", "caddyfile", "--config", folder + "/config"}
		}, "http"},
	} {
		t.Run(server.name, func(t *testing.T) {
			program, err := exec.LookPath(server.program)
			if err != nil {
				t.Skipf("%s is not installed", server.program)
			}
			if server.program == "apache2" {
				if _, err := os.Stat("/usr/lib/apache2/modules/mod_mpm_event.so"); err != nil {
					t.Skip("apache2 is not installed as Debian does it")
				}
			}
			folder := t.TempDir()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			address := listener.Addr().String()
			listener.Close()
			if err := os.WriteFile(filepath.Join(folder, "config"), []byte(server.config(folder, address)), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			c := exec.CommandContext(ctx, program, server.args(folder)...)
			var out bytes.Buffer
			c.Stdout, c.Stderr = &out, &out
			c.Env = append(os.Environ(), "HOME="+folder, "APACHE_RUN_DIR="+folder)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			defer func() { stop(); <-ended }()
			const agent = `Bad"Bot\/1.0 (é)`
			ask := func() error {
				r, err := http.NewRequestWithContext(ctx, "GET", "http://"+address+`/a%20b?x="y"`, nil)
				if err != nil {
					return err
				}
				r.Host = "shop.example:" + address[strings.LastIndexByte(address, ':')+1:]
				r.Header.Set("User-Agent", agent)
				r.Header.Set("X-Forwarded-For", "192.0.2.7, 10.0.0.1")
				response, err := http.DefaultClient.Do(r)
				if err == nil {
					response.Body.Close()
				}
				return err
			}
			for end := time.Now().Add(10 * time.Second); ask() != nil; time.Sleep(50 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s does not answer: %s", server.program, out.String())
				}
			}
			var log []byte
			for end := time.Now().Add(5 * time.Second); len(log) == 0 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				log, _ = os.ReadFile(filepath.Join(folder, "log"))
			}
			lines := strings.Split(strings.TrimSpace(string(log)), "\n")
			f, err := accesslog.Find(lines, accesslog.Fields{})
			if err != nil {
				t.Fatalf("%v; the server wrote\n%s%s", err, log, out.String())
			}
			var e accesslog.Entry
			if err := f.Read(lines[0], &e); err != nil {
				t.Fatalf("%v:\n%s", err, lines[0])
			}
			host, _, _ := strings.Cut(e.Host, ":")
			age := time.Since(time.Unix(0, e.Time))
			if e.Address != "127.0.0.1" || host != "shop.example" || e.Scheme != server.scheme || e.Method != "GET" || e.Target != `/a%20b?x="y"` && e.Target != "/a%20b?x=%22y%22" ||
				e.Status != 404 || e.Agent != agent || e.Forwarded != "192.0.2.7, 10.0.0.1" || age < 0 || age > time.Minute {
				t.Errorf("%+v\nof %s", e, lines[0])
			}
		})
	}
}
