//! What a constructor says about its block's parameters.

mod choice;
mod parse;

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Error, Ident, ImplItem, ItemImpl, LitStr, Signature, Type};

pub use choice::{choice, parameters};
pub use parse::Block;
use parse::{Argument, argument};

/// The code of `#[declare(…)] pub struct Block;`: a block without parameters, which needs no constructor.
pub fn declare_unit(
    block: &Block,
    item: &syn::ItemStruct,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    if !matches!(item.fields, syn::Fields::Unit) {
        let message =
            "a struct with fields has a constructor: put `#[declare(…)]` before the `impl` with `fn new`";
        return Err(Error::new(item.ident.span(), message));
    }
    let ident = &item.ident;
    let make = quote!(|_| ::std::result::Result::Ok(#runtime::AnyBlock::new(#ident)));
    let entry = entry(block, ident, &quote!(&[]), &[], &make, runtime)?;
    Ok(quote!(#item #entry))
}

/// The code of `#[declare(…)] fn block(…) -> …`: an entry that this function makes, named after it.
pub fn declare_function(
    block: &Block,
    mut item: syn::ItemFn,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    let arguments = arguments(&mut item.sig, runtime)?;
    spare_clippy(&mut item.attrs, arguments.len());
    if matches!(item.vis, syn::Visibility::Public(_)) {
        describe(&mut item.attrs, &arguments);
    }
    let ident = item.sig.ident.clone();
    let generic = item.sig.generics.type_params().next().map(|parameter| parameter.ident.clone());
    let call = match (&generic, block.items.is_empty()) {
        (Some(generic), false) => quote!(#ident::<#generic>),
        _ => quote!(#ident),
    };
    let is_live = |argument: &&Argument| argument.is_live;
    let live: Vec<String> = arguments.iter().filter(is_live).map(Argument::name).collect();
    let make = make(block, &call, generic.as_ref(), &arguments, &item.sig, runtime)?;
    let params = params(block, &arguments, generic.as_ref(), runtime)?;
    let entry = entry(block, &ident, &params, &live, &make, runtime)?;
    Ok(quote!(#item #entry))
}

/// So many arguments are what the catalogue has.
fn spare_clippy(attrs: &mut Vec<syn::Attribute>, arguments: usize) {
    if arguments > 7 {
        let reason = "a parameter each";
        attrs.push(syn::parse_quote!(#[allow(clippy::too_many_arguments, reason = #reason)]));
    }
}

/// The code of `#[declare(…)] impl Block { pub fn new(…) … }`.
pub fn declare(block: &Block, mut item: ItemImpl, runtime: &syn::Path) -> Result<TokenStream, Error> {
    let (arguments, signature) = constructor(block, &mut item, runtime)?;
    let entry = match block.summary.is_some() {
        true => entry_of(block, &item, &arguments, &signature, runtime)?,
        false => TokenStream::new(),
    };
    if arguments.iter().any(|argument| argument.is_live) {
        for part in live(&arguments, &signature, runtime) {
            item.items.push(syn::parse2(part)?);
        }
    }
    Ok(quote!(#item #entry))
}

/// The code of `#[declare] impl Pure for Block`, or another trait whose parameters can be set: what changes and tells them.
pub fn take_over(mut item: ItemImpl, runtime: &syn::Path) -> Result<TokenStream, Error> {
    let level =
        item.trait_.as_ref().and_then(|(path, _)| path.segments.last()).map(|last| last.ident.to_string());
    let set = match level.as_deref() {
        Some("Pure") => quote! {
            fn with_parameter(
                &self,
                name: &str,
                value: &#runtime::Value,
            ) -> ::std::result::Result<Self, #runtime::BlockError> {
                let mut changed = ::std::clone::Clone::clone(self);
                changed.set_declared(name, value)?;
                ::std::result::Result::Ok(changed)
            }
        },
        Some(_) => quote! {
            fn set_parameter(
                &mut self,
                name: &str,
                value: &#runtime::Value,
            ) -> ::std::result::Result<(), #runtime::BlockError> {
                self.set_declared(name, value)
            }
        },
        None => {
            return Err(Error::new(item.span(), "`#[declare]` alone stands before the `impl` of a trait"));
        }
    };
    for part in [
        quote!(
            const PARAMETERS: &'static [&'static str] = Self::DECLARED;
        ),
        quote!(
            const FORMERLY: &'static [(&'static str, &'static str)] = Self::DECLARED_FORMERLY;
        ),
        set,
        quote!(fn parameter(&self, name: &str) -> ::std::option::Option<#runtime::Value> { self.declared(name) }),
    ] {
        item.items.push(syn::parse2(part)?);
    }
    Ok(quote!(#item))
}

/// The arguments of the constructor, which loses their attributes, and its signature.
fn constructor(
    block: &Block,
    item: &mut ItemImpl,
    runtime: &syn::Path,
) -> Result<(Vec<Argument>, Signature), Error> {
    let span = item.self_ty.span();
    let name = block.constructor.clone().unwrap_or_else(|| Ident::new("new", span));
    let new = item.items.iter_mut().find_map(|part| match part {
        ImplItem::Fn(function) if function.sig.ident == name => Some(function),
        _ => None,
    });
    let message = format!("a declaration is made of the arguments of `fn {name}`");
    let new = new.ok_or_else(|| Error::new(span, message))?;
    let arguments = arguments(&mut new.sig, runtime)?;
    spare_clippy(&mut new.attrs, arguments.len());
    describe(&mut new.attrs, &arguments);
    Ok((arguments, new.sig.clone()))
}

/// What is declared of the arguments of a function, which lose their attributes.
fn arguments(signature: &mut Signature, runtime: &syn::Path) -> Result<Vec<Argument>, Error> {
    let mut arguments = Vec::new();
    for input in &mut signature.inputs {
        let syn::FnArg::Typed(typed) = input else {
            return Err(Error::new(input.span(), "a constructor has no `self`"));
        };
        let syn::Pat::Ident(pattern) = &*typed.pat else {
            return Err(Error::new(typed.pat.span(), "an argument that is declared has a name"));
        };
        arguments.push(argument(pattern.ident.clone(), (*typed.ty).clone(), &typed.attrs, runtime)?);
        typed.attrs.clear();
    }
    Ok(arguments)
}

/// The type that a function returns, without the `Result` around it, and whether there is one.
fn returned(signature: &Signature) -> (Option<&Type>, bool) {
    let syn::ReturnType::Type(_, ty) = &signature.output else { return (None, false) };
    let Type::Path(path) = &**ty else { return (Some(ty), false) };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Result") else {
        return (Some(ty), false);
    };
    let syn::PathArguments::AngleBracketed(inner) = &last.arguments else { return (None, true) };
    let block = inner.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    (block, true)
}

/// Puts a table of the parameters behind a function's documentation.
fn describe(attrs: &mut Vec<syn::Attribute>, arguments: &[Argument]) {
    attrs.extend(table(arguments).iter().map(|line| -> syn::Attribute { syn::parse_quote!(#[doc = #line]) }));
}

/// The table of the parameters in the documentation of `new`.
fn table(arguments: &[Argument]) -> Vec<String> {
    if arguments.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        "| parameter | range | unit | default | |".into(),
        "|---|---|---|---|---|".into(),
    ];
    lines.extend(arguments.iter().filter(|argument| !argument.is_group).map(|argument| {
        let Argument { unit, doc, default, is_live, .. } = argument;
        let name = argument.name();
        let default = default.as_ref().map(|json| format!("`{json}`")).unwrap_or_default();
        let live = if *is_live { " It can be changed while the block runs." } else { "" };
        let range = argument.range.as_ref().map(|range| format!("`{}`", range.trim())).unwrap_or_default();
        format!("| `{name}` | {range} | {unit} | {default} | {}{live} |", doc.replace('|', "\\|"))
    }));
    lines
}

/// Who reads and says an argument.
fn by(argument: &Argument, runtime: &syn::Path) -> TokenStream {
    let ty = argument.owned();
    match &argument.by {
        Some(by) => quote!(<#by as #runtime::catalog::Reads<#ty>>),
        None => quote!(<#runtime::catalog::Plain as #runtime::catalog::Reads<#ty>>),
    }
}

/// The name of a block: that of its type in lower case, with `_` between words.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// The entry of a block that a constructor makes.
fn entry_of(
    block: &Block,
    item: &ItemImpl,
    arguments: &[Argument],
    signature: &Signature,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    let self_ty = &item.self_ty;
    let Type::Path(path) = &**self_ty else { return Err(Error::new(self_ty.span(), "a block is a struct")) };
    let Some(ident) = path.path.segments.last().map(|segment| &segment.ident) else {
        return Err(Error::new(self_ty.span(), "a block has a name"));
    };
    let generic = item.generics.type_params().next().map(|parameter| &parameter.ident);
    let params = params(block, arguments, generic, runtime)?;
    let live: Vec<String> = arguments.iter().filter(|a| a.is_live).map(Argument::name).collect();
    let new = &signature.ident;
    let make = make(block, &quote!(<#self_ty>::#new), generic, arguments, signature, runtime)?;
    entry(block, ident, &params, &live, &make, runtime)
}

/// The entry with these parameters, of which these can be changed.
fn entry(
    block: &Block,
    ident: &Ident,
    params: &TokenStream,
    live: &[String],
    make: &TokenStream,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    let (Some(category), Some(summary)) = (&block.category, &block.summary) else {
        return Err(Error::new(ident.span(), "an entry has a category and a summary"));
    };
    let name = block.name.as_ref().map_or_else(|| snake(&ident.to_string()), LitStr::value);
    let catalog = quote!(#runtime::catalog);
    let mut ports: Vec<TokenStream> = block
        .ports
        .iter()
        .map(|port| match port {
            syn::Expr::Path(constant) => quote!(#constant),
            call => quote!(#catalog::#call),
        })
        .collect();
    let says_it = |port: &TokenStream| port.to_string().contains("set_port");
    if !live.is_empty() && !ports.iter().any(says_it) {
        let doc = format!("new values of {}", listed(live));
        ports.push(quote!(#catalog::set_port(#doc)));
    }
    let doc = format!("How files and the command line find the block `{name}`.");
    let entry = block.entry.clone().unwrap_or_else(|| format_ident!("ENTRY"));
    Ok(quote! {
        #runtime::catalogued! {
            #[doc = #doc]
            #[allow(clippy::needless_question_mark, reason = "most errors are of another type than the catalogue's")]
            const #entry: #catalog::Entry = #catalog::Entry {
                name: #name,
                category: #category,
                summary: #summary,
                params: #params,
                ports: &[#(#ports),*],
                make: #make,
            };
        }
    })
}

/// The names and types of the items for which there is the block.
fn items(block: &Block, runtime: &syn::Path) -> Vec<(String, TokenStream)> {
    if !block.is_of_any_item {
        return block.items.iter().map(|(name, ty)| (name.clone(), quote!(#ty))).collect();
    }
    [
        ("C32", quote!(#runtime::C32)),
        ("f32", quote!(f32)),
        ("u8", quote!(u8)),
        ("i8", quote!(i8)),
        ("i16", quote!(i16)),
        ("i32", quote!(i32)),
        ("cu8", quote!([u8; 2])),
        ("cs8", quote!([i8; 2])),
        ("cs16", quote!([i16; 2])),
    ]
    .map(|(name, ty)| (name.to_owned(), ty))
    .into()
}

/// The parameters in the catalogue: that of the items, those that are no arguments, the arguments.
fn params(
    block: &Block,
    arguments: &[Argument],
    generic: Option<&Ident>,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    let catalog = quote!(#runtime::catalog);
    let items = items(block, runtime);
    let mut params = Vec::new();
    if let Some((first, _)) = items.first() {
        let names = items.iter().map(|(name, _)| name);
        let default = block.default_item.as_ref().map_or_else(|| first.clone(), LitStr::value);
        let default = format!("{default:?}");
        let doc = block.item_doc.as_ref().map_or_else(|| "The type of the items.".to_owned(), LitStr::value);
        params.push(quote! {
            #catalog::optional("item", #catalog::Kind::Choice(&[#(#names),*]), "", #default, #doc)
        });
    }
    params.extend(block.params.iter().map(|param| quote!(#param)));
    // Whatever the items are, the kind is one.
    let item = generic.zip(items.first()).map(|(generic, (_, ty))| quote!(type #generic = #ty;));
    let mut rest: Vec<&Argument> = arguments.iter().collect();
    let mut sorted = Vec::new();
    for name in &block.order {
        let place = rest.iter().position(|argument| argument.name() == name.value());
        let place = place.ok_or_else(|| Error::new(name.span(), "no argument has this name"))?;
        sorted.push(rest.remove(place));
    }
    sorted.extend(rest);
    // Groups of parameters stand between lists of single ones.
    let mut parts = Vec::new();
    for argument in sorted {
        let Argument { unit, doc, .. } = argument;
        if argument.is_group {
            let group = argument.owned();
            parts.push(quote!(&[#(#params),*]));
            parts.push(quote!({ #item <#group as #catalog::Parameters>::PARAMETERS }));
            params.clear();
            continue;
        }
        let (name, reads) = (argument.name(), by(argument, runtime));
        let kind = argument.kind.clone().unwrap_or_else(|| quote!({ #item #reads::KIND }));
        let formerly = (!argument.formerly.is_empty()).then(|| {
            let names = &argument.formerly;
            quote!(.formerly(&[#(#names),*]))
        });
        params.push(match &argument.default {
            Some(json) => quote!(#catalog::optional(#name, #kind, #unit, #json, #doc)#formerly),
            None => quote!(#catalog::required(#name, #kind, #unit, #doc)#formerly),
        });
        if let Some(doc) = &argument.imag {
            let name = format!("{name}_imag");
            params.push(quote!(#catalog::optional(#name, #catalog::ANY_FLOAT, #unit, "0.0", #doc)));
        }
    }
    if parts.is_empty() {
        return Ok(quote!(&[#(#params),*]));
    }
    parts.push(quote!(&[#(#params),*]));
    Ok(quote! {{
        const PARTS: &[&[#catalog::Param]] = &[#(#parts),*];
        const ALL: [#catalog::Param; #catalog::count_of(PARTS)] = #catalog::join(PARTS);
        &ALL
    }})
}

/// What an argument is read as, of `params`, and what borrows it where the constructor wants that.
fn read(argument: &Argument, runtime: &syn::Path) -> (TokenStream, Option<TokenStream>) {
    let (reads, name) = (by(argument, runtime), argument.name());
    let owned = match argument.is_group {
        true => {
            let group = argument.owned();
            quote!(<#group as #runtime::catalog::Parameters>::read(params)?)
        }
        false => quote!(#reads::read(params, #name)?),
    };
    let is_borrowed = matches!((&argument.ty, &argument.read_as), (Type::Reference(_), None));
    (owned, is_borrowed.then(|| quote!(&)))
}

/// What makes the block out of parameters, by a call of this.
fn make(
    block: &Block,
    call: &TokenStream,
    generic: Option<&Ident>,
    arguments: &[Argument],
    signature: &Signature,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    if let Some(make) = &block.make {
        return Ok(quote!(#make));
    }
    // What does not depend on the items is read once, before they are looked at.
    let mut read_before = Vec::new();
    let reads: Vec<TokenStream> = arguments
        .iter()
        .enumerate()
        .map(|(place, argument)| {
            let (owned, borrow) = read(argument, runtime);
            if generic.is_some_and(|generic| mentions(owned.clone(), generic)) {
                return quote!(#borrow #owned);
            }
            let name = format_ident!("argument_{place}");
            read_before.push(quote!(let #name = #owned;));
            quote!(#borrow #name)
        })
        .collect();
    let (returned, fallible) = returned(signature);
    let question = fallible.then(|| quote!(?));
    let made = quote!(#call(#(#reads),*)#question);
    let is_any = matches!(returned, Some(Type::Path(path)) if path.path.segments.last().is_some_and(|s| s.ident == "AnyBlock"));
    let made = match (&block.through, is_any) {
        (Some(through), _) => quote!(#runtime::AnyBlock::new((#through)(#made))),
        (None, true) => made,
        (None, false) => quote!(#runtime::AnyBlock::new(#made)),
    };
    let items = items(block, runtime);
    let made = match (items.is_empty(), generic) {
        (true, _) => made,
        (false, Some(generic)) => {
            let arms = items.iter().map(|(name, ty)| quote!(#name => { type #generic = #ty; #made }));
            quote! {
                match params.text("item") {
                    #(#arms)*
                    other => {
                        return ::std::result::Result::Err(#runtime::catalog::no_item_type(other));
                    }
                }
            }
        }
        (false, None) => {
            return Err(Error::new(
                signature.ident.span(),
                "a block with items has a type parameter for them",
            ));
        }
    };
    Ok(quote!(|params| {
        let _ = params;
        #(#read_before)*
        ::std::result::Result::Ok(#made)
    }))
}

/// Whether the code has this word.
fn mentions(code: TokenStream, word: &Ident) -> bool {
    code.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}

/// What changes and tells the parameters of a block that runs: a list of their names, a typed name for each, and two methods.
fn live(arguments: &[Argument], signature: &Signature, runtime: &syn::Path) -> Vec<TokenStream> {
    let are_live = || arguments.iter().filter(|argument| argument.is_live);
    let others = are_live().flat_map(|argument| argument.also.iter().map(LitStr::value));
    let names = are_live().map(Argument::name).chain(others);
    let former = are_live().flat_map(|argument| {
        let name = argument.name();
        argument.formerly.iter().map(move |former| quote!((#former, #name)))
    });
    let typed = are_live().map(|argument| {
        let (name, ty) = (argument.name(), argument.owned());
        let constant = Ident::new(&name.to_uppercase(), argument.ident.span());
        let doc = format!("The parameter `{name}`, for `Handle::parameter`: {}", argument.doc);
        quote! {
            #[doc = #doc]
            pub const #constant: #runtime::parameter::Declared<Self, #ty> = #runtime::parameter::Declared::new(#name);
        }
    });
    let setters = are_live().map(|argument| {
        let (name, also, reads) = (argument.name(), &argument.also, by(argument, runtime));
        let take = take(argument, arguments, signature);
        // Where nobody else looks at the value.
        let is_unchecked =
            argument.set.is_none() && argument.check.is_none() && (argument.is_any || !returned(signature).1);
        let kind = argument.kind.as_ref().filter(|_| is_unchecked);
        let check = kind.map(|kind| quote!(#kind.check(#name, value)?;));
        quote! {
            #name #(| #also)* => {
                #check
                let changed = #reads::change(#name, value)?;
                #take;
            }
        }
    });
    let getters = are_live().filter(|argument| !argument.is_untold).map(|argument| {
        let (name, also, reads, place) =
            (argument.name(), &argument.also, by(argument, runtime), argument.place());
        let said = match &argument.get {
            Some(get) => quote!(&self.#get()),
            None => quote!(&::std::clone::Clone::clone(&self.#place).into()),
        };
        quote!(#name #(| #also)* => ::std::option::Option::Some(#reads::say(#said)),)
    });
    let mut parts = vec![quote! {
        /// The names of the parameters that can be changed while the block runs.
        pub const DECLARED: &'static [&'static str] = &[#(#names),*];
    }];
    parts.push(quote! {
        /// Names that these had before, each with the name that it has now.
        pub const DECLARED_FORMERLY: &'static [(&'static str, &'static str)] = &[#(#former),*];
    });
    parts.extend(typed);
    parts.push(quote! {
        /// Changes a declared parameter.
        fn set_declared(
            &mut self,
            name: &str,
            value: &#runtime::Value,
        ) -> ::std::result::Result<(), #runtime::BlockError> {
            match name {
                #(#setters)*
                _ => return ::std::result::Result::Err(#runtime::parameter::no_parameter(name, Self::DECLARED)),
            }
            ::std::result::Result::Ok(())
        }
    });
    parts.push(quote! {
        /// The value of a declared parameter, where it is told.
        fn declared(&self, name: &str) -> ::std::option::Option<#runtime::Value> {
            match name {
                #(#getters)*
                _ => ::std::option::Option::None,
            }
        }
    });
    parts
}

/// What a running block does with the new value `changed` of an argument.
fn take(argument: &Argument, arguments: &[Argument], signature: &Signature) -> TokenStream {
    let place = argument.place();
    if let Some(set) = &argument.set {
        return quote!(self.#set(changed)?);
    }
    if let Some(check) = &argument.check {
        let passed = match argument.owned() {
            Type::Path(path) if is_copy(&path) => quote!(changed),
            _ => quote!(&changed),
        };
        return quote!((#check)(#passed)?; self.#place = changed);
    }
    if argument.is_any || !returned(signature).1 {
        return quote!(self.#place = changed);
    }
    // The constructor knows which values fit each other.
    let new = &signature.ident;
    let all = arguments.iter().map(|other| {
        let (place, borrow) = (other.place(), matches!(other.ty, Type::Reference(_)).then(|| quote!(&)));
        match other.ident == argument.ident {
            true => quote!(#borrow changed),
            false => quote!(#borrow ::std::clone::Clone::clone(&self.#place)),
        }
    });
    quote!(self.#place = Self::#new(#(#all),*)?.#place)
}

/// Whether a type is one of numbers.
fn is_copy(path: &syn::TypePath) -> bool {
    path.path.segments.last().is_some_and(|last| {
        last.arguments.is_empty() && !["String", "Value", "PathBuf"].iter().any(|name| last.ident == name)
    })
}
