//! One JSON object per run, without the list of paths.

use serde_json::{Value, json};
use upshot_suite::Run;

use crate::Notes;

/// The object that `--format json` prints.
pub fn run_json(run: &Run, notes: &Notes) -> Value {
    let head = Run { program: None, suite: None, effort: None, records: Vec::new(), ..run.clone() };
    let mut value = serde_json::to_value(&head).unwrap_or(Value::Null);
    let layers: serde_json::Map<String, Value> = notes
        .layers
        .iter()
        .map(|layer| {
            let figures = json!({"asked": layer.asked, "answered": layer.answered, "time_s": layer.time.as_secs_f64()});
            (layer.name.to_string(), figures)
        })
        .collect();
    value["queries"]["by_layer"] = Value::Object(layers);
    value["limits"] = json!(notes.limits);
    if let Some(range) = &notes.range {
        value["range"] = json!(range);
    }
    value["can_resume"] = json!(notes.can_resume);
    if let Some(count) = notes.cross_checked {
        value["queries"]["cross_checked"] = json!(count);
    }
    if notes.disagreements > 0 {
        value["queries"]["disagreements"] = json!(notes.disagreements);
    }
    value
}
