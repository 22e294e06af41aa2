//! How much to say, and in which colours.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Colored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Verdict,
    Normal,
    Verbose,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_string(),
            Style::Colored => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    pub(crate) fn doubtful(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }
}
