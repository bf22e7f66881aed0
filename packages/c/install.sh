#!/bin/sh
# Builds the C library and installs it: packages/c/install.sh PREFIX
# It needs Go and a compiler for C. On Linux the folder can be moved later.
set -eu
umask 022 # others may read what is installed
unset CDPATH

case ${1-} in
"" | -*) set -- ;; # no folder
/*) prefix=$1 ;;
*) prefix=$(pwd)/$1 ;;
esac
if [ $# != 1 ]; then
	echo "usage: $0 PREFIX" >&2
	exit 2
fi
if ! command -v go >/dev/null; then
	echo "$0: go is not in PATH; it is needed to build the library (https://go.dev/dl)" >&2
	exit 1
fi
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only the functions of heed.h can be seen from outside: those of the runtime of Go have common names.
case $(go env GOOS) in
darwin)
	shared=libheed.0.dylib link=libheed.dylib
	echo '_heed_*' >"$work/symbols"
	flags="\"-Wl,-install_name,$prefix/lib/$shared\" \"-Wl,-exported_symbols_list,$work/symbols\""
	;;
*)
	shared=libheed.so.0 link=libheed.so
	echo '{ global: heed_*; local: *; };' >"$work/symbols"
	flags="-Wl,-soname,$shared \"-Wl,--version-script=$work/symbols\""
	;;
esac
CGO_ENABLED=1 go build -buildmode=c-shared -trimpath -ldflags="-s -w '-extldflags=$flags'" -o "$work/$shared" .
CGO_ENABLED=1 go build -buildmode=c-archive -trimpath -ldflags='-s -w' -o "$work/libheed.a" .

# The version that heed_version returns, such as v0.3.0; 0 if there is none.
version=$(go version -m "$work/$shared" | awk '$1 == "mod" && $3 ~ /^v/ { print substr($3, 2) }')

licences=$prefix/share/licenses/heed
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$licences"
install -m 644 heed.h "$prefix/include/heed.h"
install -m 755 "$work/$shared" "$prefix/lib/$shared"
ln -sf "$shared" "$prefix/lib/$link"
install -m 644 "$work/libheed.a" "$prefix/lib/libheed.a"
install -m 644 ../../LICENSE "$licences/LICENSE"
install -m 644 ../../NOTICE "$licences/NOTICE"
install -m 644 "$(go env GOROOT)/LICENSE" "$licences/LICENSE.go"
cat >"$prefix/lib/pkgconfig/heed.pc" <<END
prefix=\${pcfiledir}/../..
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: heed
Description: robots.txt files, decided as RFC 9309 says
URL: https://github.com/heed-robots/heed
Version: ${version:-0}
Cflags: -I\${includedir}
Libs: -L\${libdir} -lheed
Libs.private: -lpthread
END
