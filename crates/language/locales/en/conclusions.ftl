conclusions = Published conclusions
conclusion = conclusion
contradictions = Published figures that contradict themselves
was = was { $figure } ({ $published_in })
conclusion-test = { $text }: here { $rests_on }
beware = beware of the old figure: { $why }
rests-on-contradiction = the published figures contradict themselves: { $sentence }
