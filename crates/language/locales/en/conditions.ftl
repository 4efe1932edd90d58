said-with = { $interval } with { $condition_in_words }
asked-with = asked only with { $conditions }
said-depends-on = depends on: { $each }{ $alike ->
    [true] ; the verdict is the same with each
   *[false] {""}
}
conditions-how = { $vary ->
    [true] varied over the blocks: { $all }
   *[false] fixed: { $all }
}
