//! Enums whose variants are words, and structs whose fields are parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, LitStr};

use super::parse::{Argument, argument};
use super::{params, snake};

/// The code of `derive(Choice)`: the words of an enum without fields.
pub fn choice(input: &DeriveInput, runtime: &syn::Path) -> Result<TokenStream, Error> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "a choice is an enum"));
    };
    let mut words = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new(variant.span(), "a choice has no fields: its variants are words"));
        }
        let mut word = snake(&variant.ident.to_string());
        for attr in variant.attrs.iter().filter(|attr| attr.path().is_ident("word")) {
            word = attr.parse_args::<LitStr>()?.value();
        }
        words.push(word);
    }
    let (ident, idents) = (&input.ident, data.variants.iter().map(|variant| &variant.ident));
    let (from, to): (Vec<_>, Vec<_>) = words
        .iter()
        .zip(idents)
        .map(|(word, ident)| (quote!(#word => Self::#ident), quote!(Self::#ident => #word)))
        .unzip();
    Ok(quote! {
        impl #runtime::catalog::Choice for #ident {
            const WORDS: &'static [&'static str] = &[#(#words),*];

            fn from_word(word: &str) -> ::std::option::Option<Self> {
                ::std::option::Option::Some(match word {
                    #(#from,)*
                    _ => return ::std::option::Option::None,
                })
            }
            fn word(&self) -> &'static str {
                match self {
                    #(#to,)*
                }
            }
        }

        impl ::std::convert::From<#ident> for #runtime::Value {
            fn from(choice: #ident) -> Self {
                #runtime::catalog::Choice::word(&choice).into()
            }
        }

        impl #runtime::value::FromValue for #ident {
            fn from_value(value: &#runtime::Value) -> ::std::option::Option<Self> {
                #runtime::catalog::Choice::from_word(value.as_str()?)
            }
        }
    })
}

/// The code of `derive(Parameters)`: a parameter for each field.
pub fn parameters(input: &DeriveInput, runtime: &syn::Path) -> Result<TokenStream, Error> {
    let Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
        return Err(Error::new(input.ident.span(), "parameters are a struct with named fields"));
    };
    let mut arguments: Vec<Argument> = Vec::new();
    for field in &fields.named {
        let Some(ident) = field.ident.clone() else { continue };
        let ours = |attr: &&syn::Attribute| attr.path().is_ident("doc") || attr.path().is_ident("param");
        let attrs: Vec<_> = field.attrs.iter().filter(ours).cloned().collect();
        arguments.push(argument(ident, field.ty.clone(), &attrs, runtime)?);
    }
    let declared = params(&super::Block::default(), &arguments, None, runtime)?;
    let (ident, names) = (&input.ident, arguments.iter().map(|argument| &argument.ident));
    let reads = arguments.iter().map(|argument| {
        let (owned, borrow) = super::read(argument, runtime);
        quote!(#borrow #owned)
    });
    Ok(quote! {
        impl #runtime::catalog::Parameters for #ident {
            const PARAMETERS: &'static [#runtime::catalog::Param] = #declared;

            fn read(params: &#runtime::catalog::Params) -> ::std::result::Result<Self, #runtime::BlockError> {
                ::std::result::Result::Ok(#ident { #(#names: #reads),* })
            }
        }
    })
}
