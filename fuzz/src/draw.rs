//! Choices drawn from the bytes of an input, so that each input stands for something that can be built.

/// The bytes that are left. When none is left every choice is the first one.
#[derive(Clone, Debug)]
pub struct Draw<'a>(&'a [u8]);

impl<'a> Draw<'a> {
    /// Draws from these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Draw(bytes)
    }

    /// Whether all bytes are used up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Eight bytes.
    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number below `count`; 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        let number = match count {
            0..=256 => usize::from(self.byte()),
            _ => usize::from(self.byte()) << 8 | usize::from(self.byte()),
        };
        number.checked_rem(count).unwrap_or(0)
    }

    /// Whether something happens that happens once in so many times; never, where no bytes are left.
    pub fn once_in(&mut self, count: u8) -> bool {
        !self.0.is_empty() && self.byte() % count == count - 1
    }

    /// One of these.
    ///
    /// # Panics
    /// If there is none.
    pub fn one<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.below(of.len())]
    }

    /// The next bytes, at most so many.
    pub fn take(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken
    }
}
