//! `superhet soapy-probe`: what `superhet devices` starts for each module of SoapySDR, since drivers may crash or hang.

use clap::Args;
use superhet::io::soapy;

use superhet_terminal::say;
use superhet_terminal::usage::Usage;

/// `superhet soapy-probe`
#[derive(Args, Debug)]
pub struct SoapyProbe {
    /// modules, find, or describe and the arguments of a device
    words: Vec<String>,
}

impl SoapyProbe {
    /// Answers in one line.
    pub fn run(self) -> anyhow::Result<()> {
        say::result(&format!("{}\n", soapy::answer(&self.words).map_err(Usage)?))
    }
}
