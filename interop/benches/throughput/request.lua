-- What `wrk` sends, given in the environment, and one line of result: requests, then in microseconds the length of the run
-- and the 50th and 99th percentile of the latency, then failures of any kind.

wrk.method = "POST"
wrk.body = os.getenv("REQUEST_BODY")
for name, value in os.getenv("REQUEST_HEADERS"):gmatch("([^\n:]+): ([^\n]*)\n") do
  wrk.headers[name] = value
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local p50, p99 = latency:percentile(50), latency:percentile(99)
  io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests, summary.duration, p50, p99, failures))
end
