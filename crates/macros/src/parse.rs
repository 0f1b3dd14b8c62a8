//! What a struct says about its ports.

use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, GenericArgument, LitStr, PathArguments, Type};

/// A struct with its ports.
pub struct Block<'a> {
    pub input: &'a DeriveInput,
    pub runtime: syn::Path,
    pub ports: Vec<Port<'a>>,
}

/// One field that is a port.
pub struct Port<'a> {
    pub field: &'a syn::Ident,
    /// The name that users see.
    pub name: String,
    pub kind: Kind,
    /// The items, of a stream port.
    pub item: Option<&'a Type>,
    pub is_vec: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    In,
    Out,
    MsgIn,
    MsgOut,
}

/// Reads the struct; `runtime` is the path of the runtime crate.
pub fn parse(input: &DeriveInput, runtime: syn::Path) -> Result<Block<'_>, Error> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "a block is a struct: its ports are fields"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(
            input.ident.span(),
            "a block has named fields: its ports are named after them",
        ));
    };
    let mut errors: Option<Error> = None;
    let mut ports = Vec::new();
    for field in &fields.named {
        match port(field) {
            Ok(port) => ports.extend(port),
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            },
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    if ports.is_empty() {
        let message = "a block has at least one port: mark the fields of type In<T>, Out<T>, MsgIn or MsgOut with #[port]";
        return Err(Error::new(input.ident.span(), message));
    }
    Ok(Block { input, runtime: named_runtime(input, runtime)?, ports })
}

/// The path of the runtime crate: `path`, where the block does not name another.
fn named_runtime(input: &DeriveInput, mut path: syn::Path) -> Result<syn::Path, Error> {
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident("block")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                path = meta.value()?.parse()?;
                Ok(())
            } else {
                Err(meta.error("unknown setting of a block; there is `crate = path`"))
            }
        })?;
    }
    Ok(path)
}

fn port(field: &Field) -> Result<Option<Port<'_>>, Error> {
    let Some(ident) = &field.ident else { return Ok(None) };
    let attribute = field.attrs.iter().find(|a| a.path().is_ident("port"));
    let (inner, is_vec) = match argument(&field.ty, "Vec") {
        Some(inner) => (inner, true),
        None => (&field.ty, false),
    };
    let kind = [("In", Kind::In), ("Out", Kind::Out), ("MsgIn", Kind::MsgIn), ("MsgOut", Kind::MsgOut)]
        .into_iter()
        .find(|(name, _)| last_segment(inner).is_some_and(|segment| segment.ident == *name))
        .map(|(_, kind)| kind);
    match (attribute, kind) {
        (None, Some(Kind::In | Kind::Out)) if last_segment(inner).is_some_and(|s| !s.arguments.is_none()) => {
            Err(Error::new(field.span(), format!("`{ident}` is a port: mark it with #[port]")))
        }
        (None, _) => Ok(None),
        (Some(_), None) => Err(Error::new(
            field.ty.span(),
            format!(
                "`{ident}` cannot be a port: a port is In<T>, Out<T>, MsgIn, MsgOut, or a Vec of one of them"
            ),
        )),
        (Some(attribute), Some(kind)) => {
            let name = match &attribute.meta {
                syn::Meta::Path(_) => ident.to_string(),
                _ => attribute.parse_args::<LitStr>()?.value(),
            };
            let item = match kind {
                Kind::In => argument(inner, "In"),
                Kind::Out => argument(inner, "Out"),
                _ => None,
            };
            if matches!(kind, Kind::In | Kind::Out) && item.is_none() {
                let message = format!("say what items `{ident}` carries: In<f32>, Out<C32>, …");
                return Err(Error::new(field.ty.span(), message));
            }
            Ok(Some(Port { field: ident, name, kind, item, is_vec }))
        }
    }
}

fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// `T` of `name<T>`.
fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(ty)) => Some(ty),
        _ => None,
    }
}
