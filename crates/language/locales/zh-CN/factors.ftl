factors = 哪些设置有影响：探索所得，不是论断
finding-matters-each-depends-on = 有影响：二者互相依赖
finding-equal-within = 等效，相差在 2% 以内
finding-depends-on-the-other = 依赖另一项设置，影响不足 2%
finding-not-told-apart = 分辨不出
factor-columns = 设置 | 指标 | 倍数 | 发现 | 依据
combinations = { $all ->
    [true] 其他设置的 { $of } 种组合
   *[false] 其他设置 { $of } 种组合中相配的 { $matched } 种
}，{ $blocks }
