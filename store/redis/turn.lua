-- Reserves a turn of an origin. KEYS: the turns, a sorted set: the score is when the turn
-- begins, in microseconds since 1970 by the clock of the server; the member is its delay in
-- microseconds and a random word. ARGV: the time from now to the earliest turn, the delay, the
-- longest time to a turn, the longest delay, all in microseconds; the most turns; the random
-- word. Returns 1 and the time to the turn, or 0 and the time after which another call may
-- succeed.

local turns, word = KEYS[1], ARGV[6]
local after, delay, maxWait, maxDelay, maxTurns =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local kind = redis.call('TYPE', turns).ok
if kind ~= 'zset' and kind ~= 'none' then
  redis.call('DEL', turns)
end

-- at moves behind each turn that is too close. The turns are sorted, so the first turn that is
-- at least a delay later ends the search. Turns that are over are deleted, and what this script
-- never writes. That may also be a turn far ahead, because the clock was set back.
local at, found, count, first, last = now + after, false, 0, nil, 0
local all = redis.call('ZRANGE', turns, 0, -1, 'WITHSCORES')
for i = 1, #all, 2 do
  local begins, length = tonumber(all[i + 1]), tonumber(string.match(all[i], '^(%d+) ') or '')
  local ends = length and begins + length
  if not ends or ends <= now or begins - now > maxWait or length > maxDelay then
    redis.call('ZREM', turns, all[i])
  else
    count, first, last = count + 1, first or ends, math.max(last, ends)
    found = found or at + delay <= begins
    if not found then
      at = math.max(at, ends)
    end
  end
end

if count >= maxTurns then
  return {0, first - now}
end
if at - now > maxWait then
  return {0, at - now - maxWait}
end
redis.call('ZADD', turns, string.format('%.0f', at), string.format('%.0f', delay) .. ' ' .. word)
redis.call('PEXPIRE', turns, math.ceil((math.max(last, at + delay) - now) / 1000))
return {1, at - now}
