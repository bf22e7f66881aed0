package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// A Key is an Ed25519 key that signs requests (SG-2). Package fmt prints its ID, never the private key. The zero Key must
// not be used.
type Key struct {
	// After the time Expires, the key does not sign, and no Directory serves it. If Expires is zero, the key never
	// expires. The key file does not contain this time.
	Expires time.Time

	// private is a function, because package fmt may print the fields of a Key, but prints only the address of a function.
	private func() ed25519.PrivateKey
	id      string
}

func (k *Key) hasExpired(now time.Time) bool { return !k.Expires.IsZero() && !now.Before(k.Expires) }

// NewKey makes a key.
func NewKey() (*Key, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return keyOf(private), nil
}

func keyOf(private ed25519.PrivateKey) *Key {
	k := &Key{private: func() ed25519.PrivateKey { return private }}
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + k.x() + `"}`)) // the thumbprint of the key: RFC 7638, 3, and RFC 8037, A.3
	k.id = base64.RawURLEncoding.EncodeToString(sum[:])
	return k
}

// x returns the public key in the form of the member "x" of a JWK.
func (k *Key) x() string {
	return base64.RawURLEncoding.EncodeToString(k.private().Public().(ed25519.PublicKey))
}

// ID returns the keyid of signatures: the thumbprint of the key (RFC 7638), as 43 characters.
func (k *Key) ID() string { return k.id }

// String returns the ID.
func (k Key) String() string { return k.id }

// GoString returns the ID too, so that no format prints the private key.
func (k Key) GoString() string { return k.id }

// Format prints the ID for every verb.
func (k Key) Format(f fmt.State, _ rune) { f.Write([]byte(k.id)) }

// MarshalText returns the ID.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.id), nil }

// testKeys are the IDs of keys in RFCs. Everybody knows their private keys.
var testKeys = map[string]string{
	"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U": "RFC 9421, appendix B.1.4",
	"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k": "RFC 8037, appendix A",
}

const pemType = "PRIVATE KEY"

// ReadKey reads a key from a file (PKCS 8, as PEM), as "heed identity new" and "openssl genpkey -algorithm ed25519" make
// it. It refuses a file that other users may read, and test keys of RFCs (SG-6). No error contains a part of the key.
func ReadKey(file string) (*Key, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // opening a pipe to which nobody writes would never return
		return nil, fmt.Errorf("%s is not a regular file: expected a file with a private key", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s: other users can read this private key (mode %04o): run chmod 600 on the file, or better make a new key", file, info.Mode().Perm())
	}
	if info.Size() > maxKeyFile {
		return nil, fmt.Errorf("%s has %d bytes: expected a file with a private key, which has at most %d", file, info.Size(), maxKeyFile)
	}
	text := make([]byte, info.Size())
	n, err := f.ReadAt(text, 0)
	if n < len(text) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	k, err := parseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

const maxKeyFile = 16 << 10

var errNoKey = errors.New("expected an Ed25519 private key in PKCS 8, as PEM: -----BEGIN PRIVATE KEY-----")

// parseKey reads a key. The errors of the parsers are not returned, because such an error may contain a part of the key.
func parseKey(text []byte) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemType {
		return nil, errNoKey
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, errNoKey
	}
	k := keyOf(private)
	if where, known := testKeys[k.id]; known {
		return nil, fmt.Errorf("this private key is published in %s, so everybody knows it: make a new key", where)
	}
	return k, nil
}

// WriteKey writes a key into a new file that only its owner may read (mode 0600). An existing file is an error.
func WriteKey(file string, k *Key) error {
	der, err := x509.MarshalPKCS8PrivateKey(k.private())
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: the file exists already, and heed never overwrites a key: give another name", file)
	} else if err != nil {
		return err
	}
	err = errors.Join(pem.Encode(f, &pem.Block{Type: pemType, Bytes: der}), f.Sync(), f.Close())
	if err != nil {
		os.Remove(file)
	}
	return err
}
