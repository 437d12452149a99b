//! A macro for most types of the protocol: a struct as in the schema, a constructor, and a setter
//! for each optional field.

/// Declares a struct that is read and written as JSON, with its constructor and its setters.
///
/// - Names are in `camelCase` on the wire, and an `Option` that is `None` is absent there.
/// - Each `Option` has a consuming setter of its own name, unless it is marked with `#[no_setter]`.
/// - `pub fn new(…);` sets the fields that are its parameters, and leaves all others absent.
macro_rules! record {
    (
        $(#[doc = $doc:expr])*
        $(#[derive($($derived:ident),*)])?
        $(#[serde($($serde:tt)*)])?
        pub struct $name:ident { $($fields:tt)* }
        $($new:tt)*
    ) => {
        record!(
            @fields
            { [$(#[doc = $doc])* $(#[derive($($derived),*)])?] [$(#[serde($($serde)*)])?] $name [$($new)*] }
            [] [] [] [] $($fields)*
        );
    };

    // Takes one field after another from the input: its declaration, its name if it may be absent,
    // its setter if it has one.
    (
        @fields $head:tt [$($field:tt)*] [$($known:ident)*] [$($absent:ident)*] $setters:tt
        $(#[doc = $doc:expr])* $(#[serde($($serde:tt)*)])* #[no_setter]
        pub $name:ident: Option<$type:ty>, $($rest:tt)*
    ) => {
        record!(
            @fields $head
            [$($field)* $(#[doc = $doc])* #[serde(skip_serializing_if = "Option::is_none" $(, $($serde)*)*)] pub $name: Option<$type>,]
            [$($known)* $name] [$($absent)* $name] $setters
            $($rest)*
        );
    };
    (
        @fields $head:tt [$($field:tt)*] [$($known:ident)*] [$($absent:ident)*] [$($setter:tt)*]
        $(#[doc = $doc:expr])* $(#[serde($($serde:tt)*)])*
        pub $name:ident: Option<Vec<$type:ty>>, $($rest:tt)*
    ) => {
        record!(
            @fields $head
            [$($field)* $(#[doc = $doc])* #[serde(skip_serializing_if = "Option::is_none" $(, $($serde)*)*)] pub $name: Option<Vec<$type>>,]
            [$($known)* $name] [$($absent)* $name] [$($setter)* { $(#[doc = $doc])* $name: impl Into<Vec<$type>> }]
            $($rest)*
        );
    };
    (
        @fields $head:tt [$($field:tt)*] [$($known:ident)*] [$($absent:ident)*] [$($setter:tt)*]
        $(#[doc = $doc:expr])* $(#[serde($($serde:tt)*)])*
        pub $name:ident: Option<$type:ident>, $($rest:tt)*
    ) => {
        record!(
            @fields $head
            [$($field)* $(#[doc = $doc])* #[serde(skip_serializing_if = "Option::is_none" $(, $($serde)*)*)] pub $name: Option<$type>,]
            [$($known)* $name] [$($absent)* $name] [$($setter)* { $(#[doc = $doc])* $name: record!(@argument $type) }]
            $($rest)*
        );
    };
    // Any other `Option` would be written as `null` instead of being absent.
    (
        @fields $head:tt $field:tt $known:tt $absent:tt $setters:tt
        $(#[$attribute:meta])*
        pub $name:ident: Option<$($rest:tt)*
    ) => {
        compile_error!(concat!("mark `", stringify!($name), "` with #[no_setter], behind its #[serde]"));
    };
    (
        @fields $head:tt [$($field:tt)*] [$($known:ident)*] $absent:tt $setters:tt
        $(#[$attribute:meta])*
        pub $name:ident: $type:ty, $($rest:tt)*
    ) => {
        record!(
            @fields $head
            [$($field)* $(#[$attribute])* pub $name: $type,]
            [$($known)* $name] $absent $setters
            $($rest)*
        );
    };

    (
        @fields { [$($attribute:tt)*] [$($serde:tt)*] $name:ident $new:tt }
        [$($field:tt)*] [$($known:ident)*] $absent:tt
        [$({ $(#[doc = $doc:expr])* $setter:ident: $argument:ty })*]
    ) => {
        // The derives come first, because their helper attributes must follow them.
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        $($attribute)*
        $($serde)*
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $($field)*
        }

        const _: () = {
            /// The derived implementation also accepts arrays, so it is derived for another type.
            #[derive(serde::Deserialize)]
            $($serde)*
            #[serde(rename_all = "camelCase")]
            struct Wire {
                $($field)*
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    let $crate::types::object::ObjectOnly(Wire { $($known),* }) =
                        serde::Deserialize::deserialize(from)?;
                    Ok(Self { $($known),* })
                }
            }
        };

        impl $name {
            record!(@new $new $absent);

            $crate::types::record::setters! {$(
                #[doc = concat!("Sets `", stringify!($setter), "`:")]
                $(#[doc = $doc])*
                $setter: $argument;
            )*}
        }
    };

    (@new [] $absent:tt) => {};
    (
        @new [$(#[doc = $doc:expr])* pub fn new($($parameter:ident: $type:ty),* $(,)?);]
        [$($absent:ident)*]
    ) => {
        $(#[doc = $doc])*
        #[must_use]
        pub fn new($($parameter: $type),*) -> Self {
            Self {
                // A value that already has the field's type converts to itself, so one rule is
                // enough.
                $($parameter: $parameter.into(),)*
                $($absent: None,)*
            }
        }
    };

    // A constructor accepts text as any type that converts to it. All other parameters have their
    // exact type, so that literals keep theirs.
    (@argument String) => { impl Into<String> };
    (@argument Arguments) => { impl Into<Arguments> };
    (@argument Cursor) => { impl Into<Cursor> };
    (@argument RawJson) => { impl Into<RawJson> };
    (@argument $type:ident) => { $type };
}

/// Writes, inside an `impl` block, a consuming setter for each `field: argument type`, named after
/// the field.
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

/// Writes, for an enum, `From` for each type that converts to one of its variants.
macro_rules! variants {
    ($name:ident: $($variant:ident($($type:ty),+)),+ $(,)?) => {
        $($(impl From<$type> for $name {
            fn from(held: $type) -> Self {
                Self::$variant(held.into())
            }
        })+)+
    };
}

pub(crate) use {record, setters, variants};
