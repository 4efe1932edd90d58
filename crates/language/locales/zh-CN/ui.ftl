ui-open = 请在浏览器中打开此地址：知道它的人都能读取运行记录；Ctrl-C 结束
ui-runs = 运行记录
ui-all-runs = 全部运行
ui-search = 搜索
ui-search-for = 实验、结论、机器、日期……
ui-compare = 比较所选的两次运行
ui-columns = {" "}| 实验 | 开始 | 状态 | 结论 | 规模 | 机器
ui-no-match = 没有匹配的运行。查找范围是实验、问题、标识、日期、状态、预设、结论和机器；每个词都必须出现。
ui-no-runs = 还没有运行记录
ui-first-url = 用十秒测量一个正在运行的服务器
ui-first-compare = 判断两个正在运行的服务器哪个更快
ui-first-study = 生成第一个实验，启动其中的服务器，并判定各条论断
ui-appears = 每条命令都会在上面的文件夹里留下一条记录，并自动出现在这里。
ui-running = 正在运行
ui-still-open = 待定
ui-so-far = 判定和指标只依据目前已完成的区组，在最后一次检视之前都可能改变。随时间变化的图和百分位图还包含正在测量的区组的时间片。
ui-first-block = 第一个区组完成之前，没有判定和指标。
ui-last = 各变体最近的时间片
ui-last-columns = 变体 | 负载 | 阶段 | 吞吐量 | p50 | p99
ui-two-runs = 两次运行对比
ui-choose-two = 请先在列表中选择两次运行，再作比较。
ui-not-there = 没有这次运行，或者它已经不在了。
ui-single = 其中之一是单次测量（proofload URL）：它没有区组，各项指标也就没有可供比较的区间。要比较两个正在运行的服务器，请用：proofload compare URL URL
ui-side-columns = {" "}| 第一个 | 第二个
ui-swap = 互换位置
ui-no-claims = 两次运行都没有论断。
ui-same = 全部相同。
ui-differs = 不同
ui-with-before = 与上一次运行比较
ui-nothing = 这个地址没有对应的页面。
ui-lost = proofload ui 不再应答：它已结束，或者无法连接。显示的是最后一次应答时的内容。
# 后面是状态码。
ui-failed-since = 显示的是最后一次应答时的内容。此后 proofload ui 返回错误
ui-refused-host = 拒绝访问：此页面只供 127.0.0.1 和 localhost 使用。
ui-refused-token = 拒绝访问：请打开 proofload ui 打印的完整地址；每次启动的地址都不同。
ui-refused-origin = 拒绝访问：请求来自其他来源的页面。
ui-refused-method = 拒绝访问：此页面只能读取（GET、HEAD）。
ui-refused-body = 拒绝访问：请求不得带有请求体。
ui-failed = 无法生成此页面；这是 Proofload 的缺陷，请报告。
ui-in-folder = 位于 { $folder }
ui-shown-of = 共 { $all } 次运行，只显示最新的 { $shown } 次：其余的请用搜索查找。
ui-choose = 比较 { $study } { $id }
ui-length-single = 单次测量
ui-block = 正在测量区组 { $number }。
ui-block-of = 正在测量区组 { $number }，至多 { $most } 个。
ui-slices-none = 其中还没有完成的时间片：服务器正在启动或预热。
ui-slices = 其中已完成 { $done } 个时间片。
ui-slices-of = 其中 { $expected } 个时间片已完成 { $done } 个。
ui-complete = 已完成 { $n } 个区组。
ui-time-left = 待定：{ $left }。
ui-same-facts = { $n } 项相同
ui-unread = 无法读取此记录：{ $why }
ui-unread-folder = 无法读取文件夹 { $folder }，其中的运行没有显示：{ $why }
ui-odd = { $path } 是链接、管道或设备，可能指向记录之外；请将它删除
ui-measuring = 这台机器正在测量：{ $pid ->
    [none] 另一个进程
   *[other] 进程 { $pid }
}{ $what ->
    [none] {""}
   *[other] （{ $what }）
}{ $since ->
    [none] {""}
   *[other] ，始于 { $since }
}。此页面会给它让路，但这台机器上的浏览器不会：请从另一台机器查看，或关闭此标签页。
