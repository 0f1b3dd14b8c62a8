//! The protocols that are built in.

use super::Protocol;
use crate::error::Error;

macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("protocols/", $name, ".toml")))),*]
    };
}

/// Their files. Of two whose checks hold as many bits, the first counts: what a PT2262 can say, an EV1527 could, too.
static TEXTS: [(&str, &str); 44] = texts![
    "pt2262",
    "acurite_606tx",
    "acurite_609txc",
    "acurite_tower",
    "alecto_v1",
    "ambient_f007th",
    "bresser_3ch",
    "bresser_5in1",
    "ev1527",
    "fineoffset_wh1050",
    "fineoffset_wh1080",
    "fineoffset_wh2",
    "fineoffset_wh24",
    "fineoffset_wh25",
    "fineoffset_wh31",
    "fineoffset_wh40",
    "fineoffset_wh51",
    "gt_wt_02",
    "hcs300",
    "honeywell_5800",
    "lacrosse_tx",
    "lacrosse_tx29",
    "lacrosse_tx35",
    "lacrosse_tx_humidity",
    "nexa",
    "nexus_th",
    "oregon_bthr968",
    "oregon_pcr800",
    "oregon_rgr968",
    "oregon_thgr122n",
    "oregon_thgr810",
    "oregon_thgr968",
    "oregon_thn132n",
    "oregon_uvn800",
    "oregon_uvr128",
    "oregon_wgr800",
    "oregon_wgr968",
    "prologue_th",
    "rubicson",
    "somfy_rts",
    "tpms_citroen",
    "tpms_ford",
    "tpms_renault",
    "x10_rf",
];

/// The protocols that are built in.
///
/// # Errors
/// [`Error::Protocol`] where one of their files is wrong, which a test excludes.
pub fn builtin() -> Result<Vec<Protocol>, Error> {
    TEXTS.iter().map(|(name, text)| Protocol::from_toml(text, &format!("{name}.toml"))).collect()
}
