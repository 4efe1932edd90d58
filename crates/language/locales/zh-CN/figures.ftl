starts-column-blocks = 区组
starts-column-starts = 启动
starts-cell = 1，没有区间
over-starts-block = { $figure }，1 个区组
over-starts-start = { $figure }，1 次启动
over-starts-several = { $figure }，{ $starts_column } { $n }
