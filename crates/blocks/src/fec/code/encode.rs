//! The encoder of every code: bits in, bits out.

use super::convolutional::Register;
use super::{Code, Frames};

/// What an encoder keeps from call to call.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    register: Register,
    /// The register of a general convolutional code.
    general: u32,
    words: Vec<u64>,
}

impl Encoder {
    /// Encodes whole frames; `y` has room for just what becomes of them.
    pub fn encode(&mut self, code: &Code, x: &[u8], y: &mut [u8]) {
        let ([taken, given], [_, filled]) = (code.sizes(), code.behind());
        match *code {
            Code::Dummy => y.iter_mut().zip(x).for_each(|(y, x)| *y = x & 1),
            Code::Repetition { times, .. } => {
                y.chunks_exact_mut(times).zip(x).for_each(|(y, x)| y.fill(x & 1));
            }
            Code::Polar(ref code) => {
                let frames = y.chunks_exact_mut(given).zip(x.chunks_exact(taken));
                frames.for_each(|(y, x)| code.encode(x, y));
            }
            Code::Ldpc(ref code) => {
                let frames = y.chunks_exact_mut(given).zip(x.chunks_exact(taken));
                frames.for_each(|(y, x)| code.encode(x, y, &mut self.words));
            }
            Code::Turbo(ref code) => {
                let frames = y.chunks_exact_mut(given).zip(x.chunks_exact(taken));
                frames.for_each(|(y, x)| code.encode(x, y));
            }
            Code::Product(ref code) => {
                let frames = y.chunks_exact_mut(given).zip(x.chunks_exact(taken));
                frames.for_each(|(y, x)| code.encode(x, y));
            }
            Code::General { frames, ref generator, .. } => {
                for (y, x) in y.chunks_exact_mut(given).zip(x.chunks_exact(taken)) {
                    match frames {
                        Frames::Streaming => {}
                        Frames::Terminated | Frames::Padded | Frames::Truncated => self.general = 0,
                        Frames::Tailbiting => {
                            self.general = generator.after(&x[x.len() - generator.memory()..])
                        }
                    }
                    let bits = x.iter().chain(std::iter::repeat(&0));
                    let (y, fill) = y.split_at_mut(given - filled);
                    fill.fill(0);
                    for (y, bit) in y.chunks_exact_mut(generator.sent()).zip(bits) {
                        generator.encode(&mut self.general, *bit, y);
                    }
                }
            }
            Code::Convolutional { frames, swapped, inverted, .. } => {
                let inverted = inverted.map(u8::from);
                for (y, x) in y.chunks_exact_mut(given).zip(x.chunks_exact(taken)) {
                    match frames {
                        Frames::Streaming => {}
                        Frames::Terminated | Frames::Padded | Frames::Truncated => {
                            self.register = Register::default()
                        }
                        Frames::Tailbiting => self.register = Register::after(&x[x.len() - 6..]),
                    }
                    let bits = x.iter().chain(std::iter::repeat(&0));
                    let (y, fill) = y.split_at_mut(given - filled);
                    fill.fill(0);
                    for (y, bit) in y.chunks_exact_mut(2).zip(bits) {
                        let mut pair = self.register.next(*bit);
                        if swapped {
                            pair.swap(0, 1);
                        }
                        y.copy_from_slice(&[pair[0] ^ inverted[0], pair[1] ^ inverted[1]]);
                    }
                }
            }
        }
    }
}
