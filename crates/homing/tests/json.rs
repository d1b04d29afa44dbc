//! The JSON documents match their schemas (`docs/schema`), and every field that they have is described there.

mod program;

use std::fs;
use std::path::Path;

use program::Folder;
use serde_json::{Map, Value};

/// A schema, validated by the keywords of JSON Schema 2020-12 that ours use.
struct Schema(Value);

/// Keywords that say nothing about validity.
const ANNOTATIONS: [&str; 4] = ["$schema", "$defs", "title", "description"];

impl Schema {
    fn read(name: &str) -> Schema {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name);
        let text = fs::read_to_string(&path).expect("a schema");
        Schema(serde_json::from_str(&text).expect("a schema is JSON"))
    }

    /// Fails with all that is wrong with the document.
    #[track_caller]
    fn validate(&self, document: &Value) {
        let mut errors = Vec::new();
        self.check(&self.0, document, "$", &mut errors);
        assert!(errors.is_empty(), "{}\nin {document:#}", errors.join("\n"));
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            let is_valid = match keyword.as_str() {
                "type" => one_or_many(rule).any(|name| has_type(value, name)),
                "enum" => rule.as_array().expect("a list").contains(value),
                "const" => rule == value,
                "minimum" => value.as_f64().is_none_or(|number| rule.as_f64().is_some_and(|least| number >= least)),
                "required" => one_or_many(rule).all(|key| value.as_object().is_none_or(|map| map.contains_key(key))),
                "anyOf" => rule.as_array().expect("a list").iter().any(|schema| {
                    let mut inner = Vec::new();
                    self.check(schema, value, at, &mut inner);
                    inner.is_empty()
                }),
                "$ref" => {
                    let pointer = rule.as_str().expect("a reference").trim_start_matches('#');
                    self.check(self.0.pointer(pointer).expect("a definition"), value, at, errors);
                    true
                }
                "properties" => {
                    self.check_properties(rule.as_object().expect("an object"), value, at, errors);
                    true
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{at}[{index}]"), errors);
                    }
                    true
                }
                annotation if ANNOTATIONS.contains(&annotation) => true,
                unknown => panic!("the validator does not know the keyword `{unknown}`"),
            };
            if !is_valid {
                errors.push(format!("{at} does not satisfy {keyword}: {rule}"));
            }
        }
    }

    /// The schemas allow further fields, which later versions may have; here every field has to be described.
    fn check_properties(&self, rules: &Map<String, Value>, value: &Value, at: &str, errors: &mut Vec<String>) {
        for (key, value) in value.as_object().into_iter().flatten() {
            match rules.get(key) {
                Some(rule) => self.check(rule, value, &format!("{at}.{key}"), errors),
                None => errors.push(format!("{at}.{key} is not described")),
            }
        }
    }
}

fn one_or_many(rule: &Value) -> impl Iterator<Item = &str> {
    let many = rule.as_array().into_iter().flatten().filter_map(Value::as_str);
    many.chain(rule.as_str())
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        unknown => panic!("the validator does not know the type `{unknown}`"),
    }
}

const VIOLATED: &str = "\
byte x, sum;
chan c = [0] of { byte };
active proctype Sender() { do :: x < 3 -> x++; c!x :: x == 3 -> break od; assert(sum == 300) }
active proctype Receiver() { byte got; do :: c?got -> sum = sum + 100 * got; printf(\"%d\\n\", sum) od }
init { if :: false -> skip :: true fi; run Late() }
proctype Late() { end: false }
ltl p { [] (x < 3) }
";

#[test]
fn check_prints_what_its_schema_says() {
    let schema = Schema::read("check.schema.json");
    let folder = Folder::new("json_check")
        .file("violated.pml", VIOLATED)
        .file("holds.pml", "byte x; active [2] proctype P() { if :: x = 1 :: x == 2 -> x = 3 fi }\n")
        .file("start.pml", "byte a[2]; byte i = a[2];\ninit { skip }\n")
        .file("endless.pml", "int x; active proctype P() { do :: x++ od }\n");
    for (model, flags) in [
        ("violated.pml", &[][..]),
        ("violated.pml", &["--property", "safety", "--property", "invariant: x < 2"]),
        ("violated.pml", &["--all-errors", "--plain"]),
        ("violated.pml", &["--search", "astar", "--heuristic", "formula", "--combine", "max", "--trail", "t.json"]),
        ("violated.pml", &["--search", "stateless", "--max-depth", "40"]),
        ("violated.pml", &["--search", "highway", "--seed", "3"]),
        ("holds.pml", &[]),
        ("holds.pml", &["--search", "dfs", "--store", "exact", "--engine", "interpreted"]),
        ("holds.pml", &["--store", "compact"]),
        ("holds.pml", &["--search", "ida", "--store", "bitstate", "--bits", "1M"]),
        ("start.pml", &[]),
        ("endless.pml", &["--max-states", "100"]),
        ("endless.pml", &["--timeout", "0s", "--search", "bfs", "--threads", "2"]),
    ] {
        let ran = folder.homing(&[&["check", model, "--json"], flags].concat());
        assert!(matches!(ran.code, Some(0 | 1 | 3)), "{model} {flags:?}: {ran:?}");
        schema.validate(&serde_json::from_str(&ran.stdout).expect("JSON"));
    }
    let folder = folder.file("wrong.pml", "init { x = 1 }\n");
    for models in [&["wrong.pml"][..], &["missing.pml"], &["wrong.pml", "holds.pml"]] {
        let ran = folder.homing(&[&["check", "--json", "-DUNREAD"], models].concat()).ends_with(2);
        schema.validate(&serde_json::from_str(&ran.stdout).expect("JSON"));
    }
    let read = folder.homing_with_input(&["check", "-", "--json"], VIOLATED).ends_with(1);
    schema.validate(&serde_json::from_str(&read.stdout).expect("JSON"));
}

#[test]
fn a_trail_is_what_its_schema_says() {
    let schema = Schema::read("trail.schema.json");
    let folder = Folder::new("json_trail")
        .file("m.pml", VIOLATED)
        .file("start.pml", "byte a[2]; byte i = a[2];\n\ninit { skip }\n");
    let trail = |arguments: &[&str]| {
        folder.homing(arguments);
        let text = fs::read_to_string(folder.path.join("t.json")).expect("a trail");
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let violated = trail(&["check", "m.pml", "--property", "safety", "--trail", "t.json"]);
    schema.validate(&violated);
    assert!(violated["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
    schema.validate(&trail(&["check", "start.pml", "--trail", "t.json"]));
    schema.validate(&trail(&["simulate", "m.pml", "--seed", "3", "--trail", "t.json"]));
}

#[test]
fn labelled_transition_systems_have_the_same_document_and_a_trail_of_their_own() {
    let (check, trail) = (Schema::read("check.schema.json"), Schema::read("lts-trail.schema.json"));
    let folder =
        Folder::new("json_lts").file("m.aut", "des (0,2,3)\n(0,\"a\",1)\n(1,\"b\",2)\n").file("cut.aut", "des (0,2,3)");
    for (flags, code) in [
        (&["m.aut", "--trail", "t.json"][..], 1),
        (&["m.aut", "--property", "action:b", "--all-errors"], 1),
        (&["m.aut", "--property", "action:c", "--search", "dfs"], 0),
        (&["cut.aut"], 2),
    ] {
        let ran = folder.homing(&[&["check", "--json"], flags].concat()).ends_with(code);
        check.validate(&serde_json::from_str(&ran.stdout).expect("JSON"));
    }
    let read =
        || serde_json::from_str(&fs::read_to_string(folder.path.join("t.json")).expect("a trail")).expect("JSON");
    trail.validate(&read());
    folder.homing(&["simulate", "m.aut", "--trail", "t.json"]).ends_with(1);
    trail.validate(&read());
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let schema = Schema::read("check.schema.json");
    let folder = Folder::new("json_validator").file("m.pml", VIOLATED);
    let document: Value =
        serde_json::from_str(&folder.homing(&["check", "m.pml", "--json"]).ends_with(1).stdout).expect("JSON");
    let broken = |pointer: &str, value: Value| {
        let mut document = document.clone();
        *document.pointer_mut(pointer).expect("a field") = value;
        let mut errors = Vec::new();
        schema.check(&schema.0, &document, "$", &mut errors);
        errors
    };
    assert_eq!(broken("/results/0/verdict", "violated".into()), [""; 0]);
    for (pointer, value) in [
        ("/results/0/verdict", "maybe".into()),
        ("/results/0/stats/states", (-1).into()),
        ("/results/0/stats/seconds", Value::Null),
        ("/results/0/error", Value::Array(Vec::new())),
        ("/results/0/trail", Value::Object(Map::new())),
        ("/homing", 1.into()),
    ] {
        assert!(!broken(pointer, value).is_empty(), "{pointer}");
    }
    let mut more = document.clone();
    more["more"] = true.into();
    let mut errors = Vec::new();
    schema.check(&schema.0["$defs"]["document"], &more, "$", &mut errors);
    assert_eq!(errors, ["$.more is not described"]);
}
