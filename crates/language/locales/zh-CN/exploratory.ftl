exploratory = 探索性：没有论断问过这些比值；它们可以提示接下来该论断什么，本身不是判定
loop = 负载方式
stands-out = 突出
exploratory-columns = 比较 | 比值 | 置信度 | 区组 | 负载方式 | 应答数 |{" "}
