#!/bin/sh
# After a removal: deletes the store, and the user if the package made it. A deb keeps both until it is purged. They stay in
# an upgrade, for which deb gives "upgrade" and rpm a number above 0.
set -e

home=/var/cache/heed
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
case "$1" in
upgrade | remove | deconfigure | failed-upgrade | abort-* | disappear | [1-9]) exit 0 ;;
esac
rm -rf "$home" || true # it may be a mount
if [ "$(getent passwd heed | cut -d: -f6)" = "$home" ]; then
  if command -v userdel >/dev/null; then
    userdel heed || true # a process of the user may still run
  else
    deluser heed || true
  fi
fi
