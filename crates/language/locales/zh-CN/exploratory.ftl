exploratory = 探索性：没有哪条论断涉及这些比值；它们可提示下一步该检验什么，本身不是判定
loop = 负载方式
stands-out = 值得注意
exploratory-columns = 比较 | 比值 | 置信度 | 区组 | 负载方式 | 应答数 |{" "}
