noise = How two equal servers differ here (standard deviations)
resolution = What this machine can resolve: found in four studies of five
resolution-note = Whole studies of two variants at one load point with one claim, judged at their looks; intervals reflect uncertainty in the measured noise. Servers that differ more from start to start than the reference server resolve less.
search = The search (search data: the leader was partly lucky; none of this is a gain)
noise-machine = kernel { $kernel }, { $cpu_model }, Proofload { $build }
noise-row-none-found = none found
noise-row-none = none
resolution-column = { $minutes } min, { $preset }, { $blocks }
resolution-rows-difference = { $measure }: difference
resolution-rows-equal-within = { $measure }: equal within
age-minutes = { $n ->
    [one] 1 minute
   *[other] { $n } minutes
}
age-hours = { $n ->
    [one] 1 hour
   *[other] { $n } hours
}
age-days = { $n ->
    [one] 1 day
   *[other] { $n } days
}
search-title = Tuning { $study }: { $goal } { $measure }{ $stream } @ { $point }, default { $default }
heat = heat { $number }: { $variants } variants, { $blocks }, { $run }
search-winner-nothing-was-better-than = Nothing was better than the default, { $default }, in the search: it stays, and nothing is claimed
search-winner-fresh-blocks-of-against = Fresh blocks of { $winner } against the default, { $default }, judged:
search-winner-the-search-led-to = The search led to { $winner }; no fresh blocks judged it against the default, { $default }, and nothing is claimed
noise-columns = measure | one run | ratio of a block | starts | slices | drift | lasts, slice to slice | spoilt slices
search-columns = variant | search data, ratio to the default | blocks | out after
slice-length-columns = {" "}| ratio of a block, short | ratio of a block, long | a true 6 %, long over short
noise-not-of-the-last = it is not of the last { $days } days
noise-other-kernel = the kernel was { $then } then
kept-in = kept in { $run }
out-after-heat = heat { $heat }
noise-title = Noise of this machine: { $blocks } of two equal servers, { $cycles } cycles of { $slice } slices each, { $minutes } minutes, { $when }
noise-drift = { $sd }, { $share } of a slice's variance
noise-spikes = { $share }, by { $size }
slice-lengths = Short slices, { $cycles } of { $slice }, beside { $long_cycles } of { $long_slice } in each block
noise-resolved-in = { $share } in { $minutes } min
noise-audit = audit { $age } old{ $outdated ->
    [none] {""}
   *[other] ; { $outdated }: proofload doctor --noise measures anew
}: the ratio of two equal servers spreads by { $spreads }
noise-resolves = a difference in { $measure } is found (four studies of five): { $resolved }
