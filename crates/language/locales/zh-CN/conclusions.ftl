conclusions = 已发表结论
conclusion = 结论
contradictions = 互相矛盾的发表数据
was = 原为 { $figure }（{ $published_in }）
conclusion-test = { $text }：此处为 { $rests_on }
beware = 旧数据存疑：{ $why }
rests-on-contradiction = 发表的数据自相矛盾：{ $sentence }
