#!/usr/bin/env bash
# Builds all files of a release from the last commit into dist, and publishes nothing.
# The argument is the module of goreleaser with its version.
set -euo pipefail
cd "$(dirname "$0")/.."

skip=publish
if ! command -v syft >/dev/null; then
  echo "syft is not installed: the SBOMs are skipped"
  skip+=,sbom
fi
if [ -z "$(git remote)" ]; then # goreleaser uses the date of the commit only if there is a remote
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://github.com/heed-robots/heed
fi
go run "$1" release --snapshot --clean --skip="$skip"
