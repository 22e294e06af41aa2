//! Where a partition lies among all: the decisions that lead to it, first those of the old version and then those of the new one.
//!
//! A place can be written down and come back to, in another worker or another run: following it asks the solver nothing. With every decision stand the sides that
//! exist, so the places that are done say by themselves which ones are not ([`pending`]).

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub side: u32,
    /// The sides that exist, in order; only that one where there is no other.
    pub among: Arc<[u32]>,
}

/// The decisions up to a partition. Ordered by the sides taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(pub(crate) Vec<Choice>);

impl Place {
    pub(crate) fn push(&mut self, side: u32, among: Arc<[u32]>) {
        self.0.push(Choice { side, among });
    }

    fn with(&self, length: usize, side: u32) -> Place {
        let mut place = Place(self.0[..=length].to_vec());
        place.0[length].side = side;
        place
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.iter().map(|choice| choice.side).cmp(other.0.iter().map(|choice| choice.side))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// `0 1:0,1,3 0`: the sides taken, each with those that exist where they are several.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, choice) in self.0.iter().enumerate() {
            let gap = if number == 0 { "" } else { " " };
            write!(formatter, "{gap}{}", choice.side)?;
            for (index, side) in choice.among.iter().enumerate().filter(|_| choice.among.len() > 1) {
                write!(formatter, "{}{side}", if index == 0 { ":" } else { "," })?;
            }
        }
        Ok(())
    }
}

/// The text is no place.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a place: {0}")]
pub struct BadPlace(String);

impl FromStr for Place {
    type Err = BadPlace;

    fn from_str(text: &str) -> Result<Place, BadPlace> {
        let bad = || BadPlace(text.to_string());
        let mut place = Place::default();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let (side, among) = word.split_once(':').unwrap_or((word, word));
            let side = side.parse().map_err(|_| bad())?;
            let among: Result<Vec<u32>, _> = among.split(',').map(str::parse).collect();
            let among = among.map_err(|_| bad())?;
            if !among.contains(&side) {
                return Err(bad());
            }
            place.push(side, among.into());
        }
        Ok(place)
    }
}

/// What is left where these places are done: the beginnings of all other paths, in order.
pub fn pending(done: &[Place]) -> Vec<Place> {
    let mut sorted: Vec<&Place> = done.iter().collect();
    sorted.sort();
    let mut left = Vec::new();
    // Places that share so many decisions.
    let mut work = vec![(0usize, sorted.len(), 0usize)];
    if sorted.is_empty() {
        return vec![Place::default()];
    }
    while let Some((from, to, length)) = work.pop() {
        let group = &sorted[from..to];
        // One that ends here is all there is.
        if group.iter().any(|place| place.0.len() == length) {
            continue;
        }
        let mut among: Vec<u32> = group.iter().flat_map(|place| place.0[length].among.iter().copied()).collect();
        among.sort_unstable();
        among.dedup();
        for side in among {
            let first = from + group.partition_point(|place| place.0[length].side < side);
            let last = from + group.partition_point(|place| place.0[length].side <= side);
            match first < last {
                true => work.push((first, last, length + 1)),
                false => left.push(group[0].with(length, side)),
            }
        }
    }
    left.sort();
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        text.parse().unwrap()
    }

    #[test]
    fn a_place_can_be_written_and_read() {
        for text in ["", "0", "0 1:0,1,3 0 2:2,4"] {
            assert_eq!(place(text).to_string(), text);
        }
        for text in ["x", "1:0,2", "1:", "-1"] {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_left_are_the_sides_that_nobody_has_taken() {
        let texts = |done: &[&str]| {
            let done: Vec<Place> = done.iter().map(|text| place(text)).collect();
            pending(&done).iter().map(Place::to_string).collect::<Vec<_>>()
        };
        assert_eq!(texts(&[]), [""]);
        assert_eq!(texts(&[""]), Vec::<String>::new());
        assert_eq!(texts(&["0 0:0,1"]), ["0 1:0,1"]);
        assert_eq!(texts(&["0:0,1 0", "1:0,1 2:0,2,3"]), ["1:0,1 0:0,2,3", "1:0,1 3:0,2,3"]);
        assert_eq!(texts(&["0:0,1 0", "1:0,1"]), Vec::<String>::new());
        assert_eq!(texts(&["1:0,1 0 1:0,1 0"]), ["0:0,1", "1:0,1 0 0:0,1"]);
    }
}
