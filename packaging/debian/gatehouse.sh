#!/bin/sh
# Runs gatehouse with the Node of this package. The server replaces this shell, so that systemd's sockets and messages are its own.
set -e
lib=/usr/lib/gatehouse
node=$lib/node_modules/node/bin/node
if [ "$1" != start ]; then
  # What looks after an installation looks after that of the service, unless it is told otherwise.
  export GATEHOUSE_CONFIG="${GATEHOUSE_CONFIG:-/etc/gatehouse/config.toml}" GATEHOUSE_DATA_DIR="${GATEHOUSE_DATA_DIR:-/var/lib/gatehouse}"
  exec "$node" --disable-warning=ExperimentalWarning "$lib/bin/gatehouse.mjs" "$@"
fi
shift
cores=$(nproc)
helpers=$((cores > 5 ? 4 : cores > 1 ? cores - 1 : 1))
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-$((cores + 4))}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-1048576}"
exec "$node" --min-semi-space-size=8 --max-semi-space-size=8 --v8-pool-size="$helpers" --disable-sigusr1 --disable-warning=ExperimentalWarning --import "$lib/kernel/quick-imports.mjs" "$lib/main.js" "$@"
