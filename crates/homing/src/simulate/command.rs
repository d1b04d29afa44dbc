//! The commands of an interactive simulation.

/// One line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The number of an enabled move.
    Choose(usize),
    /// Take this many random moves.
    Random(usize),
    Back(usize),
    Forward(usize),
    /// Go to the state after this many moves.
    Jump(usize),
    /// Take random moves until the condition holds.
    Until(String),
    Watch(String),
    Unwatch(usize),
    Values,
    History,
    Save(String),
    Help,
    Quit,
    Nothing,
}

pub const HELP: &str = "\
  3            take move 3;  Enter  take the only move
  r, r 10      take one random move, or ten
  b, b 2       go back one move, or two
  f, f 2       go forward again
  j 5          jump to the state after move 5
  u x > 3      random moves until a condition holds (global variables, P[1]:local, P[1]@label); Ctrl-C ends them
  w x + y      watch an expression;  w- 1  remove watch 1
  v            print all values
  l            list the moves so far
  s FILE       save the run as a trail (FILE.json: with all values)
  h            print this help
  q            quit
";

impl Command {
    /// Parses a line, or says what is wrong with it.
    pub fn parse(line: &str) -> Result<Command, String> {
        let line = line.trim();
        let (word, rest) = match line.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (line, ""),
        };
        let count = |default: Option<usize>| match (rest, default) {
            ("", Some(default)) => Ok(default),
            ("", None) => Err(format!("`{word}` needs a number")),
            (rest, _) => rest.parse().map_err(|_| format!("`{rest}` is not a number")),
        };
        let words = |what: &str| match rest {
            "" => Err(format!("`{word}` needs {what}")),
            rest => Ok(rest.to_owned()),
        };
        Ok(match word {
            "" => Command::Nothing,
            "r" | "random" => Command::Random(count(Some(1))?),
            "b" | "back" => Command::Back(count(Some(1))?),
            "f" | "forward" => Command::Forward(count(Some(1))?),
            "j" | "jump" => Command::Jump(count(None)?),
            "u" | "until" => Command::Until(words("a condition")?),
            "w" | "watch" => Command::Watch(words("an expression")?),
            "w-" | "unwatch" => Command::Unwatch(count(None)?),
            "v" | "values" => Command::Values,
            "l" | "list" => Command::History,
            "s" | "save" => Command::Save(words("a file")?),
            "h" | "help" | "?" => Command::Help,
            "q" | "quit" | "exit" => Command::Quit,
            number => match number.parse() {
                Ok(number) if rest.is_empty() => Command::Choose(number),
                _ => return Err(format!("`{line}` is not a command; h lists the commands")),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood() {
        for (line, expected) in [
            (" 3 ", Command::Choose(3)),
            ("r", Command::Random(1)),
            ("r 10", Command::Random(10)),
            ("b 2", Command::Back(2)),
            ("j 0", Command::Jump(0)),
            ("u x > 3 && y", Command::Until("x > 3 && y".to_owned())),
            ("w- 1", Command::Unwatch(1)),
            ("save a b.trail", Command::Save("a b.trail".to_owned())),
            ("", Command::Nothing),
        ] {
            assert_eq!(Command::parse(line), Ok(expected), "{line}");
        }
        for line in ["x", "3 4", "j", "j x", "w", "b -1", "s"] {
            assert!(Command::parse(line).is_err(), "{line}");
        }
    }
}
