//! `superhet waterfall`: the spectra of a recording over time, as a picture or in the terminal.

use clap::Args;

use crate::picture::{self, PictureArgs, Screen};
use crate::quantity;
use superhet_terminal::say;

/// `superhet waterfall`
#[derive(Args, Debug)]
pub struct Waterfall {
    #[command(flatten)]
    picture: PictureArgs,
    /// How many frames each row is the mean of, at least [default: as many as let all of them be seen]
    #[arg(long, value_name = "FRAMES", default_value = "1", value_parser = quantity::samples)]
    average: u64,
}

/// How many rows a picture shows at most, and half of it at least, where there are so many frames.
const ROWS: usize = 1024;

impl Waterfall {
    /// Draws it.
    pub fn run(self) -> anyhow::Result<()> {
        let format = self.picture.format()?;
        let spectra = self.picture.spectra(None, self.average, ROWS)?;
        if let Some(format) = format {
            self.picture.write(&picture::waterfall(&spectra, format)?)?;
        }
        if self.picture.terminal || format.is_none() {
            say::result(&picture::waterfall_in_terminal(&spectra, &Screen::detect()))?;
        }
        Ok(())
    }
}
