reproductions = 重做已发表的实验
reproductions-head = 本页由 `proofload reproductions` 根据所列记录写成；要改请改记录，不要改本页。`proofload report` 可由每份记录重新算出所有判定。数据和结论来自所列来源；实测所用的是今天的版本和所列的机器。[用词说明](method/answers.md#published-conclusions-and-figures)。
no-reproductions = 这里还没有记录。
study-conclusions = 结论
study-figures = 发表值与实测值
study-not-tested = 未检验
further-claims = 实验的其他论断
repeat = 重做
measure-again = # 重新测量
compute-again = # 由记录重新算出所有判定
concludes-nothing = 该实验没有列出已发表的结论。
published-by = 发表：{ $published_in }
set-differently = 与实验文件不同：{ $settings }
summary-columns = 实验 | 结论 | 原为 | 此处 | 结果
study-conclusion-columns = 结论 | 原为 | 检验依据 | 此处 | 区组 | 结果
reproductions-tally = { $outcomes } 条结论：{ $each }。
measured-on = 测量：{ $date }，预设 { $preset }，预算 { $minutes } 分钟，区组 { $blocks }{ $ended ->
    [none] {""}
   *[other] ；{ $ended }
}
measured-with = 机器：{ $model ->
    [none] 未知 CPU
   *[other] { $model }
}，{ $cpus } 个 CPU，{ $memory }，Linux { $kernel }；Proofload { $proofload }
