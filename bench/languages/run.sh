#!/bin/sh
# Builds a library of Heed in the folder $2, and runs the program that measures it beside the library that is most
# used in that language: run.sh JavaScript|Python|C FOLDER ROBOTS URLS AGENT
set -e
language=$1 folder=$2
shift 2
case $language in
JavaScript)
	go run ./packages/js/pack "$folder/js" >&2
	exec node bench/languages/js.mjs "$@" "$folder/js"
	;;
Python)
	PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --no-index --target "$folder/python" ./packages/python >&2
	PYTHONPATH=$folder/python exec python3 bench/languages/python.py "$@"
	;;
C)
	packages/c/install.sh "$folder/c" >&2
	cc -O2 bench/languages/c.c -I "$folder/c/include" -Wl,-rpath,"$folder/c/lib" -ldl -o "$folder/bench"
	exec "$folder/bench" "$@"
	;;
esac
