package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A reverseProxy is a program with a configuration in docs/serve.md.
type reverseProxy struct {
	program, language string
	config            func(snippet, folder, address string) string // what of the snippet is for one machine is replaced
	args              []string                                     // in its folder
}

var reverseProxies = []reverseProxy{
	{"nginx", "nginx", func(snippet, folder, address string) string {
		snippet = strings.NewReplacer("listen 443", "listen "+address, "/etc/ssl/", folder+"/").Replace(snippet)
		return "daemon off; master_process off; pid pid; error_log errors; events {}\nhttp { access_log off; client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;\n" + snippet + "}\n"
	}, []string{"-p", ".", "-e", "errors", "-c", "config"}},
	{"caddy", "caddyfile", func(snippet, folder, address string) string {
		_, port, _ := net.SplitHostPort(address)
		snippet = strings.Replace(snippet, "heed.example.com {", fmt.Sprintf("heed.example.com:%s {\n\tbind 127.0.0.1\n\ttls %s/heed.pem %[2]s/heed.key", port, folder), 1)
		return "{\n admin off\n auto_https disable_redirects\n}\n" + snippet
	}, []string{"run", "--adapter", "caddyfile", "--config", "config"}},
}

// start starts the proxy before a daemon, and returns its URL. With a token, it adds that to requests.
func (p *reverseProxy) start(t *testing.T, daemon, token string) string {
	t.Helper()
	folder := t.TempDir()
	writeCertificate(t, folder)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	snippet := strings.ReplaceAll(blockOf(t, "serve.md", p.language), "127.0.0.1:8309", strings.TrimPrefix(daemon, "http://"))
	if token != "" {
		snippet = strings.NewReplacer("# proxy_set_header Auth", "proxy_set_header Auth", "# header_up Auth", "header_up Auth", "TOKEN", token).Replace(snippet)
	}
	if err := os.WriteFile(filepath.Join(folder, "config"), []byte(p.config(snippet, folder, address)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c := exec.CommandContext(ctx, p.program, p.args...)
	var out bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = folder, &out, &out
	c.Env = append(os.Environ(), "HOME="+folder)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { stop(); <-ended })
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		to, err := net.Dial("tcp", address)
		if err == nil {
			to.Close()
			return "https://" + strings.Replace(address, "127.0.0.1", "heed.example.com", 1)
		}
		if time.Now().After(end) {
			stop()
			<-ended
			t.Fatalf("%s does not listen: %s", p.program, out.String())
		}
	}
}

// writeCertificate writes the certificate of httptest and its key to heed.pem and heed.key.
func writeCertificate(t *testing.T, folder string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	of := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(of.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"heed.pem": {Type: "CERTIFICATE", Bytes: of.Certificate[0]}, "heed.key": {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The configurations in docs/serve.md work in the real nginx and Caddy: TLS, tokens, streams that are answered while they are
// sent, and the events of watched sites.
func TestServeProxies(t *testing.T) {
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	site := newChangingSite(t, before)
	const token = "0123456789abcdef0123456789abcdef"
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon := startServe(t, "--token-file", tokens, "--trusted-proxy", "127.0.0.1", "--watch", site.URL).url
	for _, p := range reverseProxies {
		t.Run(p.program, func(t *testing.T) {
			if _, err := exec.LookPath(p.program); err != nil {
				t.Skipf("%s is not installed: its configuration in docs/serve.md is not tried", p.program)
			}
			base := p.start(t, daemon, "")
			check := "/v1/check?agent=ExampleBot&url=" + site.URL + "/cart"
			for header, want := range map[string]int{"": 401, "Bearer " + token: 200} {
				response := throughProxy(t, "GET", base+check, header, nil)
				if response.StatusCode != want {
					t.Errorf("with the token %q the status is %d, want %d", header, response.StatusCode, want)
				}
			}
			if response := throughProxy(t, "GET", p.start(t, daemon, token)+check, "", nil); response.StatusCode != 200 {
				t.Errorf("when the proxy adds the token, the status is %d", response.StatusCode)
			}
			events := throughProxy(t, "GET", base+"/v1/watch", "Bearer "+token, nil)
			if line, err := bufio.NewReader(events.Body).ReadString('\n'); err != nil || line != ": nothing new\n" {
				t.Errorf("the events begin with %q, %v", line, err)
			}
			questions, stream := io.Pipe()
			defer time.AfterFunc(10*time.Second, func() { stream.Close() }).Stop() // a proxy that waits for the end gets it
			asks := make(chan struct{}, 1)
			go func() { // the second question comes after the first answer
				defer stream.Close()
				for i := range 2 {
					fmt.Fprintf(stream, "{\"agent\": \"ExampleBot\", \"id\": %d, \"url\": \"%s/%[1]d\"}\n", i, site.URL)
					<-asks
				}
			}()
			answers := bufio.NewReader(throughProxy(t, "POST", base+"/v1/check", "Bearer "+token, questions).Body)
			for i := range 2 {
				line, err := answers.ReadString('\n')
				if want := fmt.Sprintf(`"id":%d`, i); err != nil || !strings.Contains(line, want) {
					t.Fatalf("the answer %d is %q, %v", i, line, err)
				}
				asks <- struct{}{}
			}
		})
	}
}

// throughProxy sends a request, over HTTP/2 if the proxy has that. It fails the test after ten seconds.
func throughProxy(t *testing.T, method, url, authorization string, body io.Reader) *http.Response {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, strings.Replace(address, "heed.example.com", "127.0.0.1", 1))
	}
	client := &http.Client{Transport: transport}
	t.Cleanup(client.CloseIdleConnections)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}
