//! Noise that was recorded: an A/A study of two equal reference servers, drawn from anew.

use proofload_stats::rng::Rng;

/// Output of fixtures/aa.py, which describes it.
const RECORD: &str = include_str!("../fixtures/aa.csv");

/// Blocks that follow each other in a drawn study as they did in the record, so that what lasts over blocks lasts.
const STRETCH: usize = 3;

/// Logarithms of what a slice showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Answers per second.
    pub throughput: f64,
    /// 99th percentile of response time, ns.
    pub p99: f64,
    /// CPU time of the server on an answer, ns.
    pub cpu: f64,
}

impl Slice {
    /// The same of a server that is faster by that logarithm.
    pub fn faster(self, by: f64) -> Slice {
        Slice { throughput: self.throughput + by, p99: self.p99 - by, cpu: self.cpu - by }
    }
}

/// Slices by variant and cycle.
pub type Block = [Vec<Slice>; 2];

/// The blocks of the record.
#[derive(Clone, Debug)]
pub struct Recorded {
    blocks: Vec<Block>,
}

impl Recorded {
    pub fn read() -> Recorded {
        Recorded::of(rows(RECORD).map(|cells| {
            let [block, _, variant, throughput, p99, cpu] = cells[..] else { panic!("{cells:?}") };
            (whole(block), whole(variant), slice_of([throughput, p99, cpu]))
        }))
    }

    /// By block and variant.
    pub fn of(slices: impl Iterator<Item = (usize, usize, Slice)>) -> Recorded {
        let mut blocks: Vec<Block> = Vec::new();
        for (block, variant, slice) in slices {
            blocks.resize_with(blocks.len().max(block), Block::default);
            blocks.last_mut().expect("just made")[variant].push(slice);
        }
        assert!(
            blocks.len() >= 10 && blocks.iter().flatten().all(|slices| slices.len() == blocks[0][0].len())
        );
        Recorded { blocks }
    }

    /// Number of its blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// A study of as many blocks: stretches of the record, in each block the two servers named at random (they are
    /// equal), the first then faster by that logarithm.
    pub fn study(&self, rng: &mut Rng, faster: f64, blocks: usize) -> Vec<Block> {
        let mut drawn = Vec::with_capacity(blocks);
        while drawn.len() < blocks {
            let from = rng.below(self.blocks.len() as u64) as usize;
            for at in 0..STRETCH.min(blocks - drawn.len()) {
                let [mut first, mut second] = self.blocks[(from + at) % self.blocks.len()].clone();
                if rng.below(2) == 1 {
                    std::mem::swap(&mut first, &mut second);
                }
                first.iter_mut().for_each(|slice| *slice = slice.faster(faster));
                drawn.push([first, second]);
            }
        }
        drawn
    }
}

/// The cells of each line but the head's.
pub fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with(['#', 'b'])).map(|line| line.split(',').collect())
}

/// A block or a variant.
pub fn whole(text: &str) -> usize {
    text.parse().expect("a whole number")
}

/// From its throughput, p99 and CPU time.
pub fn slice_of(values: [&str; 3]) -> Slice {
    let [throughput, p99, cpu] = values.map(|text| text.parse::<f64>().expect("a number"));
    Slice { throughput, p99, cpu }
}
