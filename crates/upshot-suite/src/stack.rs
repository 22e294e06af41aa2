//! Which frames of a stack are shown. Endless recursion has tens of thousands of them, all alike.

/// Frames at the inner end, and at the outer end, that are always shown.
const INNER: usize = 20;
const OUTER: usize = 5;

/// What is printed for one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackPart {
    Shown,
    /// This is the first of so many frames for which one line stands.
    LeftOut(usize),
    Within,
}

/// What to print for frame number `index`, innermost first, of a stack.
pub fn stack_part(index: usize, frames: usize) -> StackPart {
    // One line in place of one frame would save nothing.
    if frames <= INNER + OUTER + 1 || index < INNER || index >= frames - OUTER {
        StackPart::Shown
    } else if index == INNER {
        StackPart::LeftOut(frames - INNER - OUTER)
    } else {
        StackPart::Within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_shown_or_counted() {
        for frames in [0, 1, 25, 26, 27, 1000] {
            let counts = (0..frames).map(|index| match stack_part(index, frames) {
                StackPart::Shown => 1,
                StackPart::LeftOut(count) => count,
                StackPart::Within => 0,
            });
            assert_eq!(counts.sum::<usize>(), frames);
            let lines = (0..frames).filter(|&index| stack_part(index, frames) != StackPart::Within).count();
            assert!(lines <= INNER + OUTER + 1);
        }
    }
}
