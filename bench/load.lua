-- The load that wrk makes: GET of random ids, or POST of a new pet. Set by arguments: get HIGHEST_ID [COOKIE], or post.
local body = '{"category":{"id":1,"name":"Dogs"},"name":"doggie","photoUrls":["https://pets.example.org/1.jpg"],'
  .. '"tags":[{"id":1,"name":"friendly"},{"id":2,"name":"small"}],"status":"available"}'
local highest = 1

function init(args)
  math.randomseed(os.time())
  if args[1] == 'post' then
    wrk.method = 'POST'
    wrk.path = '/v2/pet'
    wrk.body = body
    wrk.headers['Content-Type'] = 'application/json'
    request = function() return wrk.format() end
  else
    highest = tonumber(args[2])
    if args[3] then wrk.headers['Cookie'] = args[3] end
    request = function() return wrk.format('GET', '/v2/pet/' .. math.random(1, highest)) end
  end
end

function done(summary, latency)
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"errors":%d,"p99Us":%d}\n', summary.requests, summary.duration,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(99)))
end
