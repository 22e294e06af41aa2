//! How much of the impact set never differs: `cargo run --release -p upshot-impact --example precision -- 10`, for so many batches of 48 random pairs of each kind.
//! With `--edits`, also for pairs with one edit only, by its kind.
//!
//! The pairs, and what really differs, are those of the soundness test. "Never" is on the inputs tried, so a few of the instructions counted as too many
//! would differ on others.

#[path = "../tests/brute_force/oracle/mod.rs"]
mod oracle;

use oracle::Batch;
use upshot_generate::Edit;
use upshot_impact::{Impact, Reason, Rule};

const INPUTS: usize = 400;

#[derive(Default)]
struct Figures {
    pairs: u64,
    instructions: u64,
    impacted: u64,
    /// By rules (1) and (2) or a change: the others add what leads to impacted code, not what differs.
    forward: u64,
    /// Of those: that differ, and that ran at all.
    differ: u64,
    ran: u64,
}

impl Figures {
    fn add(
        &mut self,
        batch: &Batch,
        impact: &Impact,
        differs: &dyn Fn(usize) -> bool,
        ran: &[bool],
        pairs: &dyn Fn(usize) -> bool,
    ) {
        self.pairs += (0..batch.pairs.len()).filter(|&pair| pairs(pair)).count() as u64;
        for (number, site) in batch.sides[1].sites.iter().enumerate().filter(|(_, site)| pairs(site.pair)) {
            self.instructions += 1;
            let reason: Option<Reason> = impact.new[site.function.index()][site.inst.index()];
            let Some(reason) = reason else { continue };
            self.impacted += 1;
            if matches!(reason.rule, Rule::Changed | Rule::Control | Rule::Data) {
                self.forward += 1;
                self.differ += u64::from(differs(number));
                self.ran += u64::from(ran[number] || differs(number));
            }
        }
    }

    fn row(&self, name: &str) {
        let share = |part: u64, of: u64| if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 };
        println!(
            "| {name} | {} | {} | {:.1} % | {:.1} % | {:.1} % | {:.1} % |",
            self.pairs,
            self.instructions,
            share(self.impacted, self.instructions),
            share(self.forward, self.instructions),
            share(self.forward - self.differ, self.forward),
            share(self.ran - self.differ, self.ran),
        );
    }
}

fn main() {
    let batches = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    println!(
        "| pairs | count | instructions | impacted | forward | of those never differ | of those that run never differ |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (name, kind) in oracle::kinds() {
        let (mut all, mut unfailing) = (Figures::default(), Figures::default());
        let mut by_edit: Vec<(Edit, Figures)> = Edit::ALL.iter().map(|edit| (*edit, Figures::default())).collect();
        for batch in 0..batches {
            let batch = Batch::new(kind.seeds(batch), &kind.options, folder.path());
            let observed = batch.observe(INPUTS, folder.path());
            let differs = |site: usize| observed.differs[1].contains_key(&site);
            let mut ran = vec![false; batch.sides[1].sites.len()];
            observed.ran.iter().for_each(|&site| ran[site] = true);
            all.add(&batch, &batch.inter, &differs, &ran, &|_| true);
            unfailing.add(&batch, &batch.unfailing, &differs, &ran, &|_| true);
            for (edit, figures) in &mut by_edit {
                figures.add(&batch, &batch.inter, &differs, &ran, &|pair| batch.pairs[pair].edits == [*edit]);
            }
        }
        all.row(name);
        if !kind.options.traps {
            unfailing.row(&format!("{name}, if nothing fails"));
        }
        if std::env::args().any(|argument| argument == "--edits") {
            let made = by_edit.iter().filter(|(_, figures)| figures.pairs > 0);
            made.for_each(|(edit, figures)| figures.row(&format!("{name}, {edit:?}")));
        }
    }
}
