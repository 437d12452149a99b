-- What `wrk` sends, given in the environment, and one line of result: requests, microseconds, failures of any kind.

wrk.method = "POST"
wrk.body = os.getenv("REQUEST_BODY")
for name, value in os.getenv("REQUEST_HEADERS"):gmatch("([^\n:]+): ([^\n]*)\n") do
  wrk.headers[name] = value
end

function done(summary)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("RESULT %d %d %d\n", summary.requests, summary.duration, failures))
end
