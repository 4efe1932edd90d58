sittings = { $n ->
    [one] 1 sitting
   *[other] { $n } sittings
}
rests-on-sittings = { $blocks } in { $sittings }
of-sittings-with-the-of-between = with the τ of { $tau } between { $n } earlier sittings
of-sittings-means-of = means of { $sittings }
too-few-sittings-so-far-and-where = { $sittings } so far, and where blocks are of several the looks count them: the next is at { $need }; blocks of a sitting share what it had, so their number does not replace sittings
too-few-sittings-too-few-for-an = { $sittings }: too few for an interval
sittings-cross-about-more-would-settle = about { $sittings } more would settle it
sittings-cross-no-number-of-sittings = no number of sittings in reach would settle it
sittings-cross-the-interval-allows-both = the interval allows both; the resolution is ±{ $resolution }; { $more }
widened-by-sittings-earlier-sittings-differed-by = { $n } earlier sittings differed by τ = { $tau }, so that one sitting says this much of another: more sittings narrow it (proofload replicate)
sittings-sittings = Sittings
sittings-not-planned = how many sittings there are was not fixed before the first: the intervals hold if it was not chosen for what they showed
sittings-close-sittings-began = { $n ->
    [one] 1 sitting began
   *[other] { $n } sittings began
}
sittings-close-less-than-minutes-after = { $those } less than 30 minutes after the one before it ended: what changes over hours is hardly within their spread
sittings-differ-not-the-same-in = not the same in all sittings: { $what }; if it matters, it is within their spread
limits-of-each = what limits each sitting is told in its own report
sitting-columns = began | blocks | seed | id
spread-of-single-blocks = Each sitting has one block, so its own spread is not known; the next sitting is expected within { $low } … { $high } (95 %).
spread-of-sittings = { $tau ->
    [none] Sittings differ no more than their blocks do, by { $within }
   *[other] Sittings differ by τ = { $tau }, their blocks by { $within }
}{ $q ->
    [none] {""}
   *[other] {" "}(Q = { $q } with { $freedom } degrees of freedom, p { $p })
}; the next sitting is expected within { $low } … { $high } (95 %){ $worth ->
    [none] {""}
   *[other] ; a sitting is worth { $worth }
}.
made-of-sittings = { $runs ->
    [one] 1 run
   *[other] { $runs } runs
}, { $sittings }, { $blocks }, looked at after { $looks }
