//! What people get of a source: all that is not below `#[cfg(test)]`.

use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::{Pair, Punctuated};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, File, Lit, Meta, Token};

/// Parses a file and leaves out its tests.
pub(crate) fn parse(text: &str) -> syn::Result<File> {
    let mut file = syn::parse_file(text)?;
    if file.attrs.iter().any(needs_test) {
        file.items.clear();
    }
    WithoutTests.visit_file_mut(&mut file);
    Ok(file)
}

/// The file that `#[path = "…"]` says.
pub(crate) fn path_of(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let meta = attribute.meta.require_name_value().ok()?;
        string(&meta.value).filter(|_| meta.path.is_ident("path"))
    })
}

/// What a literal says.
pub(crate) fn string(value: &Expr) -> Option<String> {
    if let Expr::Lit(literal) = value
        && let Lit::Str(text) = &literal.lit
    {
        return Some(text.value());
    }
    None
}

struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut File) {
        file.items.retain(is_shipped);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(is_shipped);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(is_shipped);
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_item_trait_mut(&mut self, block: &mut syn::ItemTrait) {
        block.items.retain(is_shipped);
        visit_mut::visit_item_trait_mut(self, block);
    }

    fn visit_item_enum_mut(&mut self, item: &mut syn::ItemEnum) {
        retain(&mut item.variants);
        visit_mut::visit_item_enum_mut(self, item);
    }

    fn visit_fields_named_mut(&mut self, fields: &mut syn::FieldsNamed) {
        retain(&mut fields.named);
        visit_mut::visit_fields_named_mut(self, fields);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(is_shipped);
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_match_mut(&mut self, expression: &mut syn::ExprMatch) {
        expression.arms.retain(is_shipped);
        visit_mut::visit_expr_match_mut(self, expression);
    }

    fn visit_expr_struct_mut(&mut self, expression: &mut syn::ExprStruct) {
        retain(&mut expression.fields);
        visit_mut::visit_expr_struct_mut(self, expression);
    }
}

fn retain<T: ToTokens>(list: &mut Punctuated<T, Token![,]>) {
    let pairs = std::mem::take(list).into_pairs();
    *list = pairs
        .filter(|pair| is_shipped(pair.value()))
        .map(Pair::into_tuple)
        .map(|(value, comma)| {
            Pair::new(
                value,
                comma.or_else(|| Some(Token![,](proc_macro2::Span::call_site()))),
            )
        })
        .collect();
}

fn is_shipped(part: &impl ToTokens) -> bool {
    let attributes = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(attributes)
    };
    let attributes = attributes.parse2(part.to_token_stream());
    !attributes.is_ok_and(|attributes| attributes.iter().any(needs_test))
}

/// Whether what it stands above is compiled for tests alone.
fn needs_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args()
            .is_ok_and(|condition| implies_test(&condition))
}

fn implies_test(condition: &Meta) -> bool {
    let Meta::List(list) = condition else {
        return condition.path().is_ident("test");
    };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let parts = parts.unwrap_or_default();
    if list.path.is_ident("all") {
        parts.iter().any(implies_test)
    } else {
        list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(implies_test)
    }
}

#[test]
fn what_is_for_tests_is_left_out_and_nothing_else() {
    let text = r#"
        #[cfg(test)] mod faults;
        #[cfg(all(test, unix))] use a::B;
        #[cfg(any(test, unix))] fn kept_for_unix() {}
        #[cfg(not(test))] fn kept_without_tests() {}
        struct Kept { #[cfg(test)] left_out: u8, kept_field: u8 }
        fn kept() { #[cfg(test)] left_out(); kept_call(); match x { #[cfg(test)] 1 => left_out(), _ => {} } }
        impl Kept { #[cfg(test)] fn left_out() {} fn kept_too(&self) {} }
        mod kept_below { #[cfg(test)] mod left_out {} }
    "#;
    let kept = parse(text).unwrap().to_token_stream().to_string();
    assert!(!kept.contains("left_out") && !kept.contains("faults") && !kept.contains("B"));
    assert_eq!(kept.matches("kept").count(), 7, "{kept}");
}
