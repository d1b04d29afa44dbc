//! The flags of `homing completions` and `homing man`.

use clap::Args;
use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  homing completions bash > ~/.local/share/bash-completion/completions/homing
  homing completions zsh > ~/.zfunc/_homing
  homing completions fish > ~/.config/fish/completions/homing.fish";

/// Prints a script that completes homing's commands and options in a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  homing man | man -l -            the manual page of homing
  homing man check > homing-check.1";

/// Prints the manual page of homing or of one of its commands
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// The command; none for the page of homing
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}
