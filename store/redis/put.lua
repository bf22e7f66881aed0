-- Puts a record, and adds its version to the history or moves when that was
-- last seen. KEYS: the record, the versions. ARGV: see Store.Put.

local record, versions = KEYS[1], KEYS[2]
local head, keep, most, largest, channel, notice, what, first, last, body = unpack(ARGV)
most, largest = tonumber(most), tonumber(largest)

-- sum returns the field of the body of a version; nil: it has none.
local function sum(of)
  return string.match(of, ' (%x+)$')
end

-- isTime tells whether the store can read a time: what is too large it cannot.
local function isTime(digits)
  return #digits == 20 and digits <= '09223372036854775807'
end

-- tooLarge tells whether a history that is there is none that was put.
local function tooLarge()
  return redis.call('HLEN', versions) * 64 > largest or redis.call('HSTRLEN', versions, 'index') > largest
end

-- known returns the history without versions that lost their body; nil: it is
-- spoilt, and begins anew.
local function known()
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

-- remember writes the newest of a history, as many as may be, and drops the
-- bodies that it has no more.
local function remember(history)
  local lines, used, size = {}, {index = true}, 0
  for i, v in ipairs(history) do
    local field = sum(v.what) or 'index'
    if not used[field] then
      size = size + redis.call('HSTRLEN', versions, field)
    end
    if i > most or (i > 1 and size > largest) then
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

-- write writes the record. Its first command is one that Redis refuses where
-- memory is out: behind any other it lets a script go on to the end.
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

-- add adds the version of the record to the history. It returns whether that is
-- another than the newest before.
local function add()
  local history = known()
  if not history then
    redis.call('DEL', versions)
    history = {}
  end
  local newest = history[1]
  local another = not newest or newest.what ~= what
  if another then
    table.insert(history, 1, {first = first, last = last, what = what})
  elseif last > newest.last then -- both have 20 digits
    newest.last = last
  end
  if sum(what) then
    redis.call('HSET', versions, sum(what), body) -- also where it is there: it may be spoilt
  end
  remember(history)
  return another
end

write()
redis.call('PEXPIRE', record, keep)
local another = what ~= '' and add()
redis.call('PEXPIRE', versions, keep)
if another then
  redis.call('PUBLISH', channel, notice) -- at the end, since who may not do so has put all the same
end
