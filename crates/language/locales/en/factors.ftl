factors = Which settings matter: explored, not claimed
finding-matters-each-depends-on = matters: each depends on the other
finding-equal-within = equal within 2 %
finding-depends-on-the-other = depends on the other, by less than 2 %
finding-not-told-apart = not told apart
factor-columns = setting | figure | times as much | finding | based on
combinations = { $all ->
    [true] { $of ->
        [one] 1 combination of the others
       *[other] { $of } combinations of the others
    }
   *[false] { $matched } of { $of } combinations of the others, those that match
}, { $blocks }
