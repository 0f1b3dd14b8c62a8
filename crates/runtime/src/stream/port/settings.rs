//! What the settings of inputs and outputs have in common.

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, items: usize) -> Self {
            self.spec.$name = items;
            self
        })*

        /// Lets the port stay unconnected.
        #[must_use]
        pub fn optional(mut self) -> Self {
            self.spec.optional = true;
            self
        }

        /// What the port asks of the runtime.
        pub fn spec(&self) -> &PortSpec {
            &self.spec
        }
    };
}
