#!/bin/sh
# Draws the output of heed on terminals of 40, 80 and 160 columns, with and without colour,
# light and dark: tmux.sh FOLDER [WIDTH…]. It writes SVG files into FOLDER, and PNG files too
# if rsvg-convert is installed. Run it in the root of the repository. It needs tmux.
set -eu
out=${1:?a folder is missing}
shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'tmux -L heed-screens kill-server 2>/dev/null || :; rm -rf "$work"' EXIT
go build -o "$work/heed" ./cmd/heed
go build -o "$work/svg" ./internal/screenshot/svg

# show NAME COMMAND runs the command in a new terminal and draws it.
show() {
	for width in $widths; do
		for colour in always never; do
			tmux -L heed-screens -f /dev/null new-session -d -x "$width" -y 120 \
				"stty -echo; PATH=$work:\$PATH; export PATH XDG_CACHE_HOME=$work/cache; ${2} --color $colour; sleep 100"
			sleep 1.5
			tmux -L heed-screens capture-pane -e -p >"$work/text"
			tmux -L heed-screens kill-server
			for theme in light dark; do
				[ "$colour" = always ] || [ $theme = light ] || continue
				file=$out/$1-$width-$theme-$colour
				"$work/svg" "$theme" "$width" <"$work/text" >"$file.svg"
				if command -v rsvg-convert >/dev/null; then rsvg-convert "$file.svg" -o "$file.png"; fi
			done
		done
	done
}

widths=${*:-40 80 160}
shop="--robots examples/shop.robots.txt"
long=https://shop.example/products/shoes/red/sandals-for-the-beach/reviews/page-of-many.html?from=mail\&campaign=summer-of-this-year
show help "heed"
show help-check "heed check --help"
show explain "heed explain -a Googlebot $shop 'https://shop.example/cart/help?from=mail'"
show explain-star "heed explain -a ExampleBot $shop '/list/shoes.pdf?sort=price'"
show explain-long "heed explain -a Googlebot $shop '$long'"
show explain-unreachable "heed explain -a ExampleBot --offline https://never.example/x"
show check "heed check -a ExampleBot,Googlebot $shop /cart /cart/help / '$long'"
show check-unreachable "heed check -a ExampleBot --offline https://never.example/x"
show fetch "heed fetch http://localhost:2/"
show parse "heed parse examples/shop.robots.txt"
show test "heed test examples/shop.cases"
show lint "heed lint examples/shop.robots.txt examples/lint.robots.txt"
show error-flag "heed check --timout 5 /"
show error-url "heed check -a x $shop mailto:x@y"
