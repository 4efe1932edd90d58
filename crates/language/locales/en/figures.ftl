starts-column-blocks = blocks
starts-column-starts = starts
starts-cell = 1, no interval
widened = the interval is wider by { $share } for what the generator, late or busy, may have done to it
seen-only-holds-for-the-exchanges = holds for the { $exchanges } exchanges of one start that were seen; with 95 % confidence, less than { $upper } of its exchanges fail, and another start may differ
seen-only-holds-for-the-exchanges-of-starts = holds for the { $exchanges } exchanges of { $starts } starts that were seen; with 95 % confidence, less than { $upper } of such exchanges fail, and less than { $upper_starts } of starts see an error
lower-end-never-answered = never answered
lower-end-never-sent = never sent
lower-end-of-is-a-lower = { $measure } of { $variant } is a lower end: of its requests { $said } rank beyond it
not-resolvable-is-not-resolvable-where = { $measure } is not resolvable where it is marked ≈: { $few_beyond }
unresolved = { $measure }({ $variant }) is not resolvable: { $few_beyond }
few-beyond = as few as { $fewest } exchanges of a start lie beyond it, { $need } are needed; make the starts longer
longer-starts-and-more = {" "}and { $n } more
longer-starts-measuring-longer-per-start = measuring longer per start would narrow { $measure } of { $named }{ $more }: within-start noise exceeds half the spread between starts
over-starts = { $restarted ->
    [true] { $n ->
        [one] { $figure }, 1 start
       *[other] { $figure }, { $n } starts
    }
   *[false] { $n ->
        [one] { $figure }, 1 block
       *[other] { $figure }, { $n } blocks
    }
}
