-- For wrk: requests the paths in a file, one per line, in turn, and prints the result on one line.
--   wrk -t1 -c16 -d10s -s load.lua http://127.0.0.1:3000 -- paths.txt [clients]
-- With "clients", each request comes from a different address, so the rate limit does not refuse it. If the variable
-- TOKEN is set, requests carry that token.
local paths, turn, clients = {}, 0, false

function init(args)
  for path in io.lines(args[1]) do paths[#paths + 1] = path end
  clients = args[2] == 'clients'
  math.randomseed(os.time())
  if os.getenv('TOKEN') then wrk.headers['Authorization'] = 'Bearer ' .. os.getenv('TOKEN') end
end

function request()
  turn = turn % #paths + 1
  if clients then
    local random = math.random
    wrk.headers['X-Forwarded-For'] = string.format('10.%d.%d.%d', random(0, 255), random(0, 255), random(0, 255))
  end
  return wrk.format('GET', paths[turn])
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('%d requests, %.0f/s, p50 %.2f ms, p99 %.2f ms, %.0f bytes each, %d refused, %d lost\n',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, summary.bytes / summary.requests, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
