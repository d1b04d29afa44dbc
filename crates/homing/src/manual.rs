//! `homing completions` and `homing man`: what is derived from the definition of the command line.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::console::Console;
use crate::error::Error;
use crate::exit::Exit;
use crate::spelling;

pub fn completions(args: &CompletionsArgs, console: &Console) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "homing", &mut script);
    console.result(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Holds)
}

pub fn man(args: &ManArgs, console: &Console) -> Result<Exit, Error> {
    let mut program = Cli::command();
    program.build(); // commands get the name `homing-check` and the usage `homing check`
    let command = match &args.command {
        None => program,
        Some(name) => {
            let known: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
            let found = program.get_subcommands().find(|command| command.get_name() == name).cloned();
            found.ok_or_else(|| Error::NoCommand {
                name: name.clone(),
                near: spelling::nearest(name, &known),
                known,
            })?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Error::Output)?;
    console.result(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Holds)
}
