#!/bin/sh
# Before a removal, and not before an upgrade, for which deb gives "upgrade" and rpm a number above 0.
set -e

case "$1" in
upgrade | deconfigure | failed-upgrade | [1-9]) exit 0 ;;
esac
if [ -d /run/systemd/system ]; then
  systemctl disable --now heed.service heed.socket || true
elif [ -d /run/openrc ]; then
  rc-service --ifstarted heed stop || true
  rc-update --all delete heed || true
fi
