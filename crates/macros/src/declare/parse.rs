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
    /// `items(any)`.
    pub is_of_any_item: bool,
    pub default_item: Option<LitStr>,
    /// What the type of the items means, where that is more than one.
    pub item_doc: Option<LitStr>,
    /// Parameters that no argument stands for.
    pub params: Vec<Expr>,
    pub ports: Vec<Expr>,
    pub make: Option<Expr>,
    pub entry: Option<Ident>,
    /// The function that makes the block, in the place of `new`.
    pub constructor: Option<Ident>,
    /// What is made of the block: `Tuned::new`.
    pub through: Option<Expr>,
    /// The names that come first in the catalogue.
    pub order: Vec<LitStr>,
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
                    let items = in_brackets::<Item>(input)?;
                    block.is_of_any_item = matches!(&items[..], [Item(name, _)] if name == "any");
                    block.items = items.into_iter().map(|item| (item.0, item.1)).collect();
                }
                "order" => block.order = in_brackets(input)?,
                "params" => block.params = in_brackets(input)?,
                "ports" => block.ports = in_brackets(input)?,
                _ => {
                    input.parse::<Token![=]>()?;
                    match name.as_str() {
                        "name" => block.name = Some(input.parse()?),
                        "category" => block.category = Some(input.parse()?),
                        "summary" => block.summary = Some(input.parse()?),
                        "default_item" => block.default_item = Some(input.parse()?),
                        "item_doc" => block.item_doc = Some(input.parse()?),
                        "make" => block.make = Some(input.parse()?),
                        "entry" => block.entry = Some(input.parse()?),
                        "constructor" => block.constructor = Some(input.parse()?),
                        "through" => block.through = Some(input.parse()?),
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
                               default_item, item_doc, params(…), ports(…), make, entry, constructor, through and order(…)";

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
    /// The parameter's name, where it is not the argument's.
    pub name: Option<String>,
    /// What is read, where the argument's type is only what that can become.
    pub read_as: Option<Type>,
    /// Other names, older ones, by which it can be set.
    pub also: Vec<LitStr>,
    /// Names that the parameter had before.
    pub formerly: Vec<LitStr>,
    /// The function that a new value must pass.
    pub check: Option<Expr>,
    /// Where the value lies in the block, where that is not the field of the argument's name.
    pub at: Option<TokenStream>,
    /// The method that tells the value.
    pub get: Option<Ident>,
    /// Every value of its type fits.
    pub is_any: bool,
    /// What `range` says.
    pub range: Option<String>,
    /// It stands for all parameters of a type with `derive(Parameters)`.
    pub is_group: bool,
}

impl Argument {
    /// The parameter's name.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.ident.to_string())
    }

    /// The type that is read: a reference's is that of what it refers to.
    pub fn owned(&self) -> Type {
        if let Some(ty) = &self.read_as {
            return ty.clone();
        }
        let Type::Reference(reference) = &self.ty else { return self.ty.clone() };
        match &*reference.elem {
            Type::Slice(slice) => {
                let item = &slice.elem;
                syn::parse_quote!(::std::vec::Vec<#item>)
            }
            Type::Path(path) if path.path.is_ident("str") => syn::parse_quote!(::std::string::String),
            other => other.clone(),
        }
    }

    /// Where a running block has its value.
    pub fn place(&self) -> TokenStream {
        let ident = &self.ident;
        self.at.clone().unwrap_or_else(|| quote!(#ident))
    }
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
        name: None,
        read_as: None,
        also: Vec::new(),
        formerly: Vec::new(),
        check: None,
        at: None,
        get: None,
        is_any: false,
        range: None,
        is_group: false,
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
    if argument.doc.is_empty() && !argument.is_group {
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
        "range" => {
            let range: Expr = meta.value()?.parse()?;
            argument.range = Some(quote!(#range).to_string().replace(" ..= ", "..=").replace(" .. ", ".."));
            argument.kind = Some(kind_of_range(&argument.ty, range, runtime)?);
        }
        "any" => argument.is_any = true,
        "group" => argument.is_group = true,
        "name" => argument.name = Some(meta.value()?.parse::<LitStr>()?.value()),
        "type" => argument.read_as = Some(meta.value()?.parse()?),
        "also" => argument.also = vec![meta.value()?.parse()?],
        "formerly" => argument.formerly.push(meta.value()?.parse()?),
        "check" => argument.check = Some(meta.value()?.parse()?),
        "at" => argument.at = Some(meta.value()?.parse::<Expr>().map(|place| quote!(#place))?),
        "get" => argument.get = Some(meta.value()?.parse()?),
        "default" => argument.default = Some(json(&meta.value()?.parse()?)?),
        "json" => argument.default = Some(meta.value()?.parse::<LitStr>()?.value()),
        "by" => argument.by = Some(meta.value()?.parse()?),
        "set" => argument.set = Some(meta.value()?.parse()?),
        "imag" => argument.imag = Some(meta.value()?.parse::<LitStr>()?.value()),
        _ => {
            return Err(meta.error(
                "unknown setting of a parameter; there are live, untold, group, unit, kind, range, default, json, by, type, \
                 name, also, formerly, imag, any, set, check, at and get",
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
    let is_float =
        is_float(ty) || [&range.start, &range.end].into_iter().flatten().any(|end| is_float_literal(end));
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

/// Whether the type has a number with a fraction in it: `f32`, `Option<f64>`, `Duration` in seconds.
fn is_float(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    match &last.arguments {
        syn::PathArguments::AngleBracketed(inner) => {
            inner.args.iter().any(|inner| matches!(inner, syn::GenericArgument::Type(ty) if is_float(ty)))
        }
        _ => ["f32", "f64", "Duration"].iter().any(|name| last.ident == name),
    }
}

fn is_float_literal(end: &Expr) -> bool {
    match end {
        Expr::Lit(ExprLit { lit: Lit::Float(_), .. }) => true,
        Expr::Unary(syn::ExprUnary { expr, .. }) => is_float_literal(expr),
        _ => false,
    }
}
