#!/usr/bin/env bash
# Makes all files of a release in dist, of the last commit, and publishes nothing.
# Its argument is the module of goreleaser, with the version.
set -euo pipefail
cd "$(dirname "$0")/.."

skip=publish
if ! command -v syft >/dev/null; then
  echo "syft is not installed: the SBOMs are skipped"
  skip+=,sbom
fi
if [ -z "$(git remote)" ]; then # goreleaser takes the commit's date only where there is one
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://github.com/heed-robots/heed
fi
go run "$1" release --snapshot --clean --skip="$skip"
