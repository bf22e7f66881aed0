package faces

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
)

// A source is a way to give a robots.txt.
type source struct {
	name string
	kind kind
	make func(w *world, to string) error // nil: nothing is made
}

// A kind is what a source is to faces.
type kind int

const (
	given    kind = iota // in the question
	oneFile              // a file for all questions
	captures             // of many sites, in files
	stored               // in a store
	live                 // sites that answer
)

// sources are all sources. One more is one more row.
var sources = []source{
	{"text", given, linesOf("robots")},
	{"base64", given, linesOf("robots_b64")},
	{"file", oneFile, nil},
	{"folder", captures, writeFolder},
	{"import", stored, importFolder},
	{"store", stored, importLines},
	{"WARC", captures, writeWARC},
	{"archive", captures, compile},
	{"CSV", captures, writeCSV},
	{"Parquet", captures, writeParquet},
	{"live", live, nil},
}

// linesOf returns what writes JSON lines with each robots.txt in a member.
func linesOf(member string) func(*world, string) error {
	return func(w *world, to string) error {
		var out bytes.Buffer
		for _, site := range w.sites() {
			status, body := w.answerOf(site)
			object := map[string]any{"origin": site, "status": status}
			switch {
			case status == 0, member == "robots" && !isText(body):
				continue
			case status == 200 && member == "robots":
				object[member] = body
			case status == 200:
				object[member] = base64Of(body)
			}
			out.Write(append(jsonOf(object), '\n'))
		}
		return os.WriteFile(to, out.Bytes(), 0o600)
	}
}

func writeFolder(w *world, to string) error {
	for _, f := range w.files {
		name := filepath.Join(to, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.body), 0o600); err != nil {
			return err
		}
		changed := time.Now().Add(-time.Duration(f.age) * time.Hour)
		if err := os.Chtimes(name, changed, changed); err != nil {
			return err
		}
	}
	return nil
}

// importFolder imports the folder for each scheme.
func importFolder(w *world, to string) error {
	folder := to + ".files"
	if err := writeFolder(w, folder); err != nil {
		return err
	}
	for _, scheme := range []string{"https", "http", "ftp"} {
		if r := heed("", "cache", "import", "--store", to, "--scheme", scheme, folder); r.status != 0 {
			for line := range strings.Lines(r.stderr) {
				if !slices.ContainsFunc(importRefusals, func(text string) bool { return strings.Contains(line, text) }) {
					return fmt.Errorf("cache import: %s", line)
				}
			}
		}
	}
	return nil
}

func importLines(w *world, to string) error {
	if err := linesOf("robots_b64")(w, to+".jsonl"); err != nil {
		return err
	}
	if r := heed("", "cache", "import", "--store", to, to+".jsonl"); r.status != 0 {
		return fmt.Errorf("cache import: %s", r.stderr)
	}
	return nil
}

func writeWARC(w *world, to string) error {
	var out bytes.Buffer
	for _, site := range w.sites() {
		if status, body := w.answerOf(site); status != 0 {
			block := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\n\r\n%s", status, http.StatusText(status), body)
			fmt.Fprintf(&out, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s/robots.txt\r\nWARC-Date: 2024-05-01T12:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", site, len(block), block)
		}
	}
	return os.WriteFile(to, out.Bytes(), 0o600)
}

func compile(w *world, to string) error {
	if err := writeWARC(w, to+".warc"); err != nil {
		return err
	}
	if r := heed("", "compile", "-o", to, to+".warc"); r.status != 0 {
		return fmt.Errorf("compile: %s", r.stderr)
	}
	return nil
}

func writeCSV(w *world, to string) error {
	out := bytes.NewBufferString("origin,status,body\n")
	for _, site := range w.sites() {
		if status, body := w.answerOf(site); status != 0 {
			fmt.Fprintf(out, "%s,%d,\"%s\"\n", site, status, strings.ReplaceAll(string(body), `"`, `""`))
		}
	}
	return os.WriteFile(to, out.Bytes(), 0o600)
}

func writeParquet(w *world, to string) error {
	type row struct {
		Origin string `parquet:"origin"`
		Status int32  `parquet:"status"`
		Body   []byte `parquet:"body"`
	}
	var rows []row
	for _, site := range w.sites() {
		if status, body := w.answerOf(site); status != 0 {
			rows = append(rows, row{site, int32(status), []byte(body)})
		}
	}
	return parquet.WriteFile(to, rows)
}

// A result is what a run of the command did.
type result struct {
	stdout, stderr string
	status         int
}

// heed runs the command in this process.
func heed(stdin string, args ...string) (r result) {
	var out, errs bytes.Buffer
	r.status = cli.Run(args, strings.NewReader(stdin), &out, &errs)
	r.stdout, r.stderr = out.String(), errs.String()
	return r
}

func jsonOf(value any) []byte {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	if err := to.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// internet is the world whose sites answer; nil: none does. Retrievals come to it through a proxy.
var internet atomic.Pointer[world]

// addressVariable has the address of the proxy, in a process whose environment has the proxy.
const addressVariable = "HEED_FACES_PROXY"

// folderVariable has a folder for files of all tests.
const folderVariable = "HEED_FACES_FOLDER"

// TestMain starts a proxy that answers for all sites, and begins again with it in the environment, which
// Go may have read already.
func TestMain(m *testing.M) {
	if runtime.GOOS != "linux" { // others take certificates from elsewhere
		fmt.Println("the faces are asked on Linux only")
		return
	}
	address := os.Getenv(addressVariable)
	if address == "" {
		restart()
		return
	}
	certificate, root := certificateOf(hosts)
	must(os.WriteFile(os.Getenv("SSL_CERT_FILE"), root, 0o600))
	listener, err := net.Listen("tcp", address)
	must(err)
	go http.Serve(listener, sitesOfInternet(&tls.Config{Certificates: []tls.Certificate{certificate}}))
	status := m.Run()
	os.RemoveAll(os.Getenv(folderVariable))
	os.Exit(status)
}

func restart() {
	folder, err := os.MkdirTemp("", "faces")
	must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	address := listener.Addr().String()
	listener.Close()
	for name, value := range map[string]string{
		addressVariable: address, "HTTP_PROXY": "http://" + address, "HTTPS_PROXY": "http://" + address, "NO_PROXY": "127.0.0.1",
		"SSL_CERT_FILE": filepath.Join(folder, "roots.pem"), folderVariable: folder,
	} {
		os.Unsetenv(strings.ToLower(name))
		os.Setenv(name, value)
	}
	self, err := os.Executable()
	must(err)
	must(syscall.Exec(self, os.Args, os.Environ()))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// certificateOf returns a certificate for hosts, and itself as a root.
func certificateOf(hosts []string) (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// sitesOfInternet answers requests to a proxy.
func sitesOfInternet(config *tls.Config) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			answerAs("http://"+r.URL.Host, w)
			return
		}
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		io.WriteString(connection, "HTTP/1.1 200 OK\r\n\r\n")
		site := "https://" + r.Host
		server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answerAs(site, w) })}
		server.SetKeepAlivesEnabled(false)
		server.ErrorLog = log.New(io.Discard, "", 0) // a URL may be of a host that has no certificate
		server.Serve(&oneConnection{Conn: tls.Server(connection, config)})
	}
}

func answerAs(site string, to http.ResponseWriter) {
	status, body := 0, ""
	if w := internet.Load(); w != nil {
		status, body = w.answerOf(site)
	}
	to.Header().Set("Content-Type", "text/plain")
	to.WriteHeader(cmp.Or(status, http.StatusServiceUnavailable))
	io.WriteString(to, body)
}

// A oneConnection is a listener with one connection.
type oneConnection struct {
	net.Conn
	taken bool
}

func (c *oneConnection) Accept() (net.Conn, error) {
	if c.taken {
		return nil, io.EOF
	}
	c.taken = true
	return c.Conn, nil
}

func (c *oneConnection) Close() error   { return nil }
func (c *oneConnection) Addr() net.Addr { return c.Conn.LocalAddr() }
