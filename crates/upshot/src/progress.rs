//! A bar on the terminal while the work is going on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use upshot_explore::Progress;

/// Shows the figures until it is dropped. Draws nothing where stderr is no terminal.
pub struct Bar {
    bar: ProgressBar,
    done: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Bar {
    pub fn show(progress: Arc<Progress>) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        let done = Arc::new(AtomicBool::new(false));
        let (drawn, stop) = (bar.clone(), done.clone());
        let thread = std::thread::spawn(move || {
            while !stop.load(Relaxed) {
                let figure = |value: &std::sync::atomic::AtomicU64| value.load(Relaxed);
                drawn.set_message(format!(
                    "{} paths, {} with errors, {} states waiting, {} ranges shared, {} questions",
                    figure(&progress.paths),
                    figure(&progress.errors),
                    figure(&progress.pending),
                    figure(&progress.ranges),
                    figure(&progress.questions),
                ));
                drawn.tick();
                std::thread::park_timeout(Duration::from_millis(100));
            }
        });
        Bar { bar, done, thread: Some(thread) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.done.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
