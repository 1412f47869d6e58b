-- The load that wrk makes. Set by words NAME=VALUE; load.ts says which. `{id}` in a path or a header is a random id.
local function settings_of(args)
  local settings = {}
  for _, word in ipairs(args) do
    local name, value = word:match('^(%w+)=(.*)$')
    settings[name] = value
  end
  return settings
end

-- The request is put together once: wrk.format for each would make the load slower than what it loads.
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
  -- os.time() would be the same for all rounds within a second.
  math.randomseed(tonumber(settings.seed))
  if settings.cookie then wrk.headers['Cookie'] = settings.cookie end
  local post = wrk.format('POST', settings.postPath, { Host = wrk.headers['Host'], ['Content-Type'] = 'application/json' }, settings.body)
  if settings.etag then wrk.headers['If-None-Match'] = settings.etag end
  local get = pieces_of(wrk.format('GET', settings.path))
  request = function()
    if writes > 0 and math.random() < writes then return post end
    return table.concat(get, tostring(math.random(1, highest)))
  end
  -- From here on it can be interrupted, and still tells what it has counted.
  io.stderr:write('READY\n')
end

function done(summary, latency)
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"errors":%d,"p99Us":%d}\n', summary.requests, summary.duration,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(99)))
end
