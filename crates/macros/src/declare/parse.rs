//! What stands in `#[declare(…)]` and `#[param(…)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Token, Type};

/// What stands in the brackets of `#[declare(…)]`.
#[derive(Default)]
pub struct Block {
    pub name: Option<LitStr>,
    pub category: Option<Expr>,
    pub summary: Option<LitStr>,
    pub items: Vec<(String, Type)>,
    pub default_item: Option<LitStr>,
    /// Parameters that no argument stands for.
    pub params: Vec<Expr>,
    pub ports: Vec<Expr>,
    pub make: Option<Expr>,
    pub entry: Option<Ident>,
}

/// An item type of a generic block: `f32`, or `"cu8" = [u8; 2]`.
struct Item(String, Type);

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let name: LitStr = input.parse()?;
            input.parse::<Token![=]>()?;
            return Ok(Item(name.value(), input.parse()?));
        }
        let name: Ident = input.parse()?;
        Ok(Item(name.to_string(), syn::parse_quote!(#name)))
    }
}

fn in_brackets<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    let content;
    syn::parenthesized!(content in input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut block = Block::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            let name = key.to_string();
            match name.as_str() {
                "items" => {
                    block.items = in_brackets::<Item>(input)?.into_iter().map(|i| (i.0, i.1)).collect()
                }
                "params" => block.params = in_brackets(input)?,
                "ports" => block.ports = in_brackets(input)?,
                _ => {
                    input.parse::<Token![=]>()?;
                    match name.as_str() {
                        "name" => block.name = Some(input.parse()?),
                        "category" => block.category = Some(input.parse()?),
                        "summary" => block.summary = Some(input.parse()?),
                        "default_item" => block.default_item = Some(input.parse()?),
                        "make" => block.make = Some(input.parse()?),
                        "entry" => block.entry = Some(input.parse()?),
                        _ => return Err(Error::new(key.span(), UNKNOWN_SETTING)),
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(block)
    }
}

const UNKNOWN_SETTING: &str = "unknown setting of a declaration; there are name, category, summary, items(…), \
                               default_item, params(…), ports(…), make and entry";

/// An argument of the constructor.
pub struct Argument {
    pub ident: Ident,
    pub ty: Type,
    pub doc: String,
    pub is_live: bool,
    /// Its value changes by itself, so that what was set is not told.
    pub is_untold: bool,
    pub unit: String,
    pub kind: Option<TokenStream>,
    pub default: Option<String>,
    /// Who reads and says it, in the place of `Plain`.
    pub by: Option<Type>,
    /// The method that takes a new value.
    pub set: Option<Ident>,
    /// The documentation of a second parameter, the imaginary part.
    pub imag: Option<String>,
}

/// Reads the attributes of an argument.
pub fn argument(
    ident: Ident,
    ty: Type,
    attrs: &[syn::Attribute],
    runtime: &syn::Path,
) -> Result<Argument, Error> {
    let mut argument = Argument {
        ident,
        ty,
        doc: String::new(),
        is_live: false,
        is_untold: false,
        unit: String::new(),
        kind: None,
        default: None,
        by: None,
        set: None,
        imag: None,
    };
    for attr in attrs {
        if attr.path().is_ident("doc") {
            let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &attr.meta.require_name_value()?.value
            else {
                continue;
            };
            let text = text.value();
            argument.doc = [argument.doc.trim(), text.trim()].join(" ").trim().to_owned();
        } else if attr.path().is_ident("param") {
            attr.parse_nested_meta(|meta| setting(&mut argument, &meta, runtime))?;
        } else {
            return Err(Error::new(attr.span(), "an argument has documentation and `#[param(…)]`"));
        }
    }
    if argument.doc.is_empty() {
        let message = format!("say what `{}` means: `/// …` before it", argument.ident);
        return Err(Error::new(argument.ident.span(), message));
    }
    Ok(argument)
}

fn setting(
    argument: &mut Argument,
    meta: &syn::meta::ParseNestedMeta<'_>,
    runtime: &syn::Path,
) -> Result<(), Error> {
    let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
    match key.as_str() {
        "live" => argument.is_live = true,
        "untold" => argument.is_untold = true,
        "unit" => argument.unit = meta.value()?.parse::<LitStr>()?.value(),
        "kind" => argument.kind = Some(meta.value()?.parse::<Expr>().map(|kind| quote!(#kind))?),
        "range" => argument.kind = Some(kind_of_range(&argument.ty, meta.value()?.parse()?, runtime)?),
        "default" => argument.default = Some(json(&meta.value()?.parse()?)?),
        "json" => argument.default = Some(meta.value()?.parse::<LitStr>()?.value()),
        "by" => argument.by = Some(meta.value()?.parse()?),
        "set" => argument.set = Some(meta.value()?.parse()?),
        "imag" => argument.imag = Some(meta.value()?.parse::<LitStr>()?.value()),
        _ => {
            return Err(meta.error(
                "unknown setting of a parameter; there are live, untold, unit, kind, range, default, json, by, set and imag",
            ));
        }
    }
    Ok(())
}

/// A default as it is written in JSON.
fn json(default: &Expr) -> Result<String, Error> {
    match default {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.token().to_string()),
        Expr::Lit(ExprLit { lit, .. }) => Ok(quote!(#lit).to_string()),
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => Ok(format!("-{}", json(expr)?)),
        _ => Err(Error::new(
            default.span(),
            "expected a literal; another default is written as `json = \"…\"`",
        )),
    }
}

/// The kind of a number in a range: `0.0..=1.0`, `1..`.
fn kind_of_range(ty: &Type, range: Expr, runtime: &syn::Path) -> Result<TokenStream, Error> {
    let Expr::Range(range) = &range else {
        return Err(Error::new(range.span(), "expected a range: `0.0..=1.0`, `1..`"));
    };
    if matches!((&range.limits, &range.end), (syn::RangeLimits::HalfOpen(_), Some(_))) {
        return Err(Error::new(range.span(), "a range with an end includes it: `..=`"));
    }
    let is_float = matches!(ty, Type::Path(path) if path.path.is_ident("f32") || path.path.is_ident("f64"));
    let (kind, number, least, most) = match is_float {
        true => ("Float", quote!(f64), quote!(NEG_INFINITY), quote!(INFINITY)),
        false => ("Integer", quote!(i64), quote!(MIN), quote!(MAX)),
    };
    let kind = Ident::new(kind, Span::call_site());
    let bound = |end: &Option<Box<Expr>>, none: TokenStream| match end {
        Some(end) => quote!((#end) as #number),
        None => quote!(#number::#none),
    };
    let (low, high) = (bound(&range.start, least), bound(&range.end, most));
    Ok(quote!(#runtime::catalog::Kind::#kind(#low, #high)))
}
