//! The words that cannot be names.

/// The word `in` is a keyword only inside the head of a `for`.
pub fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "active"
            | "assert"
            | "atomic"
            | "bit"
            | "bool"
            | "break"
            | "byte"
            | "c_code"
            | "c_decl"
            | "c_expr"
            | "c_state"
            | "c_track"
            | "D_proctype"
            | "do"
            | "chan"
            | "else"
            | "empty"
            | "enabled"
            | "eval"
            | "false"
            | "fi"
            | "for"
            | "full"
            | "get_priority"
            | "goto"
            | "hidden"
            | "if"
            | "init"
            | "inline"
            | "int"
            | "len"
            | "local"
            | "ltl"
            | "mtype"
            | "nempty"
            | "never"
            | "nfull"
            | "notrace"
            | "np_"
            | "od"
            | "of"
            | "pc_value"
            | "pid"
            | "printf"
            | "printm"
            | "priority"
            | "proctype"
            | "provided"
            | "return"
            | "run"
            | "d_step"
            | "select"
            | "set_priority"
            | "short"
            | "skip"
            | "timeout"
            | "trace"
            | "true"
            | "show"
            | "typedef"
            | "unless"
            | "unsigned"
            | "xr"
            | "xs"
    )
}

/// Whether the word can only begin a unit of the top level: behind an error, reading can go on here.
pub fn begins_unit(word: &str) -> bool {
    matches!(
        word,
        "active" | "proctype" | "D_proctype" | "init" | "never" | "trace" | "notrace" | "ltl" | "typedef" | "inline"
    )
}

/// Whether the word is a type, or says how a variable is seen: a declaration begins with it.
pub fn begins_declaration(word: &str) -> bool {
    matches!(
        word,
        "hidden" | "show" | "local" | "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned" | "mtype" | "chan"
    )
}
