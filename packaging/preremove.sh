#!/bin/sh
# Before a removal, and not before an upgrade, for which deb gives "upgrade" and rpm a number above 0.
set -e

case "$1" in
upgrade | deconfigure | failed-upgrade | [1-9]) exit 0 ;;
esac
if [ -d /run/systemd/system ]; then
  systemctl disable --now heed.service heed.socket
elif [ -d /run/openrc ]; then
  rc-service heed stop || true
  rc-update delete heed || true
fi
