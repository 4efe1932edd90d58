sittings = { $n ->
    [one] 1 sitting
   *[other] { $n } sittings
}
rests-on-sittings = { $blocks } in { $sittings }
of-sittings-with-the-of-between = with the τ of { $tau } between { $n } earlier sittings
of-sittings-means-of = means of { $sittings }
sittings-sittings = Sittings
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
