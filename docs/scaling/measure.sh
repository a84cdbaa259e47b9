#!/usr/bin/env bash
# Runs wrk three times for ten seconds and prints the CPU time that each part used per request.
#   measure.sh <connections> <origin> <paths.txt> <name=pid>…
# A part is a process with its children. CLIENTS=clients and TOKEN=… are passed to load.lua: with the first, and TRUSTED_PROXIES=127.0.0.1,
# each request comes from a different client of the rate limit. For example, with 100,000 images:
#   node_modules/.bin/node -e "import('./bench/catalogue.ts').then((made) => made.writeCatalogue('made.ndjson', 100000))"
#   export DATA_DIR=./load RATE_LIMIT=off
#   npx zukan import --quiet made.ndjson
#   npx zukan export | grep -o '^{"type":"image","id":"[^"]*' | cut -d'"' -f8 | shuf -n 10000 | sed 's|^|/api/image/|' >ids.txt
#   node_modules/.bin/node bin/zukan.js serve >zukan.log &
#   docs/scaling/measure.sh 16 http://127.0.0.1:3000 ids.txt zukan=$! postgres=$(head -1 …/postmaster.pid)
set -eu
connections=$1 origin=$2 paths=$3
shift 3

# CPU time in hundredths of a second: the process, its children, and children that have ended.
used() {
  for pid in "$1" $(pgrep -P "$1"); do cut -d' ' -f14-17 "/proc/$pid/stat" 2>/dev/null; done |
    awk '{ sum += $1 + $2 } NR == 1 { sum += $3 + $4 } END { print sum }'
}

for _ in $(seq "${RUNS:-3}"); do
  before=()
  for part in "$@"; do before+=("$(used "${part#*=}")"); done
  line=$(wrk -t1 -c"$connections" -d10s -s "$(dirname "$0")/load.lua" "$origin" -- "$paths" "${CLIENTS:-}" | tail -1)
  printf '%s' "$line"
  for part in "$@"; do
    awk -v name="${part%%=*}" -v used="$(($(used "${part#*=}") - before[0]))" -v requests="${line%% *}" \
      'BEGIN { printf ", %s %.3f ms", name, used * 10 / requests }'
    before=("${before[@]:1}")
  done
  echo
done
