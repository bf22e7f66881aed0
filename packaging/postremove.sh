#!/bin/sh
# After a removal: deletes the user and the store. A deb keeps both until it is purged. They stay in an upgrade, for which
# deb gives "upgrade" and rpm a number above 0.
set -e

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
case "$1" in
upgrade | remove | deconfigure | failed-upgrade | abort-* | disappear | [1-9]) exit 0 ;;
esac
rm -rf /var/cache/heed
if id heed >/dev/null 2>&1; then
  if command -v userdel >/dev/null; then
    userdel heed
  else
    deluser heed
  fi
fi
