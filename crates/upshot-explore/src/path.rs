//! A path is the sequence of its decisions (DESIGN, idea 1).
//!
//! At each decision the executor lists the sides in one fixed order; a path's identity is the list of the sides it took. Comparing
//! these lists orders all paths of a program, whatever searched them.

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// Which side, in the executor's order.
    pub side: u32,
    /// It was the only side there is, given what was decided before: it adds nothing to the path condition.
    pub forced: bool,
}

/// The decisions of a path, or of the beginning of one. Ordered by the sides taken; a beginning comes before what it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct Path(pub Vec<Decision>);

/// Twice the side, and one more where it was forced.
impl From<Path> for Vec<u64> {
    fn from(path: Path) -> Self {
        path.0.into_iter().map(|decision| u64::from(decision.side) << 1 | u64::from(decision.forced)).collect()
    }
}

impl From<Vec<u64>> for Path {
    fn from(numbers: Vec<u64>) -> Self {
        Path(numbers.into_iter().map(|n| Decision { side: (n >> 1) as u32, forced: n & 1 != 0 }).collect())
    }
}

impl Path {
    pub fn push(&mut self, side: u32, forced: bool) {
        self.0.push(Decision { side, forced });
    }

    /// The sides taken.
    pub fn sides(&self) -> Vec<u32> {
        self.0.iter().map(|decision| decision.side).collect()
    }

    /// Whether it parts from the other one, and to the side that comes first: then all that it begins comes before all that the other begins.
    pub fn is_left_of(&self, other: &Path) -> bool {
        let parted = self.0.iter().zip(&other.0).find(|(mine, theirs)| mine.side != theirs.side);
        parted.is_some_and(|(mine, theirs)| mine.side < theirs.side)
    }

    /// How many decisions were real ones.
    pub fn depth(&self) -> usize {
        self.0.iter().filter(|decision| !decision.forced).count()
    }
}

impl Ord for Path {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.iter().map(|d| d.side).cmp(other.0.iter().map(|d| d.side))
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(sides: &[u32]) -> Path {
        Path(sides.iter().map(|&side| Decision { side, forced: side > 2 }).collect())
    }

    #[test]
    fn order_is_by_sides() {
        let ordered =
            [path(&[0]), path(&[0, 1]), path(&[0, 1, 7]), path(&[0, 2]), path(&[1]), path(&[2, 0]), path(&[12])];
        assert!(ordered.is_sorted());
        assert!(path(&[0, 1]).is_left_of(&path(&[0, 2, 5])) && path(&[0, 7]).is_left_of(&path(&[1])));
        assert!(!path(&[0, 1]).is_left_of(&path(&[0, 1, 5])) && !path(&[1]).is_left_of(&path(&[0, 7])));
        let mut forced = path(&[0, 1]);
        forced.0[1].forced = true;
        assert_eq!(forced.cmp(&ordered[1]), std::cmp::Ordering::Equal);
    }
}
