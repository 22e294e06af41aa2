//! Integer types, and the inputs of a function whose parameters have them.

/// A C integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntType {
    Bool,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
}

impl IntType {
    pub fn c_name(self) -> &'static str {
        match self {
            IntType::Bool => "_Bool",
            IntType::SignedChar => "signed char",
            IntType::UnsignedChar => "unsigned char",
            IntType::Short => "short",
            IntType::UnsignedShort => "unsigned short",
            IntType::Int => "int",
            IntType::Unsigned => "unsigned",
            IntType::Long => "long",
        }
    }

    /// Bits that values differ in.
    pub fn bits(self) -> u32 {
        match self {
            IntType::Bool => 1,
            IntType::SignedChar | IntType::UnsignedChar => 8,
            IntType::Short | IntType::UnsignedShort => 16,
            IntType::Int | IntType::Unsigned => 32,
            IntType::Long => 64,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, IntType::SignedChar | IntType::Short | IntType::Int | IntType::Long)
    }

    /// The least and the greatest value.
    pub fn range(self) -> (i64, i64) {
        let bits = self.bits();
        if self.is_signed() { (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)) } else { (0, (1 << bits) - 1) }
    }
}

/// A parameter of the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub int_type: IntType,
}

impl Parameter {
    /// How many values it has.
    pub fn values(&self) -> u128 {
        1 << self.int_type.bits()
    }

    /// At most so many of its values, all of them if there are no more: small ones first, since constants in the programs are small, then the ends of the range.
    pub fn samples(&self, most: usize) -> Vec<i64> {
        let (low, high) = self.int_type.range();
        let near = (0..=high.min(1 << 17)).zip(1..).flat_map(|(up, down)| [up, -down]);
        let mut samples: Vec<i64> = near.filter(|value| (low..=high).contains(value)).take(most).collect();
        if (samples.len() as u128) < self.values() && most > 4 {
            let ends: Vec<i64> = [low, high].into_iter().filter(|end| !samples.contains(end)).collect();
            samples.truncate(most - ends.len());
            samples.extend(ends);
        }
        samples.sort_unstable();
        samples
    }
}

/// Inputs for these parameters: every combination of values, of so many per parameter that there are at most `most`.
pub fn inputs(parameters: &[Parameter], most: usize) -> Vec<Vec<i64>> {
    let mut left = most.max(1);
    // The narrowest first: what they do not need goes to the others.
    let mut order: Vec<usize> = (0..parameters.len()).collect();
    order.sort_by_key(|&at| parameters[at].int_type.bits());
    let mut samples = vec![Vec::new(); parameters.len()];
    for (done, &at) in order.iter().enumerate() {
        let share = (left as f64).powf(1.0 / (parameters.len() - done) as f64 + 1e-9) as usize;
        samples[at] = parameters[at].samples(share.max(1));
        left /= samples[at].len();
    }
    let mut inputs = vec![Vec::new()];
    for values in samples {
        inputs = inputs
            .into_iter()
            .flat_map(|input| values.iter().map(move |&value| [input.as_slice(), &[value]].concat()))
            .collect();
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(int_type: IntType) -> Parameter {
        Parameter { name: "u".to_string(), int_type }
    }

    #[test]
    fn samples_are_values_of_the_type() {
        assert_eq!(parameter(IntType::Bool).samples(9), [0, 1]);
        assert_eq!(parameter(IntType::SignedChar).samples(6), [-128, -2, -1, 0, 1, 127]);
        assert_eq!(parameter(IntType::UnsignedChar).samples(1000).len(), 256);
        assert_eq!(parameter(IntType::SignedChar).samples(1000).len(), 256);
        assert_eq!(parameter(IntType::Short).samples(70_000).len(), 65_536);
    }

    #[test]
    fn inputs_are_all_combinations() {
        let all = inputs(&[parameter(IntType::Bool), parameter(IntType::UnsignedChar)], 1000);
        assert_eq!(all.len(), 512);
        assert_eq!(inputs(&[parameter(IntType::SignedChar), parameter(IntType::UnsignedChar)], 81).len(), 81);
        assert_eq!(inputs(&[], 10), [Vec::<i64>::new()]);
    }
}
