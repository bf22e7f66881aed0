package signature

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"os"
	"strings"
)

// Leaked returns the form in which a text contains the private key of a file, such as "base64", or "" (SG-6).
func Leaked(file, text string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	block, _ := pem.Decode(data)
	if block == nil || len(block.Bytes) < 32 {
		return file + " has no key"
	}
	seed := block.Bytes[len(block.Bytes)-32:] // the last 32 bytes are the key (RFC 8410, section 7)
	begin := strings.Trim(fmt.Sprint(seed[:8]), "[]")
	for name, shown := range map[string]string{
		"bytes":          string(seed),
		"hexadecimal":    hex.EncodeToString(seed),
		"HEXADECIMAL":    strings.ToUpper(hex.EncodeToString(seed)),
		"base64":         base64.RawStdEncoding.EncodeToString(seed),
		"base64url":      base64.RawURLEncoding.EncodeToString(seed),
		"PEM":            base64.StdEncoding.EncodeToString(block.Bytes),
		"numbers":        begin,
		"JSON's numbers": strings.ReplaceAll(begin, " ", ","),
	} {
		if strings.Contains(text, shown) {
			return name
		}
	}
	return ""
}
