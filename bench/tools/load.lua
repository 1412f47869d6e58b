-- The load for wrk. Its arguments are settings NAME=VALUE, which load.ts passes. `{id}` in a path is replaced by a random ID, `{part}` by one of `parts`.
local function settings_of(args)
  local settings = {}
  for _, word in ipairs(args) do
    local name, value = word:match('^(%w+)=(.*)$')
    settings[name] = value
  end
  return settings
end

-- The request is formatted once: wrk.format for each request would make the load slower than the server.
local function pieces_of(text)
  local pieces, from = {}, 1
  while true do
    local first, last = text:find('{id}', from, true)
    pieces[#pieces + 1] = text:sub(from, first and first - 1)
    if not first then return pieces end
    from = last + 1
  end
end

function init(args)
  local settings = settings_of(args)
  local highest = tonumber(settings.highest)
  local writes = tonumber(settings.writes)
  -- A seed from os.time() would repeat within a second.
  math.randomseed(tonumber(settings.seed))
  if settings.cookie then wrk.headers['Cookie'] = settings.cookie end
  local headers = { Host = wrk.headers['Host'], ['Content-Type'] = 'application/json', ['X-Forwarded-For'] = settings.forwardedFor }
  local post = wrk.format('POST', '/v2/pet', headers, settings.body)
  local gets = {}
  for part in (settings.parts or '-'):gmatch('[^,]+') do
    gets[#gets + 1] = pieces_of(wrk.format('GET', (settings.path:gsub('{part}', part))))
  end
  local number = 0
  request = function()
    if writes > 0 and math.random() < writes then
      if not settings.keyed then return post end
      number = number + 1
      return (post:gsub('\r\n', '\r\nIdempotency-Key: ' .. settings.seed .. '-' .. number .. '\r\n', 1))
    end
    local get = #gets == 1 and gets[1] or gets[math.random(1, #gets)]
    return table.concat(get, tostring(math.random(1, highest)))
  end
  -- From now on, an interrupt still prints the result.
  io.stderr:write('READY\n')
end

function done(summary, latency)
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"errors":%d,"p99Us":%d}\n', summary.requests, summary.duration,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(99)))
end
