-- Writes a record. Adds its version to the history, or, if the newest version is the
-- same, changes only its last time. A record of a newer version of Heed is left as it is, and
-- the reply is "newer". KEYS: the record, the versions. ARGV: see Store.put.

local record, versions = KEYS[1], KEYS[2]
local head, keep, maxVersions, maxBytes, channel, notice, what, first, last, body = unpack(ARGV)
maxVersions, maxBytes = tonumber(maxVersions), tonumber(maxBytes)

-- sum returns the SHA-256 in the what of a version, which is also the name of the
-- field of its body; nil: the version has no body.
local function sum(of)
  return string.match(of, ' (%x+)$')
end

-- isTime returns whether a time is in the range that the store can read.
local function isTime(digits)
  return #digits == 20 and digits <= '09223372036854775807'
end

-- tooLarge returns whether the history is larger than this script ever writes one.
local function tooLarge()
  return redis.call('HLEN', versions) * 64 > maxBytes or redis.call('HSTRLEN', versions, 'index') > maxBytes
end

-- read returns the history, the newest version first, without versions that have lost
-- their body; nil: the history is corrupt.
local function read()
  if redis.call('TYPE', versions).ok ~= 'hash' or tooLarge() then
    return nil
  end
  local history = {}
  for line in string.gmatch(redis.call('HGET', versions, 'index') or '', '[^\n]+') do
    local from, to, status, body = string.match(line, '^(%d+) (%d+) (%d%d?%d?) ([%x-]+)$')
    if not (body and isTime(from) and isTime(to)) then
      return nil
    end
    if body == '-' or redis.call('HEXISTS', versions, body) == 1 then
      history[#history + 1] = {first = from, last = to, what = status .. ' ' .. body}
    end
  end
  return history
end

-- save writes the newest versions of a history, within maxVersions and maxBytes, and
-- deletes the bodies that are no longer used.
local function save(history)
  local lines, used, size = {}, {index = true}, 0
  for i, v in ipairs(history) do
    local field = sum(v.what) or 'index'
    if not used[field] then
      size = size + redis.call('HSTRLEN', versions, field)
    end
    if i > maxVersions or (i > 1 and size > maxBytes) then
      break
    end
    used[field] = true
    lines[i] = v.first .. ' ' .. v.last .. ' ' .. v.what
  end
  redis.call('HSET', versions, 'index', table.concat(lines, '\n'))
  for _, field in ipairs(redis.call('HKEYS', versions)) do
    if not used[field] then
      redis.call('HDEL', versions, field)
    end
  end
end

-- write writes the record. Redis refuses its first write command if the memory is full,
-- and then nothing has changed. Redis does not check the memory for later commands.
local function write()
  local kind = redis.call('TYPE', record).ok
  if kind ~= 'hash' and kind ~= 'none' then
    redis.call('SET', record, '')
    redis.call('DEL', record)
  end
  if body then
    redis.call('HSET', record, 'head', head, 'body', body)
  else
    redis.call('HSET', record, 'head', head)
    redis.call('HDEL', record, 'body')
  end
end

-- add adds the version of the record to the history. It returns whether the version is
-- new: not the same as the newest one.
local function add()
  local history = read()
  if not history then
    redis.call('DEL', versions)
    history = {}
  end
  local newest = history[1]
  local new = not newest or newest.what ~= what
  if new then
    table.insert(history, 1, {first = first, last = last, what = what})
  elseif last > newest.last then -- texts of 20 digits compare as numbers
    newest.last = last
  end
  if sum(what) then
    redis.call('HSET', versions, sum(what), body) -- even if the field exists: it may be corrupt
  end
  save(history)
  return new
end

-- isNewer returns whether a newer version of Heed wrote the record that is there: the first
-- word of a head is the number of its format. See cache.IsNewer.
local function isNewer()
  if redis.call('TYPE', record).ok ~= 'hash' then
    return false
  end
  local old = string.match(string.sub(redis.call('HGET', record, 'head') or '', 1, 10), '^([1-9]%d*) ')
  return old and tonumber(old) > tonumber(string.match(head, '^%d+') or 0)
end

if isNewer() then
  return 'newer'
end
write()
redis.call('PEXPIRE', record, keep)
local new = what ~= '' and add()
redis.call('PEXPIRE', versions, keep)
if new then
  redis.call('PUBLISH', channel, notice) -- the last command: if the user may not publish, all is written
end
