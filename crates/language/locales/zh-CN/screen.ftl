screen-expected = 预期
screen-published = 已发表结论
screen-trends = 趋势
in-short-more = { $many }
in-short-one-more = {" "}1 次
answer-alike = = 相当
answer-faster = ✔ 更快
beside = { $over } 的 { $measure } 是 { $under } 的 { $told } 倍
more-claims = {"  "}还有 { $left } 条；合计：成立 { $supported }，不成立 { $refuted }，未定 { $undecided }
counted-reproduced = 已复现
counted-not-reproduced = 未复现
counted-undecided-here-or-not = 此处未定或未检验
counted-without-growth = 无增长
counted-growing = 在增长
counted-undecided = 未定
counted-met = 符合
counted-not-met = 不符
counted-line = { $title }：{ $words } { $good }，{ $words2 } { $bad }，{ $words3 } { $open }
more-rows = 还有 { $left } 行：用 --verbose 查看
load-connections-closed-loop-response = { $connections } 个连接，闭环：响应时间包含互相等待的时间
load-open-loop-at-response = 开环 { $label }：响应时间从每个请求的预定时刻算起
load-loop = { $model }，{ $label }
load-loads = 负载：{ $labels }
based-on-in = ，用时 { $length }
based-on-one-server-after-the = ，各服务器先后运行
based-on-the-servers-taking-turns = ，各服务器轮流运行
based-on-generator-fit = 发压端合格
based-on-generator-at-its-limit = 发压端已到极限
based-on-line = { $what }{ $time }{ $turns }；{ $fitness }
length-s = { $seconds } 秒
length-min = { $seconds } 分钟
said-thorough-measures-older-ones = 服务器尚年轻，测量时启动了 { $from_s } 到 { $to_s } 秒；--thorough 测量运行更久的服务器
said-the-generator-adds = 发压端拉长了 { $measure }，位于 { $place }；请给它专用的 CPU
said-the-generator-was-held = { $of } 个时间片中有 { $n } 个发压端被耽搁；请给它专用的 CPU
more-looks = 时间不够完成计划的全部重启；请加大 --budget
two-cpus = 只有两个 CPU：服务器只有一个，发挥不出最佳水平；请换更大的机器
running = 每个只启动一次，没有重启：要评判配置，请给出带 {"{"}port{"}"} 的命令
one-restart = 检查一切是否正常：一次重启得不出判定；要得到判定请去掉 --smoke
more = { $limits } 条局限和全部检查：proofload report { $run } -v，或其中的 report.html
headline-checked = { $line }（已检查，不作判定）

screen-checked = 已检查
screen-throughput = 吞吐量
screen-cpu-per-request = CPU/请求

# 屏幕按局限的开头和其中的词排序：它们必须与局限本身一致。
begins-client-limited = 发压端受限
begins-overloaded = 过载
begins-young-servers = 服务器尚年轻
begins-could-not-check = 未能检查
begins-any-claim = 任何论断
begins-looks = 检视点
begins-more-trials = 确认之前多于
begins-two-cpus = 核：两个 CPU
begins-block = 区组{" "}
within-did-not-get-through = 未能跑完
within-left-out = 剔除
within-not-judged = 不参与判定
within-not-checked = 未经验证
# 论断句子的分界：结果之后，论断之前。
begins-basis = （
ends-basis = ）。论断“
# 警告中地点之前的词：换一个地点的同一件事不算另一条警告。
before-the-place = ，位于
# 原因和局限里的区组，以及屏幕上的说法。
blocks-begun = {" "}个区组已开始
without-blocks-begun = {" "}{ $many }已开始
blocks-named = {" "}个区组：
without-blocks-named = {" "}{ $many }：
in-short-resolution = 分辨力为
in-short-blocks-more = 个区组
in-short-one-block-more = {" "}1 个区组
replicate-restart = 次重启
replicate-restarts = 次重启
replicate-round = 轮
replicate-rounds = 轮
replicates = { $blocks } { $word }
