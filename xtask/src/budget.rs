//! CPU budget of each step of the gate: xtask/budget.txt, in units of a fixed piece of work that is timed in
//! the same run, since the speed of a machine moves by a fifth within the hour.

use crate::tools;
use anyhow::{Context, bail, ensure};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

const FILE: &str = "xtask/budget.txt";
/// A step fails above its budget by this factor and by [`SLACK_S`], both.
const FACTOR_MAX: f64 = 1.3;
/// CPU seconds.
const SLACK_S: f64 = 10.0;
/// Functions of the program whose compilation is the unit.
const FUNCTIONS: u32 = 700;

/// Cost of a step.
pub struct Spent {
    /// The step.
    pub name: &'static str,
    /// From its start to its end.
    pub seconds: f64,
    /// User and system time of it and its children.
    pub cpu_seconds: f64,
    /// Failure.
    pub failed: Option<String>,
}

/// A line of the file.
pub struct Budget {
    /// The step.
    pub name: String,
    units: f64,
}

/// The budgets, in the order of the file.
pub fn read(root: &Path) -> anyhow::Result<Vec<Budget>> {
    let text = fs::read_to_string(root.join(FILE)).context(FILE)?;
    parse(&text)
}

fn parse(text: &str) -> anyhow::Result<Vec<Budget>> {
    let rows = text.lines().enumerate().filter(|(_, line)| line.starts_with("| "));
    let rows = rows.skip(2).map(|(at, line)| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let (Some(name), Some(units), Some(why)) = (cells.next(), cells.next(), cells.next()) else {
            bail!("{FILE}:{}: a row is `| step | units | what for |`", at + 1);
        };
        ensure!(!why.is_empty(), "{FILE}:{}: say what {name} takes it for", at + 1);
        let units = units.parse().with_context(|| format!("{FILE}:{}: {units} is no number", at + 1))?;
        Ok(Budget { name: name.to_owned(), units })
    });
    rows.collect()
}

/// CPU seconds that the fixed piece of work takes now: one compilation, which is most of what the gate does.
pub fn unit() -> anyhow::Result<f64> {
    let place = tools::scratch("unit")?;
    let mut program = String::new();
    for n in 0..FUNCTIONS {
        writeln!(
            program,
            "pub fn f{n}(words: &[String]) -> std::collections::BTreeMap<String, [u64; {}]> {{\n\
             let mut counts = std::collections::BTreeMap::new();\n\
             for (at, word) in words.iter().enumerate().filter(|(at, _)| at % 7 != {}) {{\n\
             counts.entry(word.to_lowercase()).or_insert([0; {}])[at % {}] += {n};\n}}\ncounts\n}}",
            n % 5 + 1,
            n % 7,
            n % 5 + 1,
            n % 5 + 1,
        )?;
    }
    fs::write(place.join("unit.rs"), program)?;
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=lib", "--emit=obj", "-Copt-level=0", "unit.rs"]);
    let (cpu_seconds, status) = tools::run_counting(rustc.current_dir(&place))?;
    fs::remove_dir_all(&place)?;
    ensure!(status.success() && cpu_seconds > 0.0, "the unit of the budget cannot be compiled: {status}");
    Ok(cpu_seconds)
}

/// Prints what each step took, and fails for those far above their budget.
pub fn judge(root: &Path, units: &mut [f64], spent: &[Spent]) -> anyhow::Result<()> {
    units.sort_by(f64::total_cmp);
    let unit = units[units.len() / 2];
    let (table, over) = compare(&read(root)?, unit, spent)?;
    println!("\n{table}");
    ensure!(over.is_empty(), "over the budget:\n{}\nmake it less, or say why in {FILE}", over.join("\n"));
    Ok(())
}

fn compare(budgets: &[Budget], unit: f64, spent: &[Spent]) -> anyhow::Result<(String, Vec<String>)> {
    let mut table =
        format!("{:<22}{:>9}{:>14}{:>8}{:>8}\n", "step", "seconds", "CPU seconds", "units", "budget");
    let mut over = Vec::new();
    for step in spent {
        let budget = budgets.iter().find(|budget| budget.name == step.name);
        let budget = budget.with_context(|| format!("{FILE} has no row for {}", step.name))?.units;
        let found = step.cpu_seconds / unit;
        writeln!(
            table,
            "{:<22}{:>9.0}{:>14.1}{found:>8.1}{budget:>8.1}",
            step.name, step.seconds, step.cpu_seconds
        )?;
        if found > FACTOR_MAX * budget && step.cpu_seconds > budget * unit + SLACK_S {
            over.push(format!("{}: {found:.1} units, {budget:.1} allowed", step.name));
        }
    }
    let total: f64 = spent.iter().map(|step| step.cpu_seconds).sum();
    let allowed: f64 = budgets.iter().map(|budget| budget.units).sum();
    writeln!(table, "{:<22}{:>9}{total:>14.1}{:>8.1}{allowed:>8.1}", "all", "", total / unit)?;
    write!(table, "one unit: {unit:.2} CPU seconds")?;
    Ok((table, over))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "What for.\n\n| step | units | what for |\n| --- | --- | --- |\n| a | 10 | tests |\n";

    fn spent(cpu_seconds: f64) -> [Spent; 1] {
        [Spent { name: "a", seconds: 1.0, cpu_seconds, failed: None }]
    }

    #[test]
    fn a_step_far_above_its_budget_is_over_it_on_a_fast_and_a_slow_machine() {
        let budgets = parse(TEXT).unwrap();
        let over = |cpu_seconds, unit| !compare(&budgets, unit, &spent(cpu_seconds)).unwrap().1.is_empty();
        assert!(!over(50.0, 4.0) && !over(51.9, 4.0), "within 30 %");
        assert!(over(52.1, 4.0), "30 % and 10 s above");
        assert!(!over(52.1, 5.0), "on a slower machine that is little more than the budget");
        assert!(!over(19.0, 1.0), "less than 10 s above");
        assert!(over(21.0, 1.0));
    }

    #[test]
    fn a_row_without_a_number_or_a_reason_and_a_step_without_a_row_are_errors() {
        assert!(parse(&TEXT.replace("10", "ten")).is_err());
        assert!(parse(&TEXT.replace("tests", "")).is_err());
        assert!(compare(&[], 1.0, &spent(1.0)).is_err());
    }
}
