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

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// vsftpd starts a real FTP server for a folder with files and returns its origin. The
// server may not read files with an empty body. If vsftpd is not installed, the test is
// skipped; in CI it fails.
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
	for name, body := range files {
		if body == "" {
			_ = os.Chmod(filepath.Join(root, name), 0)
		}
	}
	for _, dir := range []string{root, filepath.Dir(root), filepath.Dir(filepath.Dir(root))} {
		_ = os.Chmod(dir, 0o755) // the user of the server must be able to read it
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

// G-1: an anonymous RETR of /robots.txt from a real server. A missing file is unavailable,
// and a long one is cut.
func TestFTP(t *testing.T) {
	t.Parallel()
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
		{"a file that it may not read", map[string]string{"robots.txt": "", "other.txt": someRules}, "", Unreachable, robotstxt.Unreachable},
		{"a file that it refuses", map[string]string{"robots.txt": someRules, "other.txt": someRules}, "deny_file={robots.txt}\n", Unreachable, robotstxt.Unreachable},
		{"no file, and no lists", map[string]string{"other.txt": someRules}, "dirlist_enable=NO\n", Unreachable, robotstxt.Unreachable},
		{"no login allowed", map[string]string{"robots.txt": someRules}, "max_clients=0\ndeny_email_enable=NO\nanonymous_enable=NO\nlocal_enable=YES\n", Unreachable, robotstxt.Unreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
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

// ftpServer starts a server that replies with replies[verb] to each command, and closes the
// connection if that is "". It sends data over every data connection. "%d,%d" in a reply
// becomes the port for data.
func ftpServer(t *testing.T, greeting string, replies map[string]string, data string) origin.Origin {
	t.Helper()
	return ftpServerOf(t, greeting, replies, func(c io.Writer) { io.WriteString(c, data) })
}

func ftpServerOf(t *testing.T, greeting string, replies map[string]string, send func(io.Writer)) origin.Origin {
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
	go serveEach(dataListener, func(c net.Conn) { send(c) })
	port := dataListener.Addr().(*net.TCPAddr).Port
	go serveEach(control, func(c net.Conn) {
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
	})
	return parse(t, "ftp://"+control.Addr().String())
}

// ftpReplies returns the replies of a server that sends the file, with some changes.
func ftpReplies(changes map[string]string) map[string]string {
	replies := map[string]string{
		"USER": "331 password\r\n", "PASS": "230 in\r\n", "FEAT": "211 no\r\n", "TYPE": "200 ok\r\n", "QUIT": "221 bye\r\n",
		"PASV": "227 Entering Passive Mode (10,9,8,7,%d,%d)\r\n", // another host, which is ignored: only the port counts
		"RETR": "150 here it comes\r\n226 done\r\n",
	}
	for verb, reply := range changes {
		replies[verb] = reply
	}
	return replies
}

const ftpHello = "220 hello\r\n"

// G-1, G-7, R-15: only a reply 550 to RETR, before any data, can mean that there is no
// file. At every other stage the same reply is a failure.
func TestFTPMissingFileOnlyByReplyToRETR(t *testing.T) {
	for _, text := range []string{
		"No such file or directory", "/robots.txt: not found", "Too many connections from your IP", "Permission denied",
		"I/O error reading file", "Failed to open file.",
	} {
		reply := "550 " + text + "\r\n"
		for stage, o := range map[string]origin.Origin{
			"greeting":       ftpServer(t, reply, ftpReplies(nil), someRules),
			"USER":           ftpServer(t, ftpHello, ftpReplies(map[string]string{"USER": reply}), someRules),
			"PASS":           ftpServer(t, ftpHello, ftpReplies(map[string]string{"PASS": reply}), someRules),
			"TYPE":           ftpServer(t, ftpHello, ftpReplies(map[string]string{"TYPE": reply}), someRules),
			"OPTS":           ftpServer(t, ftpHello, ftpReplies(map[string]string{"FEAT": "211-\r\n UTF8\r\n211 end\r\n", "OPTS": reply}), someRules),
			"EPSV and PASV":  ftpServer(t, ftpHello, ftpReplies(map[string]string{"EPSV": reply, "PASV": reply}), someRules),
			"after the data": ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "150 here it comes\r\n" + reply}), someRules),
			"after no data":  ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "150 here it comes\r\n" + reply}), ""),
		} {
			r := get(t, &Fetcher{Timeout: 5 * time.Second}, o)
			if got := outcomes(r); got != allUnreachable || r.Err == nil {
				t.Errorf("%s, %q: %s, %d, %v", stage, text, got, r.Status, r.Err)
			}
		}
		o := ftpServer(t, ftpHello, ftpReplies(map[string]string{"EPSV": reply}), someRules) // then PASV is tried
		if r := get(t, &Fetcher{Timeout: 5 * time.Second}, o); r.Outcome(nil) != Rules {
			t.Errorf("EPSV, %q: %s, %v", text, r.Outcome(nil), r.Err)
		}
	}
}

// G-1, R-15: the text of a reply to RETR decides; these are texts of real servers.
func TestFTPReplies(t *testing.T) {
	for reply, want := range map[string]Outcome{
		"550 /robots.txt: No such file or directory":            Unavailable, // ProFTPD, wu-ftpd
		"550 robots.txt: No such file or directory.":            Unavailable, // BSD, glftpd
		"550 No such file or directory.":                        Unavailable, // pyftpdlib
		"550 Can't open /robots.txt: No such file or directory": Unavailable, // Pure-FTPd
		"550 The system cannot find the file specified. ":       Unavailable, // IIS
		"550-The system cannot find the file specified. \r\n Win32 error:   The system cannot find the file specified. \r\n Error details: File system returned an error.\r\n550 End": Unavailable,
		"550 File not found":                     Unavailable, // FileZilla Server 0.9
		"550 file \"/robots.txt\" not found":     Unavailable,
		"550 Requested file does not exist.":     Unavailable,
		"550 Sorry, but that file doesn't exist": Unavailable, // Serv-U
		"550 /robots.txt: file does not exist":   Unavailable,
		"550 Not found.":                         Unavailable,

		"550 /robots.txt: Permission denied":            Unreachable,
		"550 Permission denied":                         Unreachable,
		"550 Access is denied. ":                        Unreachable, // IIS
		"550 can't access file.":                        Unreachable, // FileZilla Server 0.9
		"550 Can't open /robots.txt: Permission denied": Unreachable, // Pure-FTPd
		"550 File not found or access denied":           Unreachable,
		"550 The process cannot access the file because it is being used by another process. ": Unreachable, // IIS
		"550 I/O error reading file":                             Unreachable,
		"550 Input/output error":                                 Unreachable,
		"550 Too many connections from your IP":                  Unreachable,
		"550 Too many open files":                                Unreachable,
		"550 /robots.txt: not a plain file.":                     Unreachable,
		"550 Requested action not taken":                         Unreachable,
		"550 User not found":                                     Unreachable,
		"550 Backend server not found":                           Unreachable,
		"550 Home directory not found, try again later":          Unreachable,
		"550 File system does not exist":                         Unreachable,
		"550 Stale file handle":                                  Unreachable,
		"550 Das System kann die angegebene Datei nicht finden.": Unreachable, // only English is understood
		"550 ":                       Unreachable,
		"550 No such file/directory": Unavailable,
		`550 C:\inetpub\robots.txt: No such file`: Unavailable,

		"550 /etc/pure-ftpd/pw.pdb: No such file or directory":                          Unreachable, // a file of the server itself
		"550 libcrypto.so.3: cannot open shared object file: No such file or directory": Unreachable,
		"550 No such file or directory: disk not mounted":                               Unreachable,
		"550 Path not found: volume offline":                                            Unreachable,
		"550 No such file or directory; server overloaded":                              Unreachable,
		"550 Internal error: backend: no such file":                                     Unreachable,
		"550 robots.txt: No such file or directory (operation not permitted)":           Unreachable,
		"551 /robots.txt: No such file or directory":                                    Unreachable,
		"553 No such file or directory":                                                 Unreachable,
		"450 File not found":                                                            Unreachable,
		"451 No such file or directory":                                                 Unreachable,
		"421 No such file or directory":                                                 Unreachable,
		"226 No such file or directory":                                                 Unreachable, // without a transfer
		"250 ok":                                                                        Unreachable,
	} {
		o := ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": reply + "\r\n"}), "pub\r\n")
		r := get(t, &Fetcher{Timeout: 5 * time.Second}, o)
		if got := r.Outcome(nil); got != want || (r.Err == nil) != (want == Unavailable) {
			t.Errorf("%q: %s, %d, %v, want %s", reply, got, r.Status, r.Err, want)
		}
	}
}

// G-1, R-15: some servers send the same text for a missing file and for one that they
// cannot open. Then the file is missing only if the server lists others, but not it.
func TestFTPListShowsThatFileIsMissing(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	const begin, end = "150 here it comes\r\n", "226 done\r\n"
	for _, words := range []string{"Failed to open file.", "Couldn't open the file", "Couldn't open the file or directory", "File unavailable."} {
		for _, c := range []struct {
			name, nlst, list string
			want             Outcome
		}{
			{"others are listed", begin + end, "pub\r\nREADME\r\n", Unavailable},
			{"with their folder", begin + end, "/pub\r\n/README\r\n", Unavailable},
			{"it is listed", begin + end, "pub\r\nrobots.txt\r\n", Unreachable},
			{"with its folder", begin + end, "/pub\r\n/robots.txt\r\n", Unreachable},
			{"in other letters", begin + end, "pub\r\nRobots.TXT\r\n", Unreachable},
			{"with a slash of Windows", begin + end, "\\pub\r\n\\robots.txt\r\n", Unreachable},
			{"nothing is listed", begin + end, "", Unreachable},
			{"only folders themselves are listed", begin + end, "/.\r\n/..\r\n\r\n", Unreachable},
			{"the list breaks off", begin + "426 broken\r\n", "pub\r\n", Unreachable},
			{"its end is missing", begin, "pub\r\n", Unreachable},
			{"lists are forbidden", "550 Permission denied.\r\n", "pub\r\n", Unreachable},
			{"no such command", "500 what?\r\n", "pub\r\n", Unreachable},
			{"hung up", "", "pub\r\n", Unreachable},
			{"the list is too long", begin + end, strings.Repeat("pub/", 1<<20) + "\r\n", Unreachable},
			{"too many are listed", begin + end, strings.Repeat("pub\r\n", 1<<20), Unreachable},
		} {
			o := ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "550 " + words + "\r\n", "NLST": c.nlst}), c.list)
			f := &Fetcher{Timeout: 20 * time.Second}
			if c.nlst == begin {
				f.Timeout = 300 * time.Millisecond
			}
			r := get(t, f, o)
			if got := r.Outcome(nil); got != c.want {
				t.Errorf("%s, %s: %s, %d, %v", words, c.name, got, r.Status, r.Err)
			}
		}
	}
}

// G-7, R-15: no failure of the server allows anything. Data connections never use the
// address that the server names.
func TestFTPFailures(t *testing.T) {
	t.Parallel()
	r := get(t, &Fetcher{Timeout: 5 * time.Second}, ftpServer(t, ftpHello, ftpReplies(nil), someRules))
	if r.Outcome(nil) != Rules || string(r.Body) != someRules {
		t.Errorf("a good server: %s, %q, %v", r.Outcome(nil), r.Body, r.Err)
	}
	for name, o := range map[string]origin.Origin{
		"greeting 421":    ftpServer(t, "421 too many\r\n", ftpReplies(nil), someRules),
		"no greeting":     serveRaw(t, ""),
		"garbage":         serveRaw(t, "HTTP/1.1 400 Bad Request\r\n\r\n"),
		"endless line":    ftpServer(t, strings.Repeat("2", 10<<20), ftpReplies(nil), someRules),
		"endless lines":   ftpServer(t, strings.Repeat("220-hello\r\n", 1<<20), ftpReplies(nil), someRules),
		"login refused":   ftpServer(t, ftpHello, ftpReplies(map[string]string{"PASS": "530 no\r\n"}), someRules),
		"file 450":        ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "450 busy\r\n"}), someRules),
		"file 551":        ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "551 what\r\n"}), someRules),
		"hung up":         ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": ""}), someRules),
		"transfer broken": ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "150 here it comes\r\n426 broken\r\n"}), someRules),
		"bad port":        ftpServer(t, ftpHello, ftpReplies(map[string]string{"PASV": "227 (a,b)\r\n"}), someRules),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := parse(t, strings.Replace(o.String(), "http:", "ftp:", 1))
			r := get(t, &Fetcher{Timeout: 3 * time.Second}, o)
			if got := outcomes(r); got != allUnreachable {
				t.Errorf("%s, %d, %v", got, r.Status, r.Err)
			}
		})
	}
	slow := ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "150 here it comes\r\n"}), someRules) // without 226
	start := time.Now()
	if r := get(t, &Fetcher{Timeout: 300 * time.Millisecond}, slow); r.Outcome(nil) != Unreachable || time.Since(start) > 3*time.Second {
		t.Errorf("a slow server: %s after %s", r.Outcome(nil), time.Since(start))
	}
	missing := get(t, &Fetcher{}, ftpServer(t, ftpHello, ftpReplies(map[string]string{"RETR": "550 no such file\r\n"}), ""))
	if missing.Outcome(nil) != Unavailable || missing.Status != 550 {
		t.Errorf("550: %s, %d, %v", missing.Outcome(nil), missing.Status, missing.Err)
	}
	guarded, err := (&Fetcher{}).Fetch(context.Background(), slow, Validators{})
	if err != nil || !errors.Is(guarded.Err, AddressRefused) {
		t.Errorf("a private address: %v, %v", guarded.Err, err)
	}
}

// G-1, G-7: replies that an FTP server sends before the command are a failure, so an early
// 550 does not count as the reply to RETR.
func TestFTPEarlyReplies(t *testing.T) {
	const missing, passive = "550 /robots.txt: No such file or directory\r\n", "227 Entering Passive Mode (10,9,8,7,%d,%d)\r\n"
	for name, o := range map[string]origin.Origin{
		"after the greeting": ftpServer(t, ftpHello+missing, ftpReplies(nil), someRules),
		"after PASS":         ftpServer(t, ftpHello, ftpReplies(map[string]string{"PASS": "230 in\r\n" + missing}), someRules),
		"after TYPE":         ftpServer(t, ftpHello, ftpReplies(map[string]string{"TYPE": "200 ok\r\n" + missing}), someRules),
		"after PASV":         ftpServer(t, ftpHello, ftpReplies(map[string]string{"PASV": passive + missing}), someRules),
		"a whole transfer": ftpServer(t, ftpHello, ftpReplies(map[string]string{
			"PASV": passive + "150 here it comes\r\n226 done\r\n"}), ""),
	} {
		if r := get(t, &Fetcher{Timeout: 5 * time.Second}, o); outcomes(r) != allUnreachable {
			t.Errorf("%s: %s, %d, %v", name, outcomes(r), r.Status, r.Err)
		}
	}
}
