conclusions = 已发表结论
conclusion = 结论
contradictions = 自相矛盾的发表数据
was = 原为 { $figure }（{ $published_in }）
conclusion-test = { $text }：此处为 { $rests_on }
beware = 旧数据不可信：{ $why }
rests-on-contradiction = 发表数据自相矛盾：{ $sentence }
