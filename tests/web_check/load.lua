-- Posts drafts in turn to the API, or gets pages in turn; writes the figures at the end.
-- Arguments: a file with one body on each line, the path, the content type. Without the last two,
-- each line is the path of a page.

local bodies = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    bodies[#bodies + 1] = line
  end
  at = math.random(#bodies) -- Threads begin at different drafts.
  if args[2] == "" then
    return
  end
  wrk.method = "POST"
  wrk.path = args[2]
  wrk.headers["Content-Type"] = args[3]
end

function request()
  at = at % #bodies + 1
  if wrk.method == "GET" then
    return wrk.format(nil, bodies[at])
  end
  return wrk.format(nil, nil, nil, bodies[at])
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"requests": %d, "microseconds": %d, "p50": %d, "p95": %d, "p99": %d, "most": %d, ' ..
    '"connect": %d, "read": %d, "write": %d, "status": %d, "timeout": %d}\n',
    summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(95), latency:percentile(99), latency.max,
    e.connect, e.read, e.write, e.status, e.timeout))
end
