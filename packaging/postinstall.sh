#!/bin/sh
# After an installation or an upgrade: the user of the service. Nothing is started; an upgrade starts again what runs.
set -e

if ! id heed >/dev/null 2>&1; then
  if command -v useradd >/dev/null; then
    useradd --system --user-group --home-dir /var/cache/heed --no-create-home --shell /usr/sbin/nologin heed
  else # Alpine
    addgroup -S heed
    adduser -S -D -H -h /var/cache/heed -s /sbin/nologin -G heed heed
  fi
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart heed.service
fi
