#!/bin/sh
# Ask heed serve from a shell script; only curl is needed. See docs/serve.md.
#
# Each function prints JSON. If the daemon does not answer, it fails: that is no permission.

heed=http://${1:-127.0.0.1:8309}

ask() { curl -sS --fail-with-body "$@"; } # with a token: -H "Authorization: Bearer $token"

# check URL AGENT prints the verdict for a URL.
check() { ask -G --data-urlencode "url=$1" --data-urlencode "agent=$2" "$heed/v1/check"; }

# check_many prints the verdicts for the questions on standard input, one JSON object a line.
check_many() { ask -NT . -X POST "$heed/v1/check"; }

# turn URL AGENT prints the verdict, and for how many seconds to wait until the crawl delay of the
# site allows it ("wait_seconds").
turn() { ask --json "{\"url\": \"$1\", \"agent\": \"$2\"}" "$heed/v1/turn"; }

# is_allowed reads a verdict.
is_allowed() { grep -q '"allowed":true'; }

if [ $# = 2 ]; then # heed.sh ADDRESS SITE
  check "$2/cart" ExampleBot | is_allowed && echo check true || echo check false
  i=0
  while [ $i -lt 2000 ]; do
    echo "{\"url\": \"$2/$i\", \"agent\": \"ExampleBot\"}"
    i=$((i + 1))
  done | check_many | grep -c '"allowed":true' | sed 's/^/stream /'
  turn "$2/" ExampleBot | is_allowed && echo turn true || echo turn false
fi
