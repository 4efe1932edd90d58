factors = Which settings matter: explored, not claimed
not-resolvable = not resolvable, too few exchanges of a start lie beyond it
finding-matters-each-depends-on = matters: each depends on the other
finding-equal-within = equal within 2 %
finding-depends-on-the-other = depends on the other, by less than 2 %
finding-not-told-apart = not told apart
explored-cannot-tell-which-settings = cannot tell which settings matter: no effect has matched combinations in three blocks
explored-interactions-are = { $told ->
    [one] 1 interaction is
   *[other] { $told } interactions are
}
explored-which-settings-matter-was = which settings matter was explored, not claimed: of { $main_effects } main effects, each an average over the other settings, and { $interactions } interactions; { $shown } shown, the interval of which excludes 1; with a probability of { $table } at most any of all these is told although there is nothing (Holm), where the number of blocks was fixed before and not by what was found
some-of = which settings matter: { $reasons } more were left out
factor-columns = setting | figure | times as much | finding | based on
combinations = { $all ->
    [true] { $of ->
        [one] 1 combination of the others
       *[other] { $of } combinations of the others
    }
   *[false] { $matched } of { $of } combinations of the others, those that match
}, { $blocks }
combination-left-out = which settings matter: { $place } of { $named }{ $more ->
    [0] {""}
   *[other] {" "}and { $more } more
} left out: { $why }
unmatched-change = which settings matter: no effect of { $change } on { $place }: no two variants differ in it alone and have values in three blocks
