said-with = { $condition_in_words }时为 { $interval }
asked-with = 只在以下条件下测过：{ $conditions }
said-depends-on = 取决于测量条件：{ $each }{ $alike ->
    [true] ；各条件下判定相同
   *[false] {""}
}
conditions-how = { $vary ->
    [true] 在各区组间变化：{ $all }
   *[false] 固定：{ $all }
}
