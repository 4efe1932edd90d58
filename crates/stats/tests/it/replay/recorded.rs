//! Noise that was recorded: an A/A study of two equal reference servers, drawn from anew.

use proofload_stats::rng::Rng;

/// Made by fixtures/aa.py, which says how.
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
        let mut blocks: Vec<Block> = Vec::new();
        for line in RECORD.lines().filter(|line| !line.starts_with(['#', 'b'])) {
            let cells: Vec<&str> = line.split(',').collect();
            let [block, _, variant, throughput, p99, cpu] = cells[..] else { panic!("{line:?}") };
            let number = |text: &str| text.parse::<f64>().expect("a number");
            let slice = Slice { throughput: number(throughput), p99: number(p99), cpu: number(cpu) };
            blocks.resize_with(blocks.len().max(block.parse().expect("a block")), Block::default);
            let variant: usize = variant.parse().expect("a variant");
            blocks.last_mut().expect("just made")[variant].push(slice);
        }
        assert!(
            blocks.len() >= 10 && blocks.iter().flatten().all(|slices| slices.len() == blocks[0][0].len())
        );
        Recorded { blocks }
    }

    /// How many it has.
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
