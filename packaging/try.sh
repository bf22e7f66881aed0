#!/usr/bin/env bash
# Installs the packages of a release in empty systems, uses them, upgrades them and removes them. As root, with debootstrap
# and a mirror of Debian:
#
#   packaging/try.sh OLD NEW     two folders that "make release-dry" made, of two versions
#
# The service is not started by systemd, which needs a machine of its own: this runs the command of heed.service as its user.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
old=$(cd "$1" && pwd) new=$(cd "$2" && pwd)
cd "$here/.."
work=$(mktemp -d)
served= site=
trap 'kill $served $site 2>/dev/null || true; umount -q "$work"/*/proc || true; rm -rf "$work"' EXIT

fail() {
  echo "try.sh: $*" >&2
  exit 1
}

step() { echo "== $*"; }

# system makes an empty system in the folder $root.
system() { # system NAME PACKAGE…
  root=$work/$1
  shift
  if [ ! -d "$work/base" ]; then
    debootstrap --variant=minbase bookworm "$work/base" >"$work/log" || { cat "$work/log"; exit 1; }
  fi
  cp -a "$work/base" "$root"
  cp /etc/resolv.conf "$root/etc/"
  [ ! -f /etc/apt/apt.conf ] || cp /etc/apt/apt.conf "$root/etc/apt/"
  mount -t proc proc "$root/proc"
  inside apt-get -qq update
  inside apt-get -qq install -y "$@" >/dev/null 2>&1
}

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }

# files lists all files but those of the package managers, to find what a package leaves behind.
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/lib/rpm -o -path ./root/.rpmdb -o -path ./var/lib/apt -o -path ./var/log \
    -o -path ./var/cache/apt -o -path ./tmp -o -path ./dev \) -prune -o -print) | grep -vE '^\./etc/(passwd|group|shadow|gshadow|subuid|subgid)-$|^\./var/cache/(ldconfig|debconf)' | sort
  cut -d: -f1 "$root/etc/passwd" "$root/etc/group" | sort
}

# serve runs the command of heed.service as its user. systemd would make the folder of the cache.
serve() {
  local command
  command=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/heed.service")
  install -d -m 755 -o "$(inside id -u heed)" -g "$(inside id -g heed)" "$root/var/cache/heed"
  # shellcheck disable=SC2086 # the command has several words
  chroot --userspec=heed:heed "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin $command --listen 127.0.0.1:18309 --allow-private &
  served=$!
  answers http://127.0.0.1:18309/healthz
}

answers() { # answers URL: waits until a server does
  for _ in $(seq 100); do
    if curl -sf "$1" >/dev/null; then return; fi
    sleep 0.1
  done
  fail "$1 does not answer"
}

stop() {
  kill "$served"
  wait "$served" || true
  served=
}

# check asks about a site on this machine. The answer is in the cache afterwards.
check() {
  curl -sf "http://127.0.0.1:18309/v1/check?agent=ExampleBot&url=http://127.0.0.1:18310/cart" | grep -q '"allowed": *false' || fail "the answer is not: disallowed"
}

site() {
  mkdir -p "$work/site"
  printf 'User-agent: *\nDisallow: /cart\n' >"$work/site/robots.txt"
  python3 -m http.server --bind 127.0.0.1 --directory "$work/site" 18310 >/dev/null 2>&1 &
  site=$!
  answers http://127.0.0.1:18310/robots.txt
}

stop_site() {
  kill "$site"
  site=
}

# life is what all packages do: install, use, upgrade, use the same cache, remove.
life() { # life INSTALL REMOVE OLD-FILE NEW-FILE, with commands that run inside
  cp "$3" "$4" "$root/tmp/"
  files >"$work/before"
  inside sh -c "$1 /tmp/$(basename "$3")"
  inside heed version
  for file in usr/share/man/man1/heed.1 usr/share/bash-completion/completions/heed usr/share/fish/vendor_completions.d/heed.fish \
    usr/share/doc/heed/README.md usr/share/doc/heed/docs/serve.md usr/share/doc/heed/THIRD_PARTY_LICENCES.txt; do
    [ -s "$root/$file" ] || fail "$file is missing"
  done
  site
  serve && check && stop
  stop_site # from now on only the cache can answer
  inside sh -c "$1 /tmp/$(basename "$4")"
  inside heed version
  serve && check && stop
  inside sh -c "$2"
  files >"$work/after"
  diff "$work/before" "$work/after" || fail "the removal leaves files or users"
}

one() { # one FOLDER PATTERN: the only file
  local found=("$1"/$2)
  [ "${#found[@]}" = 1 ] && [ -f "${found[0]}" ] || fail "expected one file $1/$2, found: ${found[*]}"
  echo "${found[0]}"
}

step "deb, in Debian without anything else"
system deb ca-certificates
life 'apt-get -qq install -y' 'apt-get -qq purge -y heed' "$(one "$old" '*amd64.deb')" "$(one "$new" '*amd64.deb')"

step "deb, beside a user heed that is a person, and with a systemd that fails"
inside useradd --create-home heed
mkdir -p "$root/run/systemd/system"
printf '#!/bin/sh\nexit 1\n' >"$root/usr/bin/systemctl"
chmod 755 "$root/usr/bin/systemctl"
inside apt-get -qq install -y "/tmp/$(basename "$(one "$new" '*amd64.deb')")"
inside apt-get -qq purge -y heed
inside id heed || fail "the user is gone"

step "rpm, by rpm in a system of Debian"
system rpm ca-certificates rpm
life 'rpm -U --nodeps' 'rpm -e --nodeps heed' "$(one "$old" '*x86_64.rpm')" "$(one "$new" '*x86_64.rpm')"

step "archive, in Debian without anything else"
system archive ca-certificates
tar -xzf "$(one "$new" '*linux_amd64.tar.gz')" -C "$root/tmp" --strip-components=1
inside /tmp/heed version
for link in $(grep -oE '\]\([^):#]+' "$root/tmp/README.md" | cut -c3- | sort -u); do
  [ -e "$root/tmp/$link" ] || fail "README.md of the archive links to $link, which is not in it"
done

if command -v buildah >/dev/null; then
  step "image, by buildah"
  export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
  image=docker.io/library/golang:1.26
  made=
  if ! buildah pull -q "$image" >/dev/null 2>&1; then
    made=$image
    echo "   $image cannot be had: an image of this Go and Debian is in its place"
    system golang ca-certificates git
    umount "$root/proc"
    cp -a "$(go env GOROOT)" "$root/usr/local/go"
    container=$(buildah from scratch)
    buildah copy -q "$container" "$root" / >/dev/null
    buildah config --env PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin "$container"
    buildah commit -q --rm "$container" "$image" >/dev/null
  fi
  buildah build -q -t heed-try --volume "$(go env GOMODCACHE):/root/go/pkg/mod" --volume "$(go env GOCACHE):/root/.cache/go-build" \
    -f packaging/Containerfile . >/dev/null
  container=$(buildah from heed-try)
  (cd "$(buildah mount "$container")" && find . -type f | sort)
  [ "$(buildah inspect --format '{{.OCIv1.Config.User}}' heed-try)" = 65532:65532 ] || fail "the image runs as root"
  buildah run "$container" -- /usr/bin/heed version
  site
  buildah run "$container" -- /usr/bin/heed check --allow-private --store /var/cache/heed -a ExampleBot http://127.0.0.1:18310/cart >"$work/out" 2>&1 || true
  grep disallowed "$work/out" || fail "the image does not answer"
  stop_site
  buildah rm "$container" >/dev/null
  buildah rmi heed-try $made >/dev/null
fi
echo "all was installed, used, upgraded and removed"
