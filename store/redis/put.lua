-- Puts a record, and adds its version to the history or moves when that was
-- last seen. KEYS: the record, the versions. ARGV: see Store.Put.

local record, versions = KEYS[1], KEYS[2]
local head, keep, most, channel, notice, what, first, last, body = unpack(ARGV)

-- sum returns the field of the body of a version; nil: it has none.
local function sum(of)
  return string.match(of, ' (%x+)$')
end

-- isTime tells whether the store can read a time: what is too large it cannot.
local function isTime(digits)
  return #digits == 20 and digits <= '09223372036854775807'
end

-- known returns the history without versions that lost their body; nil: it is
-- spoilt, and begins anew.
local function known()
  if redis.call('TYPE', versions).ok ~= 'hash' then
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

-- remember writes a history, and drops the bodies that it has no more.
local function remember(history)
  local lines, used = {}, {index = true}
  for i, v in ipairs(history) do
    lines[i] = v.first .. ' ' .. v.last .. ' ' .. v.what
    used[sum(v.what) or 'index'] = true
  end
  redis.call('HSET', versions, 'index', table.concat(lines, '\n'))
  for _, field in ipairs(redis.call('HKEYS', versions)) do
    if not used[field] then
      redis.call('HDEL', versions, field)
    end
  end
end

-- add adds the version of the record to the history, and tells of it.
local function add()
  local history = known()
  if not history then
    redis.call('DEL', versions)
    history = {}
  end
  local newest = history[1]
  if newest and newest.what == what then
    if last > newest.last then -- both have 20 digits
      newest.last = last
    end
  else
    table.insert(history, 1, {first = first, last = last, what = what})
    while #history > tonumber(most) do
      table.remove(history)
    end
    redis.call('PUBLISH', channel, notice)
  end
  if sum(what) then
    redis.call('HSET', versions, sum(what), body) -- also where it is there: it may be spoilt
  end
  remember(history)
end

redis.call('DEL', record)
redis.call('HSET', record, 'head', head)
if body then
  redis.call('HSET', record, 'body', body)
end
if what ~= '' then
  add()
end
redis.call('PEXPIRE', record, keep)
redis.call('PEXPIRE', versions, keep)
