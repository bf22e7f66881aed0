-- Returns the size of a record in bytes, the milliseconds until it expires, its head
-- and its body. If the size is above ARGV[1], returns the size only. KEYS: the record.

local size = redis.call('HSTRLEN', KEYS[1], 'head') + redis.call('HSTRLEN', KEYS[1], 'body')
if size > tonumber(ARGV[1]) then
  return {size}
end
local values = redis.call('HMGET', KEYS[1], 'head', 'body')
return {size, redis.call('PTTL', KEYS[1]), values[1], values[2]}
