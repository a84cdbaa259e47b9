#!/usr/bin/env bash
# Runs the example of docs/scaling.md on one machine, on the loopback interface: PostgreSQL with a replica, Redis, two
# instances and nginx. Run it as an ordinary user (PostgreSQL refuses to run as root), with a folder that does not exist yet:
#   docs/scaling/example.sh start /tmp/zukan-example
#   docs/scaling/example.sh instance /tmp/zukan-example 13002     # restarts a stopped instance
#   docs/scaling/example.sh stop /tmp/zukan-example
set -eu
here=$(cd "$(dirname "$0")" && pwd)
node=$here/../../node_modules/.bin/node
main=$here/../../bin/zukan.js
folder=$2
# Debian installs the programs of PostgreSQL, and nginx, outside the PATH of ordinary users.
PATH=$PATH:/usr/sbin:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)

start_primary() {
  initdb -D "$folder/primary" -U postgres -A trust -E UTF8 --locale=C >"$folder/initdb.log"
  cat >>"$folder/primary/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
port = 15432
unix_socket_directories = '$folder'
shared_buffers = 512MB
max_connections = 60
max_slot_wal_keep_size = 10GB
END
  pg_ctl -D "$folder/primary" -l "$folder/primary.log" -w start >/dev/null
  psql -q postgres://postgres@127.0.0.1:15432/postgres -c 'create role zukan login' \
    -c 'create role streaming login replication' -c 'create database zukan owner zukan'
}

start_replica() {
  pg_basebackup -D "$folder/replica" -d postgres://streaming@127.0.0.1:15432/ -R -C -S replica1 -c fast
  cat >>"$folder/replica/postgresql.conf" <<END
port = 15433
hot_standby_feedback = on
END
  pg_ctl -D "$folder/replica" -l "$folder/replica.log" -w start >/dev/null
}

start_instance() {
  PORT=$1 DATA_DIR=$folder/instance-$1 "$node" "$main" --settings "$folder/zukan.env" serve "${@:2}" >>"$folder/$1.log" 2>&1 &
  echo $! >"$folder/$1.pid"
  until curl -sf -o "$folder/ready" "http://127.0.0.1:$1/health/ready"; do
    kill -0 $! || { tail -1 "$folder/$1.log" && exit 1; }
    sleep 0.1
  done
}

case $1 in
start)
  mkdir "$folder" "$folder/files" "$folder/nginx" "$folder/nginx/tmp"
  # The settings that all instances and imports share.
  cat >"$folder/zukan.env" <<END
DATABASE_URL=postgres://zukan@127.0.0.1:15432/zukan
DATABASE_READ_URLS=postgres://zukan@127.0.0.1:15433/zukan
REDIS_URL=redis://127.0.0.1:16379
FILES_URL=$folder/files
LINK_KEYS=$(openssl rand -base64 32)
TRUSTED_PROXIES=127.0.0.1
END
  start_primary
  start_replica
  redis-server --bind 127.0.0.1 --port 16379 --save '' --dir "$folder" --pidfile "$folder/redis.pid" --daemonize yes \
    --logfile "$folder/redis.log" >/dev/null
  start_instance 13001 --demo
  start_instance 13002
  nginx -p "$folder/nginx" -c "$here/nginx.conf" -e error.log
  ;;
instance)
  start_instance "$3"
  ;;
stop)
  for part in nginx/nginx 13001 13002 redis; do
    kill "$(cat "$folder/$part.pid")" 2>/dev/null || true
  done
  for part in replica primary; do pg_ctl -D "$folder/$part" -m fast stop >/dev/null || true; done
  ;;
esac
