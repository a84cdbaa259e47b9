#!/usr/bin/env bash
# Runs wrk three times for ten seconds and prints the CPU time that each part used per request.
#   measure.sh <connections> <origin> <paths.txt> <name=pid>…
# A part is a process with its children. CLIENTS=clients and TOKEN=… are passed to load.lua.
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
