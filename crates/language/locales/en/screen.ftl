screen-expected = expectations
screen-published = published conclusions
screen-trends = trends
in-short-more = more { $many }
in-short-one-more = {" "}1 more
answer-alike = = alike
answer-faster = ✔ faster
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
more-rows = and { $left } more rows: --verbose shows them
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
said-thorough-measures-older-ones = young servers, { $from_s } to { $to_s } s after start; --thorough measures older ones
said-the-generator-adds = the generator adds to { $measure } at { $place }; give it CPUs of its own
said-the-generator-was-held = the generator was held up in { $n } of { $of } slices; give it CPUs of its own
more-looks = the time was too short for all planned restarts; give a longer --budget
two-cpus = two CPUs: a server has one, and is not seen at its best; use a larger machine
running = one start of each, not restarted: for the setups, give commands with {"{"}port{"}"}
one-restart = a check that everything works: one restart gives no verdict; leave --smoke out for one
more = { $limits } limits, all checks: proofload report { $run } -v, or its report.html
headline-checked = { $line } (checked, no verdict)

screen-checked = checked
screen-throughput = throughput
screen-cpu-per-request = CPU/request

# The screen ranks limits by how they begin and by what is in them: these must be as the limits themselves have it.
begins-client-limited = client-limited
begins-overloaded = overloaded
begins-young-servers = young servers
begins-could-not-check = could not check
begins-any-claim = any claim
begins-looks = looks
begins-more-trials = more than
begins-two-cpus = cores: two CPUs
begins-block = block{" "}
within-did-not-get-through = did not get through
within-left-out = left out
within-not-judged = not judged
within-not-checked = NOT CHECKED
# What parts a sentence about a claim: behind what was found, and before the claim.
begins-basis = {" "}(
ends-basis = ). Claim "
# What stands before the place in a warning: the same thing elsewhere is no other warning.
before-the-place = {" "}at{" "}
# Blocks, as reasons and limits speak of them, and as the screen does.
blocks-begun = {" "}blocks begun
without-blocks-begun = {" "}{ $many } begun
blocks-named = {" "}blocks:{" "}
without-blocks-named = {" "}{ $many }:{" "}
in-short-resolution = the resolution is
in-short-blocks-more = blocks more
in-short-one-block-more = {" "}1 block more
replicate-restart = restart
replicate-restarts = restarts
replicate-round = round
replicate-rounds = rounds
replicates = { $blocks } { $word }
