package ascii

// Unescape returns the byte of the percent escape at the start of s, such as "%2F".
func Unescape(s string) (v byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	return Hex(s[1:])
}

func Hex(s string) (v byte, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	hi, lo := hexValues[s[0]], hexValues[s[1]]
	return hi<<4 | lo, hi|lo < noHex
}

var hexValues = newHexValues()

const noHex = 16

func newHexValues() (values [256]uint8) {
	for c := range values {
		values[c] = noHex
	}
	for i := range uint8(16) {
		values["0123456789abcdef"[i]] = i
		values["0123456789ABCDEF"[i]] = i
	}
	return values
}
