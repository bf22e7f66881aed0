-- Returns all fields of a history; nil: it has more than ARGV[1] bytes. KEYS: the versions.

local versions, maxBytes = KEYS[1], tonumber(ARGV[1])
if redis.call('HLEN', versions) * 64 > maxBytes then -- the names of fields have 64 characters
  return false
end
local size = 0
for _, field in ipairs(redis.call('HKEYS', versions)) do
  size = size + #field + redis.call('HSTRLEN', versions, field)
end
if size > maxBytes then
  return false
end
return redis.call('HGETALL', versions)
