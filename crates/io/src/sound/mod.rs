//! Sound: the server or card of this machine, as far as blocks need it.
//!
//! | file | is |
//! |---|---|
//! | `api.rs` | the functions of PulseAudio's simple interface and of ALSA, looked up while the program runs |
//! | `card.rs` | a card to play on or to record from, by its name |
//! | `steer.rs` | a stream that is resampled by a little more or less, so that a buffer stays as full as it is to be |

mod api;
pub(crate) mod card;
pub(crate) mod steer;
