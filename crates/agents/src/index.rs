//! The number of an agent, where what started it says one.

/// Names of variables in which an engine that starts many processes gives each its number, from 0.
const INDEX_VARIABLES: [&str; 5] = [
    "JOB_COMPLETION_INDEX",
    "SLURM_PROCID",
    "OMPI_COMM_WORLD_RANK",
    "AWS_BATCH_JOB_ARRAY_INDEX",
    "CLOUD_RUN_TASK_INDEX",
];

/// The number that the environment gives this agent, with the variable that says so.
///
/// # Errors
/// When the variable is no number.
pub fn index_from(variable: impl Fn(&str) -> Option<String>) -> Result<Option<u32>, String> {
    let mut given = INDEX_VARIABLES.iter().filter_map(|name| Some((name, variable(name)?)));
    given.next().map_or(Ok(None), |(name, text)| match text.parse() {
        Ok(index) => Ok(Some(index)),
        Err(_) => Err(format!("{name}={text}: is no number from 0; unset it, or give --index")),
    })
}
