//! All combinations of choices, one after the other.
//!
//! What depends on choices is executed again and again. Each time it makes the same choices up to the last one that has another
//! option, and takes that.

/// The choices of the execution that is under way.
#[derive(Debug, Default)]
pub struct Choices {
    /// The option taken, and the number of options.
    made: Vec<(u32, u32)>,
    /// How many were made in this execution.
    at: usize,
    /// The number of executions.
    executions: u32,
}

impl Choices {
    /// One of so many options: all of them, in one execution or another. Options that come to be known later have greater numbers.
    pub fn choose(&mut self, options: usize) -> usize {
        debug_assert!(options > 0, "there is nothing to choose from");
        if options == 1 {
            return 0;
        }
        if self.at == self.made.len() {
            self.made.push((0, 0));
        }
        let choice = &mut self.made[self.at];
        choice.1 = options as u32;
        self.at += 1;
        choice.0 as usize
    }

    /// Prepares the next execution; false if all combinations were executed.
    pub fn next(&mut self) -> bool {
        self.executions += 1;
        self.made.truncate(self.at);
        self.at = 0;
        while let Some((option, options)) = self.made.pop() {
            if option + 1 < options {
                self.made.push((option + 1, options));
                return true;
            }
        }
        false
    }

    /// The number of executions so far.
    pub fn executions(&self) -> u32 {
        self.executions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_comes_once() {
        let mut choices = Choices::default();
        let mut seen = Vec::new();
        loop {
            let first = choices.choose(3);
            let second = if first == 1 { choices.choose(2) } else { choices.choose(1) };
            seen.push((first, second));
            if !choices.next() {
                break;
            }
        }
        assert_eq!(seen, [(0, 0), (1, 0), (1, 1), (2, 0)]);
        assert_eq!(choices.executions(), 4);
    }
}
