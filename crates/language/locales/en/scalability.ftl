scalability = Scalability
not-observed-up-to = not observed up to { $highest }
no-ladder-too-few-load-levels = too few load levels ({ $have } of { $need }) to find a knee
no-scalability = no knee or peak can be given: { $reasons }
no-knee-knee-not-observed-up = knee not observed up to { $highest } connections: none well below them come near their throughput, which may still rise
no-knee-the-knee-is-at = the knee is at { $lowest } connections or below: that many already reach 95 % of the most; begin with fewer
no-knee-knee-not-observed-up-to-connections = knee not observed up to { $highest } connections: { $lowest } took longer for each exchange than more of them did
loaded-at = { $lowest } connections are no low load: they wait for each other already, so the knee may be too high; begin with fewer
rung-left-out = { $connections } connections left out: { $why }
client-limited = client-limited: { $finding }
failed-share = { $share } of the exchanges failed
scalability-columns = variant | most answered | response at low load | knee, connections | 95 % of the most from | peak, connections | based on | note
ladder = { $points } load points, { $first } to { $last } connections, { $blocks }
ladder-of-one = { $only } connections, { $blocks }
no-ladder-too-few-blocks = { $blocks } in which each number of connections has a value, { $need } are needed
no-ladder-not-finite = the record has figures that are not finite
no-peak = peak not observed up to { $highest } connections: { $falls ->
    [true] throughput falls, but the interval of the peak does not end below that
   *[false] throughput may still be at its most there
}
