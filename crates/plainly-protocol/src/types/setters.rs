//! The builder methods of the types: a consuming setter for each optional field that a user fills in. Knows no field.

/// Writes, inside an `impl` block, one consuming setter for each `field: argument type`, named after the field.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $argument:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $argument) -> Self {
            self.$field = Some($field.into());
            self
        }
    )*};
}

pub(crate) use setters;
