//! Where the arguments of a trial lie.

use super::Setting;
use super::argument::Value;
#[cfg(all(test, unix))]
use crate::check::guard::Pages;

/// How much memory a trial needs and where it starts.
pub(crate) struct Layout<'a> {
    pub(crate) items: usize,
    /// Items that the slices start behind a cache line, in turns.
    shifts: &'a [usize],
    /// Where pages that nobody may touch lie.
    #[cfg(all(test, unix))]
    pub(crate) guard: Option<Guard>,
    /// Seed of the noise.
    #[cfg(test)]
    pub(crate) seed: u64,
}

/// On which side of each slice a page lies that nobody may touch.
#[cfg(all(test, unix))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guard {
    Before,
    Behind,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(items: usize, shifts: &'a [usize]) -> Self {
        Layout {
            items,
            shifts,
            #[cfg(all(test, unix))]
            guard: None,
            #[cfg(test)]
            seed: 1,
        }
    }
}

/// Gives each argument of a trial its memory.
pub(crate) struct Maker<'a> {
    op: &'static str,
    layout: &'a Layout<'a>,
    settings: &'a [(&'static str, Setting)],
    settings_used: usize,
    slices: usize,
    noise: Noise,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(
        op: &'static str,
        layout: &'a Layout<'a>,
        settings: &'a [(&'static str, Setting)],
    ) -> Self {
        #[cfg(test)]
        let noise = Noise(layout.seed);
        #[cfg(not(test))]
        let noise = Noise(1);
        Maker { op, layout, settings, settings_used: 0, slices: 0, noise }
    }

    /// What the `work` clause says of an argument.
    pub(super) fn setting(&mut self, argument: &str) -> Option<Setting> {
        let found = self.settings.iter().find(|setting| setting.0 == argument).map(|setting| setting.1);
        self.settings_used += usize::from(found.is_some());
        found
    }

    /// Memory for the slice `argument`, which is written if `is_output`.
    pub(super) fn slice<T: Value>(&mut self, argument: &str, is_output: bool) -> Buffer<T> {
        let len = self.setting(argument).map_or(self.layout.items, Setting::length);
        let slice = self.slices;
        self.slices += 1;
        // What is multiplied into the same place again and again should not shrink or grow.
        let is_factor = super::is_in_place(self.op) && !is_output;
        let mut value = || {
            let bits = self.noise.next();
            if is_factor { T::unit(bits) } else { T::typical(bits) }
        };
        #[cfg(all(test, unix))]
        if let Some(guard) = self.layout.guard {
            let mut pages = Pages::new(len, guard);
            pages.items_mut().fill_with(&mut value);
            return Buffer { memory: Memory::Guarded(pages), start: 0, len };
        }
        let start = start(slice, is_output) / size_of::<T>();
        let shift = self.layout.shifts[slice % self.layout.shifts.len()];
        let mut memory = vec![T::zeroed(); len + start + shift + 2 * PAGE / size_of::<T>()];
        // Items that do not fill a page, or of which none would begin with one, start where they may.
        let to_page = match memory.as_ptr().align_offset(PAGE) {
            usize::MAX => 0,
            _ if !PAGE.is_multiple_of(size_of::<T>()) => 0,
            items => items,
        };
        let start = to_page + start + shift;
        memory[start..start + len].fill_with(&mut value);
        Buffer { memory: Memory::Heap(memory), start, len }
    }

    /// Panics if the `work` clause names an argument that the op does not have.
    pub(crate) fn finish(&self) {
        assert!(
            self.settings_used == self.settings.len(),
            "the work clause of {} names what is no argument",
            self.op
        );
    }
}

const PAGE: usize = 4096;

/// Where the slices start within their pages, in bytes. An output lies far ahead of the inputs: loads wait for stores a
/// little before them to an address with the same low bits.
fn start(slice: usize, is_output: bool) -> usize {
    let place = slice % 4;
    if is_output { 3 * PAGE / 4 - place * PAGE / 16 } else { place * PAGE / 8 }
}

/// The items of a slice.
pub(crate) struct Buffer<T> {
    memory: Memory<T>,
    start: usize,
    len: usize,
}

/// What owns the items.
enum Memory<T> {
    Heap(Vec<T>),
    #[cfg(all(test, unix))]
    Guarded(Pages<T>),
}

impl<T: Value> Buffer<T> {
    #[inline]
    pub(super) fn items(&self) -> &[T] {
        match &self.memory {
            Memory::Heap(items) => &items[self.start..][..self.len],
            #[cfg(all(test, unix))]
            Memory::Guarded(pages) => pages.items(),
        }
    }

    #[inline]
    pub(super) fn items_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Heap(items) => &mut items[self.start..][..self.len],
            #[cfg(all(test, unix))]
            Memory::Guarded(pages) => pages.items_mut(),
        }
    }
}

/// The same noise in every run (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}
