screen-expected = expectations
screen-published = published conclusions
screen-trends = trends
answer-alike = alike
answer-faster = faster
beside = { $measure } of { $over } is { $told } times that of { $under }
more-claims = {"  "}and { $left } more; of all: { $supported } supported, { $refuted } refuted, { $undecided } undecided
counted-reproduced = reproduced
counted-not-reproduced = not reproduced
counted-undecided-here-or-not = undecided here or not tested
counted-without-growth = without growth
counted-growing = growing
counted-undecided = undecided
counted-met = met
counted-not-met = not met
counted-line = { $title }: { $good } { $words }, { $bad } { $words2 }, { $open } { $words3 }
more-rows = { $left ->
    [one] and 1 more row
   *[other] and { $left } more rows
}: --verbose shows them
load-connections-closed-loop-response = { $connections } connections, closed loop: response times include the wait for each other
load-open-loop-at-response = open loop at { $label }: response times count from when each request was due
load-loop = { $model } loop, { $label }
load-loads = loads: { $labels }
based-on-in = {" "}in { $length }
based-on-one-server-after-the = , one server after the other
based-on-the-servers-taking-turns = , the servers taking turns
based-on-generator-fit = generator fit
based-on-generator-at-its-limit = GENERATOR AT ITS LIMIT
based-on-line = { $what }{ $time }{ $turns }; { $fitness }
length-s = { $seconds } s
length-min = { $seconds } min
more = { $limits } limits, all checks: proofload report { $run } -v, or its report.html
headline-checked = { $line } (checked, no verdict)

screen-checked = checked
screen-throughput = throughput
screen-cpu-per-request = CPU/request

replicate-restart = restart
replicate-restarts = restarts
replicate-round = round
replicate-rounds = rounds
replicates = { $blocks } { $word }
screen-one-more = the interval allows both; about 1 more { $one } would settle it
screen-more = the interval allows both; about { $n } more { $many } would settle it
