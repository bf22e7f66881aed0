-- Reads a history; nil: it is larger than ARGV[1]. KEYS: the versions.

local versions, largest = KEYS[1], tonumber(ARGV[1])
if redis.call('HLEN', versions) * 64 > largest then -- our names have 64 letters
  return false
end
local size = 0
for _, field in ipairs(redis.call('HKEYS', versions)) do
  size = size + #field + redis.call('HSTRLEN', versions, field)
end
if size > largest then
  return false
end
return redis.call('HGETALL', versions)
