#!/bin/sh
# Ask heed serve from a shell script; only curl is needed. See docs/serve.md.
#
# The daemon is that in HEED_URL, and the token that in HEED_TOKEN. Each function prints JSON.
# If the daemon does not answer, it fails: that is no permission. Standard error then has a line such as
# "heed.sh: status 429, Retry-After: 7". After status 429 or 503, wait for these seconds, and then ask again.

heed=${HEED_URL:-http://127.0.0.1:8309} heed=${heed%/}

# ask is curl with the token. Other users can see the arguments of a program, so the token is not in them.
ask() {
  curl -sS --fail-with-body --config /dev/fd/3 "$@" 3<<EOF
write-out = "%{onerror}%{stderr}heed.sh: status %{http_code}, Retry-After: %header{retry-after}\n"
${HEED_TOKEN:+oauth2-bearer = $HEED_TOKEN}
EOF
}

# check URL AGENT prints the verdict for a URL. It asks each time: docs/serve.md says how long a program may keep a verdict.
check() { ask -G --data-urlencode "url=$1" --data-urlencode "agent=$2" "$heed/v1/check"; }

# check_many prints the verdicts for the questions on standard input, one JSON object a line. If the connection ends before
# the last answer, it prints the error as the last line, because a pipe does not keep the status of curl.
check_many() {
  ask -N --no-progress-meter -X POST -T . "$heed/v1/check" || {
    set -- $?
    printf '\n{"error":"the connection ended before all questions were answered"}\n'
    return "$1"
  }
}

# is_complete reads the answers of check_many. It fails if the daemon ended before it had answered all questions.
is_complete() { tail -n 1 | { ! grep '^{"error":' >&2; }; }

# turn URL AGENT [SECONDS] prints the verdict. If the URL is allowed, it waits until the crawl delay of the site
# allows it. SECONDS says how much longer the turn is valid, because a shell is slow: 0.2, but more if the daemon is
# far away. If the turn is over after the wait, it asks for another one, which is valid longer.
turn() {
  set -- "$1" "$2" "${3:-0.2}"
  asked=$(date +%s.%N) # the answer may need long to arrive
  answer=$(ask --json "{\"url\": \"$1\", \"agent\": \"$2\", \"valid_seconds\": $3}" "$heed/v1/turn") || {
    set -- $?
    echo "$answer"
    return "$1"
  }
  wait=$(number wait_seconds) valid=$(number valid_seconds)
  sleep "${wait:-0}"
  # On some systems, date shows only whole seconds: then the time may be up to a second later.
  longer=$(awk -v now="$(date +%s.%N)" -v asked="$asked" -v wait="$wait" -v valid="$valid" -v longer="$3" 'BEGIN {
    late = now - asked - wait - valid + (now !~ /[.][0-9]/)
    if (valid != "" && late > 0) print (longer + late > 10 ? 10 : longer + late)
  }')
  if [ "$longer" ]; then
    turn "$1" "$2" "$longer"
  else
    echo "$answer"
  fi
}

# number NAME prints a number of the answer.
number() { echo "$answer" | sed -n "s/.*\"$1\":\([-+.0-9e]*\).*/\1/p"; }

# is_allowed reads a verdict.
is_allowed() { grep -q '"allowed":true'; }

if [ "${0##*/}" = heed.sh ]; then # sh heed.sh SITE
  case ${1:--} in
  -*)
    echo "usage: sh heed.sh SITE, such as https://www.example.com" >&2
    exit 1
    ;;
  esac
  set -e # without an answer, the script ends with the status of curl
  answer=$(check "$1/cart" ExampleBot)
  echo "$answer" | is_allowed && echo check true || echo check false
  answers=$(
    i=0
    while [ $i -lt 2000 ]; do
      echo "{\"url\": \"$1/$i\", \"agent\": \"ExampleBot\"}"
      i=$((i + 1))
    done | check_many
  )
  echo "$answers" | is_complete
  echo "stream $(echo "$answers" | grep -c '"allowed":true')"
  answer=$(turn "$1/" ExampleBot)
  echo "$answer" | is_allowed && echo turn true || echo turn false
fi
