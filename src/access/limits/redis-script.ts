/**
 * The rate rule as a script that Redis runs atomically: one client's key, the rate and the milliseconds left of a block that
 * the instance knows in, a decision out.
 */
import { BLOCK_MS, MAX_VIOLATIONS, VIOLATION_WINDOW_MS } from '../rate.ts';

/**
 * The rule of access/rate.ts; test/access/limits/limiters.test.ts compares the two. It uses the server's time unless given
 * one. The key is a hash:
 *
 * - `due`: the next arrival.
 * - `violations`, `first`: the number of violations within the last hour and the time of the first.
 * - `later`: the milliseconds from the first violation to each further one. Differences are short enough for Redis to keep
 *   the hash in its compact encoding.
 * - `blocked`: the end of a block; then there is nothing else.
 *
 * A block that the instance knows and Redis does not was lost, with a restart for example, and is restored.
 *
 * Instances of several versions may share a Redis. Up to 0.2.0 there was no `later`, and instances counted violations from
 * the first one. A violation without a difference counts as made at the time of the one before.
 */
export const SCRIPT = `
local now, rate, known = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local PERIOD = 1000 / rate
local SLACK = (rate - 1) * PERIOD + PERIOD * 3 / 10
local MAX_VIOLATIONS, WINDOW, BLOCK = ${MAX_VIOLATIONS}, ${VIOLATION_WINDOW_MS}, ${BLOCK_MS}
local function block(till)
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'blocked', till)
  redis.call('PEXPIREAT', KEYS[1], till)
end

local state = redis.call('HMGET', KEYS[1], 'due', 'blocked', 'violations', 'first', 'later')
local arrival, blocked, count = tonumber(state[1]) or 0, tonumber(state[2]) or 0, tonumber(state[3]) or 0
if blocked == 0 and known > 0 then
  blocked = now + known
  block(blocked)
end
if blocked > now + BLOCK then
  blocked = now + BLOCK
  block(blocked)
end
if now < blocked then return {0, 1, blocked - now, 0, 0} end
if blocked > 0 then
  redis.call('DEL', KEYS[1])
  arrival, count = 0, 0
end
if arrival > now + SLACK + PERIOD then arrival = now end

local violations = {}
if count > 0 then
  local first, difference = tonumber(state[4]) or 0, 0
  local differences = string.gmatch(state[5] or '', '%d+')
  for index = 1, count do
    if index > 1 then difference = tonumber(differences() or difference) end
    local at = math.min(first + difference, now)
    if now - at < WINDOW then table.insert(violations, at) end
  end
end

local decision
if arrival - SLACK <= now then
  arrival = math.max(now, arrival) + PERIOD
  local room = now - (arrival - SLACK)
  decision = {1, 0, math.max(0, math.ceil(-room)), math.floor(room / PERIOD) + 1, MAX_VIOLATIONS - #violations}
elseif #violations + 1 >= MAX_VIOLATIONS then
  block(now + BLOCK)
  return {0, 1, BLOCK, 0, 0}
else
  table.insert(violations, now)
  decision = {0, 0, math.ceil(arrival - SLACK - now), 0, MAX_VIOLATIONS - #violations}
end

local expiry = arrival
if #violations > 0 then
  local first, later = violations[1], {}
  for index = 2, #violations do later[index - 1] = violations[index] - first end
  redis.call('HSET', KEYS[1], 'due', arrival, 'violations', #violations, 'first', first, 'later', table.concat(later, ','))
  expiry = math.max(expiry, violations[#violations] + WINDOW)
else
  if count > 0 then redis.call('HDEL', KEYS[1], 'violations', 'first', 'later') end
  redis.call('HSET', KEYS[1], 'due', arrival)
end
redis.call('PEXPIREAT', KEYS[1], math.ceil(expiry))
return decision`;
