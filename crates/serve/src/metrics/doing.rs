//! What a run is doing.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    #[default]
    Preparing,
    Starting,
    WarmingUp,
    /// A slice is measured, or about to be.
    Measuring,
    /// Slices beside the figures, which check the generator.
    Checking,
    /// It is over, and whole.
    Finished,
    Interrupted,
    Failed,
}

impl Doing {
    /// Everything that may be done.
    pub const ALL: [Doing; 8] = [
        Doing::Preparing,
        Doing::Starting,
        Doing::WarmingUp,
        Doing::Measuring,
        Doing::Checking,
        Doing::Finished,
        Doing::Interrupted,
        Doing::Failed,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Doing::Preparing => "preparing",
            Doing::Starting => "starting",
            Doing::WarmingUp => "warm-up",
            Doing::Measuring => "measuring",
            Doing::Checking => "checking",
            Doing::Finished => "finished",
            Doing::Interrupted => "interrupted",
            Doing::Failed => "failed",
        }
    }

    /// Whether nothing comes after it.
    pub const fn is_over(self) -> bool {
        matches!(self, Doing::Finished | Doing::Interrupted | Doing::Failed)
    }
}
