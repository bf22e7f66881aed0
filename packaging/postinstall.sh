#!/bin/sh
# After an installation or an upgrade: the user of the service. Nothing is started; an upgrade starts again what runs.
# What systemd or OpenRC cannot do is no reason to undo the installation.
set -e

home=/var/cache/heed
if command -v useradd >/dev/null; then
  getent group heed >/dev/null || groupadd --system heed
  getent passwd heed >/dev/null || useradd --system --gid heed --home-dir "$home" --no-create-home --shell /usr/sbin/nologin heed
else # Alpine
  getent group heed >/dev/null || addgroup -S heed
  getent passwd heed >/dev/null || adduser -S -D -H -h "$home" -s /sbin/nologin -G heed heed
fi
if [ "$(getent passwd heed | cut -d: -f6)" != "$home" ]; then
  echo "heed: there was a user heed before: the service would run as this user, and a removal keeps it" >&2
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  systemctl try-restart heed.service || true
elif [ -d /run/openrc ]; then
  rc-service --ifstarted heed restart || true
fi
