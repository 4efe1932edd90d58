starts-column-blocks = 区组
starts-column-starts = 启动
starts-cell = 1，没有区间
over-starts = { $restarted ->
    [true] { $figure }，{ $n } 次启动
   *[false] { $figure }，{ $n } 个区组
}
