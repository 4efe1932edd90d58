factors = 哪些设置重要：探索所得，不是论断
not-resolvable = 样本不足：每次启动中超出它的交互太少
finding-matters-each-depends-on = 重要：二者互相依赖
finding-equal-within = 相等，相差在 2% 以内
finding-depends-on-the-other = 依赖另一项设置，影响不足 2%
finding-not-told-apart = 分辨不出
explored-cannot-tell-which-settings = 看不出哪些设置重要：没有哪个效应在三个区组里有相配的组合
explored-interactions-are = { $told } 个交互作用
explored-which-settings-matter-was = 哪些设置重要是探索所得，并非论断：共 { $main_effects } 个主效应（每个都是对其他设置的平均）和 { $interactions } 个交互作用；列出 { $shown }，它们的区间不含 1；若区组数是事先定下而不是看了结果再定的，这一切之中有任何一个本无其事却被列出的概率至多为 { $table }（Holm）
some-of = 哪些设置重要：另有 { $reasons } 项被剔除
factor-columns = 设置 | 指标 | 倍数 | 发现 | 依据
combinations = { $all ->
    [true] 其他设置的 { $of } 种组合
   *[false] 其他设置 { $of } 种组合中相配的 { $matched } 种
}，{ $blocks }
combination-left-out = 哪些设置重要：剔除了 { $named }{ $more ->
    [0] {""}
   *[other] {" "}等另外 { $more } 个
} 的 { $place }：{ $why }
unmatched-change = 哪些设置重要：无法得出 { $change } 对 { $place } 的效应：没有两个变体只差这一项且在三个区组里有值
