package lint

import (
	"testing"
)

var encodingCases = []ruleCase{
	{"UTF-16", "\xff\xfeU\x00\n\x00", "encoding", []string{"0:0 [] the file is UTF-16, so crawlers that expect UTF-8 read no line of it"}},
	{"Latin-1 in a path", "User-agent: *\nDisallow: /caf\xe9\xe8 # \xe9\n", "encoding",
		[]string{`2:15 [] the byte 0xe9 is not UTF-8; in Latin-1 it is "é": crawlers read it as %E9, and "é" in UTF-8 is %C3%A9`}},
	{"Latin-1 at the ends of a path", "User-agent: *\nDisallow: \xe9\nAllow: /\xe9\n", "encoding",
		[]string{
			`2:11 [] the byte 0xe9 is not UTF-8; in Latin-1 it is "é": crawlers read it as %E9, and "é" in UTF-8 is %C3%A9`,
			`3:9 [] the byte 0xe9 is not UTF-8; in Latin-1 it is "é": crawlers read it as %E9, and "é" in UTF-8 is %C3%A9`,
		}},
	{"Latin-1 in a comment", "User-agent: *\nDisallow: /a # \xe9\nDisallow:\xa0\n", "encoding",
		[]string{
			`2:16 [] the byte 0xe9 is not UTF-8; in Latin-1 it is "é"`,
			"3:10 [] the byte 0xa0 is not UTF-8; in Latin-1 it is a no-break space",
		}},
	{"no-break spaces around a path", "User-agent: *\nDisallow:\xa0\xa0/a\xa0\xa0b\xa0\xa0\n", "encoding",
		[]string{"2:10 [] the byte 0xa0 is not UTF-8; in Latin-1 it is a no-break space"}},
	{"Windows-1252", "# \x80 \x93\x94\n", "encoding", []string{`1:3 [] the byte 0x80 is not UTF-8; in Windows-1252 it is "€"`}},
	{"the last that is only in Windows-1252", "# \x9f\n", "encoding", []string{`1:3 [] the byte 0x9f is not UTF-8; in Windows-1252 it is "Ÿ"`}},
	{"the first in Latin-1", "# a\xa0b\n", "encoding", []string{"1:4 [] the byte 0xa0 is not UTF-8; in Latin-1 it is a no-break space"}},
	{"in another record", "Host: \xe9\n", "encoding", []string{`1:7 [] the byte 0xe9 is not UTF-8; in Latin-1 it is "é"`}},
	{"the replacement character of UTF-8", "User-agent: *\nDisallow: /\ufffd\xe9\n", "encoding",
		[]string{`2:15 [] the byte 0xe9 is not UTF-8; in Latin-1 it is "é": crawlers read it as %E9, and "é" in UTF-8 is %C3%A9`}},
	{"control bytes", "User-agent: *\nDisallow: /a\x01b\x02\n\tDisallow: /c\x7f\n", "encoding",
		[]string{
			"2:13 [] the line has 2 control bytes, first 0x01",
			"3:14 [] the line has 1 control byte, first 0x7f",
		}},
	{"tabs", "User-agent:\t*\nDisallow:\t/a\tb\t\n", "encoding", nil},
	{"both", "User-agent: *\nDisallow: /a\x01\xe9\n", "encoding",
		[]string{
			"2:13 [] the line has 1 control byte, first 0x01",
			`2:14 [] the byte 0xe9 is not UTF-8; in Latin-1 it is "é": crawlers read it as %E9, and "é" in UTF-8 is %C3%A9`,
		}},
	{"invisible characters", "User\u00ad-agent: *\nDisallow: \u200b/a\nDisallow: /b\u2060\u200b # \u200b\n", "encoding",
		[]string{
			"1:5 [] the key has the invisible character U+00AD, which crawlers read as a part of it",
			"2:11 [] the value has the invisible character U+200B, which crawlers read as a part of it",
			"3:13 [] the value has the invisible character U+2060, which crawlers read as a part of it",
		}},

	{"a mark", "\ufeffUser-agent: *\nDisallow: /\n", "byte-order-mark",
		[]string{"1:1 [] the file begins with a byte-order mark; crawlers that do not skip it lose the first line"}},
	{"half a mark", "\xef\xbbUser-agent: *\nDisallow: /\n", "byte-order-mark",
		[]string{"1:1 [] the file begins with a byte-order mark; crawlers that do not skip it lose the first line"}},
	{"a wrong mark", "ï»¿User-agent: *\nDisallow: ï»¿/\n", "byte-order-mark",
		[]string{`1:1 [] the file begins with "ï»¿", a byte-order mark in a wrong encoding: every crawler takes it as a part of the first key`}},
	{"two files in one", "User-agent: *\n\ufeffUser-agent: a\nDisallow: /\ufeffa\ufeff\n", "byte-order-mark",
		[]string{
			"2:1 [] a byte-order mark within the file, which crawlers take as a part of the text",
			"3:12 [] a byte-order mark within the file, which crawlers take as a part of the text",
		}},
	{"in the middle of the first line", "# a \ufeff\n", "byte-order-mark",
		[]string{"1:5 [] a byte-order mark within the file, which crawlers take as a part of the text"}},
	{"a page with a mark", "\ufeff<html>\n", "byte-order-mark", nil}, // html-body
	{"UTF-16 with a mark", "\xff\xfe\xef\x00\xbb\x00\n\x00", "byte-order-mark", nil},
}

func TestEncodingRules(t *testing.T) { checkCases(t, encodingCases) }

func TestInvisible(t *testing.T) {
	const visible = " \t\n\"a\u009f\u00a1\u00ac\u00ae\u1fff\u2010\u2027\u2030\u205e\u2065\u2fff\u3001\ufeff"
	for _, r := range visible {
		if isInvisible(r) {
			t.Errorf("%U is invisible", r)
		}
	}
	for _, r := range "\u00a0\u00ad\u2000\u200f\u2028\u202f\u205f\u2064\u3000" {
		if !isInvisible(r) {
			t.Errorf("%U is visible", r)
		}
	}
}
