# 各处显示的第一行：先说出错的，再说未定的，最后说成立的。
lead-regression = 性能回退
lead-against-the-baseline = 与基线相比未定
lead-nothing-judged = 没有剩下可判定的论断
lead-everything-works = 一切正常；只重启一次，不作判定
lead-no-verdict = 无法判定
lead-the-generator = 发压端受限
lead-failed = { $all } 个请求中有 { $n } 个{ $kind }：{ $why }
lead-all-of = { $entry } 的 { $all }
lead-failed-how = { $all } 个请求中有 { $n } 个失败：{ $kind }
lead-ratio = { $what } ×{ $ratio }，容许 { $allowed }
lead-none-compared = 与基线 { $run } 没有任何可比的数据
lead-case = { $what }（与基线相比）
lead-brief-faster = { $first } 快于 { $other }，{ $ratio }
lead-brief-alike = { $first } 与 { $other } 相当，{ $ratio }
lead-brief-open = { $first } 与 { $other } 哪个更快：未定，{ $ratio }
