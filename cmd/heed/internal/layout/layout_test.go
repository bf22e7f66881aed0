package layout

import "testing"

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"one two three", 80, 0, "one two three"},
		{"one two three", 8, 0, "one two\nthree"},
		{"one two three", 9, 2, "one two\n  three"},
		{"https://www.example.com/ is long", 10, 0, "https://www.example.com/\nis long"},
		{"a\nb", 10, 2, "a\n  b"},
		{"漢字 漢字", 8, 0, "漢字\n漢字"},
		{"\x1b[1mone\x1b[0m two", 7, 0, "\x1b[1mone\x1b[0m two"},
		{"", 10, 0, ""},
		{"two  spaces ", 80, 0, "two  spaces"},
		{"two  spaces", 11, 0, "two  spaces"},
		{"two  spaces", 10, 0, "two\nspaces"},
	} {
		if got := Wrap(test.text, test.width, test.indent); got != test.want {
			t.Errorf("Wrap(%q, %d, %d) = %q, want %q", test.text, test.width, test.indent, got, test.want)
		}
	}
}

// WrapShort cuts the middle of long words only.
func TestWrapShort(t *testing.T) {
	if got, want := WrapShort("see https://www.example.com/ for more", 14, 2, 12), "see\n  https:….com/\n  for more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMiddle(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"/cart", 5, "/cart"},
		{"/products/shoes/1.html", 11, "/prod….html"},
		{"abcdef", 4, "ab…f"},
		{"漢字漢字漢字", 7, "漢…漢字"},
		{"abc", 1, "…"},
	} {
		got := Middle(test.text, test.width)
		if got != test.want || Width(got) > test.width {
			t.Errorf("Middle(%q, %d) = %q of %d cells, want %q", test.text, test.width, got, Width(got), test.want)
		}
	}
}
