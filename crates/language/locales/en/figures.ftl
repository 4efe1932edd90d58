starts-column-blocks = blocks
starts-column-starts = starts
starts-cell = 1, no interval
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
