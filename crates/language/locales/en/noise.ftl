noise = How two equal servers differ here (standard deviations)
resolution = What this machine can resolve: found in four studies of five
resolution-note = Whole studies of two variants at one load point with one claim, judged at their looks; intervals reflect uncertainty in the measured noise. Servers that differ more from start to start than the reference server resolve less.
search = The search (search data: the leader was partly lucky; none of this is a gain)
sd-between = { $ends } % [{ $ends2 }, { $ends3 }]
percent-between = { $ends } % [{ $ends2 }, { $ends3 }]
noise-title = Noise of this machine: { $blocks } of two equal servers, { $cycles } cycles of { $audit } slices each, { $audit2 } minutes, { $when }
noise-machine = kernel { $kernel }, { $cpu_model }, Proofload { $build }
noise-row-none-found = none found
noise-row-of-a-slices-variance = { $sd }, { $noise } % of a slice's variance
noise-row-none = none
noise-row-by = { $noise } %, by { $size } %
slice-lengths-short-slices-of-beside = Short slices, { $cycles } of { $audit }, beside { $long_cycles } of { $audit2 } in each block
slice-length-row = { $found } % [{ $found2 }, { $found3 }]
resolution-column = { $minutes } min, { $preset }, { $blocks }
resolution-rows-difference = { $measure }: difference
resolution-rows-equal-within = { $measure }: equal within
noise-lines-in-min = { $first } % in { $minutes } min
noise-lines-proofload-doctor-noise-measures = ; { $why }: proofload doctor --noise measures anew
noise-lines-audit-old-the-ratio = audit { $age } old{ $old }: the ratio of two equal servers spreads by { $spreads }
noise-lines-a-difference-in-is = a difference in { $measure } is found (four studies of five): { $resolved }
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
noise-doubt-a-band-of = a band of
noise-doubt-equal-servers-are-shown = equal servers are shown to be equal within
noise-doubt-a-difference-of = a difference of
noise-doubt-what-is-found-is = what is found is
noise-doubt-that-takes-about-blocks = that takes about { $needed } blocks, { $minutes } minutes
noise-doubt-nobody-waits-for-as = nobody waits for as many blocks as that takes
noise-doubt-asks-for-in-in = { $claim }: asks for { $wanted } { $percent } in { $noise }; in four studies of five with { $blocks } blocks here { $can } { $percent2 }; { $takes }
kept-in = kept in { $run }
out-after-heat = heat { $heat }
