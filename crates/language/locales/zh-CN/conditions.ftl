said-with = { $condition_in_words }时为 { $interval }
said-the-verdict-is-the = ；每种条件下判定相同
said-depends-on = 取决于测量条件：{ $each }{ $same }
conditions-or = {" "}或{" "}
conditions-varied-over-the-blocks = 在各区组间变化
conditions-fixed = 固定
conditions-how = { $how }：{ $all }
asked-with = 只在{ $conditions }的条件下测过
