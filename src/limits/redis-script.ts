/** The rate rule as a script that Redis runs atomically: one client's key in, a decision out. */
import { BLOCK_MS, MAX_VIOLATIONS, PERIOD_MS, TOLERANCE_MS, VIOLATION_WINDOW_MS } from '../access/rate.ts';

/**
 * The rule of access/rate.ts; test/limits/limiters.test.ts compares the two. It uses the server's time unless given
 * one. Instances of several versions may share a Redis: keep the names of the fields.
 */
export const SCRIPT = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local PERIOD, TOLERANCE, MAX_VIOLATIONS = ${PERIOD_MS}, ${TOLERANCE_MS}, ${MAX_VIOLATIONS}
local WINDOW, BLOCK = ${VIOLATION_WINDOW_MS}, ${BLOCK_MS}
local state = redis.call('HMGET', KEYS[1], 'due', 'violations', 'first', 'blocked')
local arrival, violations = tonumber(state[1]) or 0, tonumber(state[2]) or 0
local first, blocked = tonumber(state[3]) or 0, tonumber(state[4]) or 0
if arrival > now + PERIOD + TOLERANCE then arrival = now end
first = math.min(first, now)
if blocked > now + BLOCK then
  blocked = now + BLOCK
  redis.call('HSET', KEYS[1], 'blocked', blocked)
  redis.call('PEXPIRE', KEYS[1], BLOCK)
end
if now < blocked then return {0, 1, blocked - now} end
if blocked > 0 then violations, first, blocked = 0, 0, 0 end
local decision
local wait = arrival - TOLERANCE - now
if wait > 0 then
  if violations == 0 or now - first >= WINDOW then violations, first = 0, now end
  violations = violations + 1
  if violations >= MAX_VIOLATIONS then blocked = now + BLOCK end
  decision = {0, blocked > 0 and 1 or 0, blocked > 0 and BLOCK or wait}
else
  arrival = math.max(now, arrival) + PERIOD
  decision = {1, 0, arrival - TOLERANCE - now}
end
local ttl = arrival - now
if blocked > 0 then ttl = math.max(ttl, blocked - now)
elseif violations > 0 then ttl = math.max(ttl, first + WINDOW - now) end
redis.call('HSET', KEYS[1], 'due', arrival, 'violations', violations, 'first', first, 'blocked', blocked)
redis.call('PEXPIRE', KEYS[1], math.max(1, math.ceil(ttl)))
return decision`;
