//! Prints the pair of a seed: `cargo run -p upshot-generate --example show -- 7`.

use upshot_generate::{Options, pair};

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let pair = pair(seed, &Options::default());
    println!("// old\n{}\n// new: {:?} ({:?})\n{}", pair.old, pair.edits, pair.effect, pair.new);
}
