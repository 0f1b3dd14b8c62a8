//! The code of a block's ports.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::parse::{Block, Kind, Port};

pub fn expand(block: &Block<'_>) -> TokenStream {
    let runtime = &block.runtime;
    let name = &block.input.ident;
    let vis = &block.input.vis;
    let ports_name = format_ident!("{name}Ports");
    let (impl_generics, type_generics, where_clause) = block.input.generics.split_for_impl();
    let generics = &block.input.generics;
    let visits = block.ports.iter().map(visit);
    let polls = block.ports.iter().map(|port| {
        let field = port.field;
        if port.is_vec {
            quote!(for port in &self.#field { port.poll(readiness); })
        } else {
            quote!(self.#field.poll(readiness);)
        }
    });
    let fields = block.ports.iter().map(|port| {
        let (field, ty) = (port.field, reference(runtime, port));
        let doc = format!("The port `{}`.", port.name);
        let ty = if port.is_vec { quote!(::std::vec::Vec<#ty>) } else { ty };
        quote!(#[doc = #doc] pub #field: #ty)
    });
    let parameters = block.input.generics.params.iter().map(|parameter| match parameter {
        syn::GenericParam::Type(ty) => {
            let ident = &ty.ident;
            quote!(#ident)
        }
        syn::GenericParam::Lifetime(lifetime) => {
            let lifetime = &lifetime.lifetime;
            quote!(&#lifetime ())
        }
        syn::GenericParam::Const(_) => quote!(()),
    });
    let makes = refs(runtime, &block.ports);
    let fields_again = block.ports.iter().map(|port| port.field);
    let one_input = only(block, Kind::In).map(|(field, item)| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #runtime::graph::OneInput for #ports_name #type_generics #where_clause {
                type In = #item;
                fn only_input(&self) -> #runtime::port::InRef<#item> {
                    self.#field
                }
            }
        }
    });
    let one_output = only(block, Kind::Out).map(|(field, item)| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #runtime::graph::OneOutput for #ports_name #type_generics #where_clause {
                type Out = #item;
                fn only_output(&self) -> #runtime::port::OutRef<#item> {
                    self.#field
                }
            }
        }
    });
    let doc = format!("The ports of a [`{name}`] in a graph, for connecting.");
    quote! {
        #[doc = #doc]
        #vis struct #ports_name #generics #where_clause {
            #(#fields,)*
            #[doc(hidden)]
            pub _parameters: ::std::marker::PhantomData<fn() -> (#(#parameters,)*)>,
        }

        #one_input
        #one_output

        #[automatically_derived]
        impl #impl_generics #runtime::Block for #name #type_generics #where_clause {
            type Ports = #ports_name #type_generics;

            fn visit(&mut self, visitor: &mut dyn #runtime::port::PortVisitor) {
                #(#visits)*
            }

            #[inline]
            fn poll(&self, readiness: &mut #runtime::Readiness) {
                #(#polls)*
            }

            fn ports(&self, id: #runtime::port::BlockId) -> Self::Ports {
                let (mut __inputs, mut __outputs, mut __message_inputs, mut __message_outputs) = (0usize, 0usize, 0usize, 0usize);
                #(#makes)*
                let _ = (__inputs, __outputs, __message_inputs, __message_outputs);
                #ports_name { #(#fields_again,)* _parameters: ::std::marker::PhantomData }
            }
        }
    }
}

/// The only stream port of a kind, and its items.
fn only<'a>(block: &Block<'a>, kind: Kind) -> Option<(&'a syn::Ident, &'a syn::Type)> {
    let mut ports = block.ports.iter().filter(|port| port.kind == kind);
    let port = ports.next().filter(|port| !port.is_vec && ports.next().is_none())?;
    Some((port.field, port.item?))
}

fn visit(port: &Port<'_>) -> TokenStream {
    let (field, name) = (port.field, &port.name);
    let method = match port.kind {
        Kind::In => format_ident!("input"),
        Kind::Out => format_ident!("output"),
        Kind::MsgIn => format_ident!("message_input"),
        Kind::MsgOut => format_ident!("message_output"),
    };
    if port.is_vec {
        quote! {
            for (index, port) in self.#field.iter_mut().enumerate() {
                visitor.#method(&::std::format!("{}{}", #name, index), port);
            }
        }
    } else {
        quote!(visitor.#method(#name, &mut self.#field);)
    }
}

/// The type of a reference to the port.
fn reference(runtime: &syn::Path, port: &Port<'_>) -> TokenStream {
    let item = port.item;
    match port.kind {
        Kind::In => quote!(#runtime::port::InRef<#item>),
        Kind::Out => quote!(#runtime::port::OutRef<#item>),
        Kind::MsgIn => quote!(#runtime::port::MsgInRef),
        Kind::MsgOut => quote!(#runtime::port::MsgOutRef),
    }
}

/// Statements that make the references, counting the ports of each kind in the order of the fields. The counters have
/// names that no field has.
fn refs(runtime: &syn::Path, ports: &[Port<'_>]) -> Vec<TokenStream> {
    let counter = |kind| match kind {
        Kind::In => quote!(__inputs),
        Kind::Out => quote!(__outputs),
        Kind::MsgIn => quote!(__message_inputs),
        Kind::MsgOut => quote!(__message_outputs),
    };
    ports
        .iter()
        .map(|port| {
            let (field, counter) = (port.field, counter(port.kind));
            let ty = match port.kind {
                Kind::In => quote!(#runtime::port::InRef),
                Kind::Out => quote!(#runtime::port::OutRef),
                Kind::MsgIn => quote!(#runtime::port::MsgInRef),
                Kind::MsgOut => quote!(#runtime::port::MsgOutRef),
            };
            if port.is_vec {
                quote! {
                    let #field = (0..self.#field.len()).map(|index| #ty::new(id, #counter + index)).collect();
                    #counter += self.#field.len();
                }
            } else {
                quote! {
                    let #field = #ty::new(id, #counter);
                    #counter += 1;
                }
            }
        })
        .collect()
}
