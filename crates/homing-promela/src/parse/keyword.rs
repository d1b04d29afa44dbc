//! The keywords.

/// Whether the word cannot be a name. The word `in` is a keyword only in the head of a `for`.
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

/// Whether the word can only begin a unit of the top level: after an error, parsing can continue here.
pub fn begins_unit(word: &str) -> bool {
    matches!(
        word,
        "active" | "proctype" | "D_proctype" | "init" | "never" | "trace" | "notrace" | "ltl" | "typedef" | "inline"
    )
}

/// Whether a declaration begins with the word: a type, or a visibility.
pub fn begins_declaration(word: &str) -> bool {
    matches!(
        word,
        "hidden" | "show" | "local" | "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned" | "mtype" | "chan"
    )
}
