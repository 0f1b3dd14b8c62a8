//! The catalogue of parametrised CRC algorithms: checksums by name.

use crate::digital::codes::crc::{Crc, CrcSettings};
use crate::error::Error;

/// A checksum of the catalogue.
macro_rules! of {
    ($algorithm:ident) => {{
        let algorithm = ::crc::$algorithm;
        Named {
            settings: CrcSettings {
                bits: algorithm.width as u32,
                polynomial: algorithm.poly as u64,
                // The catalogue says it for bits that are not reflected.
                initial: if algorithm.refin {
                    (algorithm.init as u64).reverse_bits() >> (64 - algorithm.width)
                } else {
                    algorithm.init as u64
                },
                final_xor: algorithm.xorout as u64,
                input_reflected: algorithm.refin,
                result_reflected: algorithm.refout,
            },
            #[cfg(test)]
            check: algorithm.check as u64,
        }
    }};
}

/// A checksum of the catalogue.
struct Named {
    settings: CrcSettings,
    /// The checksum of the digits 1 to 9.
    #[cfg(test)]
    check: u64,
}

/// Other names that are in use.
const ALIASES: [(&str, &str); 31] = [
    ("CRC-8", "CRC-8/SMBUS"),
    ("CRC-8/MAXIM", "CRC-8/MAXIM-DOW"),
    ("CRC-8/ITU", "CRC-8/I-432-1"),
    ("CRC-16", "CRC-16/ARC"),
    ("CRC-16/IBM", "CRC-16/ARC"),
    ("CRC-16/LHA", "CRC-16/ARC"),
    ("CRC-16/X-25", "CRC-16/IBM-SDLC"),
    ("CRC-16/X.25", "CRC-16/IBM-SDLC"),
    ("X-25", "CRC-16/IBM-SDLC"),
    ("CRC-16/ISO-HDLC", "CRC-16/IBM-SDLC"),
    ("CRC-16/CCITT-FALSE", "CRC-16/IBM-3740"),
    ("CRC-16/AUTOSAR", "CRC-16/IBM-3740"),
    ("CRC-16/CCITT", "CRC-16/KERMIT"),
    ("CRC-16/CCITT-TRUE", "CRC-16/KERMIT"),
    ("CRC-16/AUG-CCITT", "CRC-16/SPI-FUJITSU"),
    ("CRC-16/ACORN", "CRC-16/XMODEM"),
    ("CRC-16/ZMODEM", "CRC-16/XMODEM"),
    ("CRC-16/V-41-MSB", "CRC-16/XMODEM"),
    ("CRC-16/BUYPASS", "CRC-16/UMTS"),
    ("CRC-16/EPC", "CRC-16/GENIBUS"),
    ("CRC-A", "CRC-16/ISO-IEC-14443-3-A"),
    ("CRC-B", "CRC-16/IBM-SDLC"),
    ("MODBUS", "CRC-16/MODBUS"),
    ("CRC-24", "CRC-24/OPENPGP"),
    ("CRC-32", "CRC-32/ISO-HDLC"),
    ("CRC-32/V-42", "CRC-32/ISO-HDLC"),
    ("CRC-32C", "CRC-32/ISCSI"),
    ("CRC-32/CASTAGNOLI", "CRC-32/ISCSI"),
    ("CRC-32/POSIX", "CRC-32/CKSUM"),
    ("CRC-64", "CRC-64/ECMA-182"),
    ("CRC-64/GO-ECMA", "CRC-64/XZ"),
];

/// Every checksum of the catalogue with up to 64 bits.
///
/// # Source
/// G. Cook, Catalogue of parametrised CRC algorithms, <https://reveng.sourceforge.io/crc-catalogue/>, as the crate `crc` has it.
static CATALOGUE: [(&str, Named); 112] = [
    ("CRC-3/GSM", of!(CRC_3_GSM)),
    ("CRC-3/ROHC", of!(CRC_3_ROHC)),
    ("CRC-4/G-704", of!(CRC_4_G_704)),
    ("CRC-4/INTERLAKEN", of!(CRC_4_INTERLAKEN)),
    ("CRC-5/EPC-C1G2", of!(CRC_5_EPC_C1G2)),
    ("CRC-5/G-704", of!(CRC_5_G_704)),
    ("CRC-5/USB", of!(CRC_5_USB)),
    ("CRC-6/CDMA2000-A", of!(CRC_6_CDMA2000_A)),
    ("CRC-6/CDMA2000-B", of!(CRC_6_CDMA2000_B)),
    ("CRC-6/DARC", of!(CRC_6_DARC)),
    ("CRC-6/G-704", of!(CRC_6_G_704)),
    ("CRC-6/GSM", of!(CRC_6_GSM)),
    ("CRC-7/MMC", of!(CRC_7_MMC)),
    ("CRC-7/ROHC", of!(CRC_7_ROHC)),
    ("CRC-7/UMTS", of!(CRC_7_UMTS)),
    ("CRC-8/AUTOSAR", of!(CRC_8_AUTOSAR)),
    ("CRC-8/BLUETOOTH", of!(CRC_8_BLUETOOTH)),
    ("CRC-8/CDMA2000", of!(CRC_8_CDMA2000)),
    ("CRC-8/DARC", of!(CRC_8_DARC)),
    ("CRC-8/DVB-S2", of!(CRC_8_DVB_S2)),
    ("CRC-8/GSM-A", of!(CRC_8_GSM_A)),
    ("CRC-8/GSM-B", of!(CRC_8_GSM_B)),
    ("CRC-8/HITAG", of!(CRC_8_HITAG)),
    ("CRC-8/I-432-1", of!(CRC_8_I_432_1)),
    ("CRC-8/I-CODE", of!(CRC_8_I_CODE)),
    ("CRC-8/LTE", of!(CRC_8_LTE)),
    ("CRC-8/MAXIM-DOW", of!(CRC_8_MAXIM_DOW)),
    ("CRC-8/MIFARE-MAD", of!(CRC_8_MIFARE_MAD)),
    ("CRC-8/NRSC-5", of!(CRC_8_NRSC_5)),
    ("CRC-8/OPENSAFETY", of!(CRC_8_OPENSAFETY)),
    ("CRC-8/ROHC", of!(CRC_8_ROHC)),
    ("CRC-8/SAE-J1850", of!(CRC_8_SAE_J1850)),
    ("CRC-8/SMBUS", of!(CRC_8_SMBUS)),
    ("CRC-8/TECH-3250", of!(CRC_8_TECH_3250)),
    ("CRC-8/WCDMA", of!(CRC_8_WCDMA)),
    ("CRC-10/ATM", of!(CRC_10_ATM)),
    ("CRC-10/CDMA2000", of!(CRC_10_CDMA2000)),
    ("CRC-10/GSM", of!(CRC_10_GSM)),
    ("CRC-11/FLEXRAY", of!(CRC_11_FLEXRAY)),
    ("CRC-11/UMTS", of!(CRC_11_UMTS)),
    ("CRC-12/CDMA2000", of!(CRC_12_CDMA2000)),
    ("CRC-12/DECT", of!(CRC_12_DECT)),
    ("CRC-12/GSM", of!(CRC_12_GSM)),
    ("CRC-12/UMTS", of!(CRC_12_UMTS)),
    ("CRC-13/BBC", of!(CRC_13_BBC)),
    ("CRC-14/DARC", of!(CRC_14_DARC)),
    ("CRC-14/GSM", of!(CRC_14_GSM)),
    ("CRC-15/CAN", of!(CRC_15_CAN)),
    ("CRC-15/MPT1327", of!(CRC_15_MPT1327)),
    ("CRC-16/ARC", of!(CRC_16_ARC)),
    ("CRC-16/CDMA2000", of!(CRC_16_CDMA2000)),
    ("CRC-16/CMS", of!(CRC_16_CMS)),
    ("CRC-16/DDS-110", of!(CRC_16_DDS_110)),
    ("CRC-16/DECT-R", of!(CRC_16_DECT_R)),
    ("CRC-16/DECT-X", of!(CRC_16_DECT_X)),
    ("CRC-16/DNP", of!(CRC_16_DNP)),
    ("CRC-16/EN-13757", of!(CRC_16_EN_13757)),
    ("CRC-16/GENIBUS", of!(CRC_16_GENIBUS)),
    ("CRC-16/GSM", of!(CRC_16_GSM)),
    ("CRC-16/IBM-3740", of!(CRC_16_IBM_3740)),
    ("CRC-16/IBM-SDLC", of!(CRC_16_IBM_SDLC)),
    ("CRC-16/ISO-IEC-14443-3-A", of!(CRC_16_ISO_IEC_14443_3_A)),
    ("CRC-16/KERMIT", of!(CRC_16_KERMIT)),
    ("CRC-16/LJ1200", of!(CRC_16_LJ1200)),
    ("CRC-16/M17", of!(CRC_16_M17)),
    ("CRC-16/MAXIM-DOW", of!(CRC_16_MAXIM_DOW)),
    ("CRC-16/MCRF4XX", of!(CRC_16_MCRF4XX)),
    ("CRC-16/MODBUS", of!(CRC_16_MODBUS)),
    ("CRC-16/NRSC-5", of!(CRC_16_NRSC_5)),
    ("CRC-16/OPENSAFETY-A", of!(CRC_16_OPENSAFETY_A)),
    ("CRC-16/OPENSAFETY-B", of!(CRC_16_OPENSAFETY_B)),
    ("CRC-16/PROFIBUS", of!(CRC_16_PROFIBUS)),
    ("CRC-16/RIELLO", of!(CRC_16_RIELLO)),
    ("CRC-16/SPI-FUJITSU", of!(CRC_16_SPI_FUJITSU)),
    ("CRC-16/T10-DIF", of!(CRC_16_T10_DIF)),
    ("CRC-16/TELEDISK", of!(CRC_16_TELEDISK)),
    ("CRC-16/TMS37157", of!(CRC_16_TMS37157)),
    ("CRC-16/UMTS", of!(CRC_16_UMTS)),
    ("CRC-16/USB", of!(CRC_16_USB)),
    ("CRC-16/XMODEM", of!(CRC_16_XMODEM)),
    ("CRC-17/CAN-FD", of!(CRC_17_CAN_FD)),
    ("CRC-21/CAN-FD", of!(CRC_21_CAN_FD)),
    ("CRC-24/BLE", of!(CRC_24_BLE)),
    ("CRC-24/FLEXRAY-A", of!(CRC_24_FLEXRAY_A)),
    ("CRC-24/FLEXRAY-B", of!(CRC_24_FLEXRAY_B)),
    ("CRC-24/INTERLAKEN", of!(CRC_24_INTERLAKEN)),
    ("CRC-24/LTE-A", of!(CRC_24_LTE_A)),
    ("CRC-24/LTE-B", of!(CRC_24_LTE_B)),
    ("CRC-24/OPENPGP", of!(CRC_24_OPENPGP)),
    ("CRC-24/OS-9", of!(CRC_24_OS_9)),
    ("CRC-30/CDMA", of!(CRC_30_CDMA)),
    ("CRC-31/PHILIPS", of!(CRC_31_PHILIPS)),
    ("CRC-32/AIXM", of!(CRC_32_AIXM)),
    ("CRC-32/AUTOSAR", of!(CRC_32_AUTOSAR)),
    ("CRC-32/BASE91-D", of!(CRC_32_BASE91_D)),
    ("CRC-32/BZIP2", of!(CRC_32_BZIP2)),
    ("CRC-32/CD-ROM-EDC", of!(CRC_32_CD_ROM_EDC)),
    ("CRC-32/CKSUM", of!(CRC_32_CKSUM)),
    ("CRC-32/ISCSI", of!(CRC_32_ISCSI)),
    ("CRC-32/ISO-HDLC", of!(CRC_32_ISO_HDLC)),
    ("CRC-32/JAMCRC", of!(CRC_32_JAMCRC)),
    ("CRC-32/MEF", of!(CRC_32_MEF)),
    ("CRC-32/MPEG-2", of!(CRC_32_MPEG_2)),
    ("CRC-32/XFER", of!(CRC_32_XFER)),
    ("CRC-40/GSM", of!(CRC_40_GSM)),
    ("CRC-64/ECMA-182", of!(CRC_64_ECMA_182)),
    ("CRC-64/GO-ISO", of!(CRC_64_GO_ISO)),
    ("CRC-64/MS", of!(CRC_64_MS)),
    ("CRC-64/NVME", of!(CRC_64_NVME)),
    ("CRC-64/REDIS", of!(CRC_64_REDIS)),
    ("CRC-64/WE", of!(CRC_64_WE)),
    ("CRC-64/XZ", of!(CRC_64_XZ)),
];

impl Crc {
    /// The checksum that has this name in the catalogue of parametrised CRC algorithms, such as `CRC-16/IBM-SDLC`, or one of its other
    /// names, such as `CRC-16/X-25`. Small letters are as good.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for a name that is not there.
    ///
    /// ```
    /// use superhet_blocks::digital::Crc;
    /// assert_eq!(Crc::named("CRC-24/OPENPGP")?.of(b"123456789"), 0x21cf02);
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, Error> {
        let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
        let wanted = alias.map_or(name, |(_, name)| name);
        let found = CATALOGUE.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let (_, Named { settings, .. }) = found.ok_or_else(|| Error::WrongKind {
            parameter: "crc",
            wanted: "a name of the CRC catalogue with up to 64 bits, such as CRC-16/IBM-SDLC or CRC-32",
            got: name.chars().take(60).collect(),
        })?;
        Crc::new(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_checksum_is_that_of_the_catalogue() {
        for (name, Named { check, .. }) in &CATALOGUE {
            assert_eq!(Crc::named(name).unwrap().of(b"123456789"), *check, "{name}");
        }
    }

    #[test]
    fn other_names_are_those_of_checksums_that_are_there() {
        for (alias, name) in ALIASES {
            assert_eq!(Crc::named(alias).unwrap().of(b"x"), Crc::named(name).unwrap().of(b"x"), "{alias}");
        }
        assert_eq!(Crc::named("crc-16/x-25").unwrap().of(b"123456789"), 0x906e);
        for wrong in ["", "CRC-82/DARC", "CRC-16/NOBODY"] {
            assert!(Crc::named(wrong).unwrap_err().to_string().contains("CRC-16/IBM-SDLC"), "{wrong}");
        }
    }
}
