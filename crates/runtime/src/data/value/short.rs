//! Text as values and their names have it.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use smol_str::SmolStr;

/// Text of a [`Value`](super::Value), or the name of an entry of a [`Map`](super::Map).
///
/// Up to 23 bytes lie in the text itself; longer ones are shared between its clones. So most messages ask the allocator for
/// nothing but the map that they are.
///
/// ```
/// use superhet_runtime::Text;
/// let text = Text::from("airborne_position");
/// assert_eq!(text, "airborne_position");
/// assert!(text.starts_with("air"));
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(SmolStr);

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialOrd<str> for Text {
    fn partial_cmp(&self, other: &str) -> Option<Ordering> {
        (**self).partial_cmp(other)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(text.into())
    }
}

impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Text(text.into())
    }
}

impl From<Text> for Arc<str> {
    fn from(text: Text) -> Self {
        text.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_lies_in_place_and_long_text_is_shared() {
        for length in [0, 1, 22, 23, 24, 1000] {
            let text = "é".repeat(length / 2) + &"x".repeat(length % 2);
            let (short, copy) = (Text::from(text.as_str()), Text::from(Arc::from(text.clone())));
            assert!(short == *text && short == copy && Text::from(text.clone()) == short);
            assert_eq!(Arc::<str>::from(copy.clone()), Arc::from(text));
            let is_shared = |text: &Text| text.as_ptr() == text.clone().as_ptr();
            assert_eq!(is_shared(&copy), length > 23, "{length} bytes");
        }
    }
}
