package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// vsftpd starts a real FTP server for a folder and returns its origin. Where
// there is none the test is skipped, but not by CI.
func vsftpd(t *testing.T, files map[string]string, settings string) origin.Origin {
	t.Helper()
	program, err := exec.LookPath("vsftpd")
	if err != nil {
		program = "/usr/sbin/vsftpd" // often not in the path
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("vsftpd is not installed")
		}
		t.Skip("vsftpd is not installed: apt-get install vsftpd")
	}
	root, conf := t.TempDir(), t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{root, filepath.Dir(root), filepath.Dir(filepath.Dir(root))} {
		_ = os.Chmod(dir, 0o755) // the server's user must get there, and not write
	}
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	config := fmt.Sprintf("listen=YES\nlisten_address=127.0.0.1\nlisten_port=%d\nbackground=NO\nanonymous_enable=YES\nanon_root=%s\n"+
		"no_anon_password=NO\nseccomp_sandbox=NO\nsecure_chroot_dir=%s\nxferlog_enable=NO\n%s", port, root, conf, settings)
	if err := os.WriteFile(filepath.Join(conf, "vsftpd.conf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(conf, 0o555)
	server := exec.Command(program, filepath.Join(conf, "vsftpd.conf"))
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
		os.Chmod(root, 0o755)
		os.Chmod(conf, 0o755)
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return parse(t, "ftp://"+address)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("vsftpd does not listen")
	return origin.Origin{}
}

// G-1: an anonymous RETR of /robots.txt from a real server; what is not there
// is unavailable; the limit holds.
func TestFTP(t *testing.T) {
	long := someRules + strings.Repeat("disallow: /"+strings.Repeat("y", 88)+"\n", 6000)
	for _, c := range []struct {
		name     string
		files    map[string]string
		settings string
		want     Outcome
		reason   robotstxt.Reason
	}{
		{"rules", map[string]string{"robots.txt": someRules}, "", Rules, robotstxt.ByRule},
		{"no file", map[string]string{"other.txt": someRules}, "", Unavailable, robotstxt.Unavailable},
		{"too long", map[string]string{"robots.txt": long}, "", Rules, robotstxt.ByRule},
		{"nobody may log in", map[string]string{"robots.txt": someRules}, "max_clients=0\ndeny_email_enable=NO\nanonymous_enable=NO\nlocal_enable=YES\n", Unreachable, robotstxt.Unreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := get(t, &Fetcher{Timeout: 10 * time.Second}, vsftpd(t, c.files, c.settings))
			for _, d := range robotstxt.Dialects() {
				if got := r.Outcome(d); got != c.want {
					t.Errorf("%s: %s, %v, want %s", d, got, r.Err, c.want)
				}
				if got := r.File(d).Agent("a").Check("/x"); got.Reason != c.reason {
					t.Errorf("%s: %+v", d, got)
				}
			}
			if r.Truncated != (c.name == "too long") || len(r.Body) > 500<<10 {
				t.Errorf("%d bytes, truncated %v", len(r.Body), r.Truncated)
			}
		})
	}
}

// ftpServer is a server that says what it is told to: reply maps the beginning
// of a command to what is sent back. It listens for data at another port, which
// "%d" in a reply stands for, and sends data there.
func ftpServer(t *testing.T, greeting string, replies map[string]string, data string) origin.Origin {
	t.Helper()
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dataListener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control.Close(); dataListener.Close() })
	go func() {
		for {
			c, err := dataListener.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, data)
			c.Close()
		}
	}()
	port := dataListener.Addr().(*net.TCPAddr).Port
	go func() {
		for {
			c, err := control.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.WriteString(c, greeting)
				for lines := bufio.NewScanner(c); lines.Scan(); {
					verb, _, _ := strings.Cut(lines.Text(), " ")
					reply, ok := replies[verb]
					switch {
					case !ok:
						reply = "500 what?\r\n"
					case reply == "":
						return
					case strings.Contains(reply, "%d"):
						reply = fmt.Sprintf(reply, port/256, port%256)
					}
					io.WriteString(c, reply)
				}
			}()
		}
	}()
	return parse(t, "ftp://"+control.Addr().String())
}

// G-7, R-15: a failure of the server is never permission, and no data connection
// goes to an address that the server names.
func TestFTPFailures(t *testing.T) {
	with := func(changes map[string]string) map[string]string {
		replies := map[string]string{
			"USER": "331 password\r\n", "PASS": "230 in\r\n", "FEAT": "211 no\r\n", "TYPE": "200 ok\r\n", "QUIT": "221 bye\r\n",
			"PASV": "227 Entering Passive Mode (10,9,8,7,%d,%d)\r\n", // another host: what counts is the port
			"RETR": "150 here it comes\r\n226 done\r\n",
		}
		for verb, reply := range changes {
			replies[verb] = reply
		}
		return replies
	}
	const hello = "220 hello\r\n"
	r := get(t, &Fetcher{Timeout: 5 * time.Second}, ftpServer(t, hello, with(nil), someRules))
	if r.Outcome(nil) != Rules || string(r.Body) != someRules {
		t.Errorf("a good server: %s, %q, %v", r.Outcome(nil), r.Body, r.Err)
	}
	for name, o := range map[string]origin.Origin{
		"greeting 421":    ftpServer(t, "421 too many\r\n", with(nil), someRules),
		"no greeting":     serveRaw(t, ""),
		"garbage":         serveRaw(t, "HTTP/1.1 400 Bad Request\r\n\r\n"),
		"endless line":    ftpServer(t, strings.Repeat("2", 10<<20), with(nil), someRules),
		"endless lines":   ftpServer(t, strings.Repeat("220-hello\r\n", 1<<20), with(nil), someRules),
		"login refused":   ftpServer(t, hello, with(map[string]string{"PASS": "530 no\r\n"}), someRules),
		"file 450":        ftpServer(t, hello, with(map[string]string{"RETR": "450 busy\r\n"}), someRules),
		"file 551":        ftpServer(t, hello, with(map[string]string{"RETR": "551 what\r\n"}), someRules),
		"hung up":         ftpServer(t, hello, with(map[string]string{"RETR": ""}), someRules),
		"transfer broken": ftpServer(t, hello, with(map[string]string{"RETR": "150 here it comes\r\n426 broken\r\n"}), someRules),
		"bad port":        ftpServer(t, hello, with(map[string]string{"PASV": "227 (a,b)\r\n"}), someRules),
	} {
		o = parse(t, strings.Replace(o.String(), "http:", "ftp:", 1))
		r := get(t, &Fetcher{Timeout: 3 * time.Second}, o)
		if got := outcomes(r); got != "unreachable unreachable unreachable unreachable unreachable" {
			t.Errorf("%s: %s, %d, %v", name, got, r.Status, r.Err)
		}
	}
	slow := ftpServer(t, hello, with(map[string]string{"RETR": "150 here it comes\r\n"}), someRules) // and never done
	start := time.Now()
	if r := get(t, &Fetcher{Timeout: 300 * time.Millisecond}, slow); r.Outcome(nil) != Unreachable || time.Since(start) > 3*time.Second {
		t.Errorf("a slow server: %s after %s", r.Outcome(nil), time.Since(start))
	}
	missing := get(t, &Fetcher{}, ftpServer(t, hello, with(map[string]string{"RETR": "550 no such file\r\n"}), ""))
	if missing.Outcome(nil) != Unavailable || missing.Status != 550 {
		t.Errorf("550: %s, %d, %v", missing.Outcome(nil), missing.Status, missing.Err)
	}
	guarded, err := (&Fetcher{}).Fetch(context.Background(), slow, Validators{})
	if err != nil || !errors.Is(guarded.Err, AddressRefused) {
		t.Errorf("a private address: %v, %v", guarded.Err, err)
	}
}
