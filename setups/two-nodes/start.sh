#!/usr/bin/env bash
# Starts two nodes of gatehouse behind HAProxy, over PostgreSQL with a standby, on this machine: to try, and to copy from. Ctrl-C stops everything.
#   setups/two-nodes/start.sh FOLDER     everything is in FOLDER; the same folder goes on where it stopped
# Needs Debian's packages postgresql, haproxy and openssl. HTTPS_PORT and KMIP_PORT are where clients come (8443, 5696); the others follow from BASE_PORT (9400).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:?"usage: $0 FOLDER"}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
base=${BASE_PORT:-9400}
https=${HTTPS_PORT:-8443}
kmip=${KMIP_PORT:-5696}
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1) || true
for program in "${bin:+$bin/initdb}" "$(command -v haproxy || true)" "$(command -v openssl || true)"; do
  [ -n "$program" ] && [ -x "$program" ] || { echo "two-nodes: needs the packages postgresql, haproxy and openssl: apt-get install postgresql haproxy openssl" >&2; exit 1; }
done
node=$root/node_modules/node/bin/node
[ -x "$node" ] || npm ci --prefix "$root" --omit=dev --no-audit --no-fund

# PostgreSQL refuses to run as root; its package makes an account for it, which has to come into the folder.
account=()
if [ "$(id -u)" = 0 ]; then
  account=(setpriv --reuid=postgres --regid=postgres --init-groups)
  chmod 711 "$folder"
  install -d -o postgres -g postgres -m 700 "$folder/postgresql"
else
  mkdir -p -m 700 "$folder/postgresql"
fi
postgres() { (cd "$folder/postgresql" && "${account[@]}" "$bin/$1" "${@:2}"); }
private() { (umask 077 && cat >"$1"); }
# A folder that is there already keeps its secrets.
secret() { [ -s "$folder/$1" ] || openssl rand -hex 32 | private "$folder/$1"; }

secret root-key
secret database-password
password=$(cat "$folder/database-password")

# The authority of clients' certificates, and one certificate for both nodes: clients do not see which of them answers.
if [ ! -s "$folder/ca.pem" ]; then
  (umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=gatehouse" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" -keyout "$folder/ca.key" -out "$folder/ca.pem" 2>/dev/null)
fi
if [ ! -s "$folder/server.pem" ]; then
  (umask 077 && openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=gatehouse" -keyout "$folder/server.key" -out "$folder/server.csr" 2>/dev/null)
  openssl x509 -req -in "$folder/server.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -days 825 -out "$folder/server.pem" 2>/dev/null \
    -extfile <(printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n')
fi

primary=$folder/postgresql/primary
standby=$folder/postgresql/standby
# A promoted standby is the primary. The one before must not come back: it lacks what was written since, and HAProxy would prefer it.
if [ -s "$standby/PG_VERSION" ] && [ ! -e "$standby/standby.signal" ]; then
  former=$primary.before-$(date +%s)
  mv "$primary" "$former"
  mv "$standby" "$primary"
  echo "two-nodes: the standby was promoted, so it is the primary from now on and gets a new standby; the former primary is kept in $former" >&2
fi
if [ ! -s "$primary/PG_VERSION" ]; then
  postgres initdb -D "$primary" -U gatehouse --auth-local=peer --auth-host=scram-sha-256 -E UTF8 --locale=C >/dev/null
  printf "ALTER ROLE gatehouse PASSWORD '%s'\nCREATE ROLE haproxy LOGIN\n" "$password" | postgres postgres --single -D "$primary" postgres >/dev/null 2>&1
fi
pids=()
signals=()
stop() {
  trap - EXIT INT TERM
  # Last come, first to go: nodes before the database.
  for ((at = ${#pids[@]} - 1; at >= 0; at--)); do
    kill -"${signals[at]}" "${pids[at]}" 2>/dev/null || true
    wait "${pids[at]}" 2>/dev/null || true
  done
}
trap stop EXIT
trap 'exit 0' INT TERM
# run SIGNAL NAME COMMAND...: in the background, with its output in NAME.log and its process in NAME.pid; the signal ends it.
run() {
  signals+=("$1")
  shift
  # The log of a first start has the initial password.
  (umask 077 && : >>"$folder/$1.log")
  "${@:2}" >>"$folder/$1.log" 2>&1 &
  pids+=($!)
  echo $! >"$folder/$1.pid"
}
wait_for() {
  for _ in $(seq 900); do
    if "${@:2}" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "two-nodes: $1 does not answer; see the logs in $folder" >&2
  exit 1
}
server() {
  run INT "$1" "${account[@]}" "$bin/postgres" -D "$folder/postgresql/$1" -p "$2" -k "$folder/postgresql" -c listen_addresses=127.0.0.1 -c max_connections=300 "${@:3}"
  wait_for "$1" postgres pg_isready -q -h 127.0.0.1 -p "$2" -U gatehouse -d postgres
}

server primary $((base + 1))
if [ ! -s "$standby/PG_VERSION" ]; then
  # Under its name it is complete.
  rm -rf "$standby.new"
  PGPASSWORD=$password postgres pg_basebackup -h 127.0.0.1 -p $((base + 1)) -U gatehouse -D "$standby.new" -R --checkpoint=fast
  mv "$standby.new" "$standby"
fi
# What was answered is on both, and a promoted standby has every revocation.
PGPASSWORD=$password postgres psql -q -h 127.0.0.1 -p $((base + 1)) -U gatehouse -d postgres \
  -c "ALTER SYSTEM SET synchronous_standby_names = '*'" -c "SELECT pg_reload_conf()" >/dev/null
server standby $((base + 2))

export HTTPS_BIND=127.0.0.1:$https KMIP_BIND=127.0.0.1:$kmip DATABASE_BIND=127.0.0.1:$((base + 3)) CA=$folder/ca.pem
export NODE1=127.0.0.1 NODE1_HTTPS=$((base + 11)) NODE1_KMIP=$((base + 12)) NODE2=127.0.0.1 NODE2_HTTPS=$((base + 21)) NODE2_KMIP=$((base + 22))
export PRIMARY=127.0.0.1:$((base + 1)) STANDBY=127.0.0.1:$((base + 2))
run TERM haproxy haproxy -db -f "$here/haproxy.cfg"
wait_for haproxy bash -c "exec 3<>/dev/tcp/127.0.0.1/$((base + 3))"

for at in 1 2; do
  private "$folder/node$at.toml" <<TOML
[http]
host = "127.0.0.1"
port = $((base + 10 * at + 1))
proxy_protocol = ["127.0.0.1"]
# Longer than HAProxy needs to see it.
drain_seconds = 3
[http.tls]
cert = "server.pem"
key = "server.key"
client_ca = "ca.pem"
[store]
url = "postgres://gatehouse:$password@127.0.0.1:$((base + 3))/postgres"
root_key = { file = "root-key" }
[keys.kmip_listener]
enabled = true
host = "127.0.0.1"
port = $((base + 10 * at + 2))
TOML
  # After one another: the first makes the tables and the first administrator.
  run TERM "node$at" "$node" "$root/launch.mjs" start --config "$folder/node$at.toml" --data-dir "$folder/node$at"
  # The nodes are asked through HAProxy, as every client will.
  wait_for "node$at" grep -q "is ready at" "$folder/node$at.log"
done
wait_for "HTTPS through HAProxy" "$node" -e "fetch('https://127.0.0.1:$https/health').then(() => {}, (error) => process.exit(error.cause?.code?.includes('CERT') || error.cause?.code?.includes('SIGNATURE') ? 0 : 1))"
echo "two-nodes: https://127.0.0.1:$https and tls://127.0.0.1:$kmip (KMIP); clients trust $folder/ca.pem; the first password is in $folder/node1/initial-password until it is changed"
wait
