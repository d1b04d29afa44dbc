//! The output of `printf` and `printm`.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use homing_ir::{Expr, Model, ProctypeId, Scalar};

/// The text of a `printf`: `format` as written, in quotes. Conversions are SPIN's: `%d %u %x %o %c %e`; any other is
/// copied, and one without an argument prints nothing.
pub fn formatted(model: &Model, proctype: ProctypeId, format: &str, args: &[Expr], values: &[i32]) -> String {
    let inner = format.strip_prefix('"').unwrap_or(format);
    let mut chars = inner.strip_suffix('"').unwrap_or(inner).chars().peekable();
    let mut rest = args.iter().zip(values.iter().copied());
    let mut out = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => escape(chars.next(), &mut out),
            '%' => conversion(model, proctype, &mut chars, &mut rest, &mut out),
            c => out.push(c),
        }
    }
    out
}

fn escape(c: Option<char>, out: &mut String) {
    match c {
        Some('n') => out.push('\n'),
        Some('t') => out.push('\t'),
        Some('r') => out.push('\r'),
        Some(c) => out.push(c),
        None => out.push('\\'),
    }
}

fn conversion<'a>(
    model: &Model,
    proctype: ProctypeId,
    chars: &mut Peekable<Chars<'_>>,
    rest: &mut impl Iterator<Item = (&'a Expr, i32)>,
    out: &mut String,
) {
    let kind = chars.peek().copied();
    if kind == Some('%') {
        chars.next();
        out.push('%');
        return;
    }
    if !matches!(kind, Some('d' | 'u' | 'x' | 'o' | 'c' | 'e')) {
        out.push('%');
        return;
    }
    chars.next();
    let Some((arg, value)) = rest.next() else { return };
    let written = match kind {
        Some('d') => write!(out, "{value}"),
        Some('u') => write!(out, "{}", value as u32),
        Some('x') => write!(out, "{value:x}"),
        Some('o') => write!(out, "{value:o}"),
        Some('c') => write!(out, "{}", char::from(value as u8)),
        _ => write!(out, "{}", mtype(model, proctype, arg, value)),
    };
    written.expect("a string takes all");
}

/// The name of an mtype value, or the number if it has none. The set is that of the expression.
pub fn mtype(model: &Model, proctype: ProctypeId, expr: &Expr, value: i32) -> String {
    let set = match expr {
        Expr::Const { mtype: Some(mtype), .. } => Some(mtype.set),
        Expr::Var(var) => match model.variable(Some(proctype), var.scope, var.var).scalar {
            Scalar::Mtype(set) => set,
            _ => None,
        },
        _ => None,
    };
    name_in(model, set, value).unwrap_or_else(|| value.to_string())
}

/// The name of a value in an mtype set; without a set, in the one without a name.
pub fn name_in(model: &Model, set: Option<u16>, value: i32) -> Option<String> {
    let set = match set {
        Some(set) => model.mtypes.get(set as usize),
        None => model.mtypes.iter().find(|set| set.name.is_none()),
    };
    set.and_then(|set| set.names.get((value as usize).wrapping_sub(1))).cloned()
}

#[cfg(test)]
mod tests {
    use homing_ir::MtypeSet;

    use super::*;

    #[test]
    fn conversions_are_spins() {
        let names = vec!["two".to_owned(), "one".to_owned()];
        let model = Model { mtypes: vec![MtypeSet { name: None, names }], ..Model::default() };
        for (format, values, expected) in [
            (r#""%d %u %x %o|%c|%e\n""#, &[-5, 200, 200, 200, 65, 2][..], "-5 200 c8 310|A|one\n"),
            (r#""tab\tq\"uote\" back\\slash 100%%\n""#, &[], "tab\tq\"uote\" back\\slash 100%\n"),
            (r#""short %d.""#, &[], "short ."),
            (r#""%5d 100%""#, &[1], "%5d 100%"),
            (r#""%e""#, &[7], "7"),
        ] {
            let args = vec![Expr::constant(0); values.len()];
            assert_eq!(formatted(&model, ProctypeId(0), format, &args, values), expected, "{format}");
        }
    }
}
