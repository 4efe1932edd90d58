starts-column-blocks = blocks
starts-column-starts = starts
starts-cell = 1, no interval
over-starts-block = { $figure }, 1 block
over-starts-start = { $figure }, 1 start
over-starts-several = { $figure }, { $n } { $starts_column }
