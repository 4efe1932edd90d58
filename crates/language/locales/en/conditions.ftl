said-with = { $interval } with { $condition_in_words }
said-the-verdict-is-the = ; the verdict is the same with each
said-depends-on = depends on: { $each }{ $same }
conditions-or = {" "}or{" "}
conditions-varied-over-the-blocks = varied over the blocks
conditions-fixed = fixed
conditions-how = { $how }: { $all }
asked-with = asked only with { $conditions }
