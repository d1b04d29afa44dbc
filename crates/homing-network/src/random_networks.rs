//! Random networks with data, for tests that compare two readers or two engines.
//!
//! A network has globals of several types, functions, templates with parameters by value and by reference, and edges
//! with all kinds of labels. Values can leave their ranges, indices their arrays, and divisors can be zero: such runs end
//! in run-time errors, which have to be found, too.

use homing_core::{Purpose, Seed, Stream};

use crate::generate::{EdgeText, LocationText, NetworkText, TemplateText};

/// The random network of a seed.
pub fn random_network(seed: u64) -> NetworkText {
    Generator { stream: Seed::of_run(seed, 0).stream(Purpose::Order), fails_often: false }.network()
}

/// The random network of a seed in which many updates, and some guards and queries, can fail: run-time errors are reachable beside states
/// that decide the queries, before and after them.
pub fn random_failing_network(seed: u64) -> NetworkText {
    Generator { stream: Seed::of_run(seed, 0).stream(Purpose::Order), fails_often: true }.network()
}

struct Generator {
    stream: Stream,
    /// Run-time errors are frequent.
    fails_often: bool,
}

/// Declarations that every network has; what they contain is chosen at random where it matters.
const FUNCTIONS: &str = "\
int[0,7] step(int[0,7] v, const int by) { if (v + by > 7) return (v + by) % 8; return v + by; }
int total() { int sum; for (k : idx) sum += arr[k]; return sum; }
void rotate(int[0,3] &first, int[0,3] &second) { int old = first; first = second; second = old; }
bool full() { int k = 0; while (k < 3) { if (arr[k] < 2) return false; k++; } return true; }
void fill(int v) { int k; for (k = 0; k < 3; k++) arr[k] = v; }
pair_t swapped(pair_t p) { pair_t q; q.a = p.b; q.b = p.a; q.on = !p.on; return q; }
";

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.stream.below(bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn network(&mut self) -> NetworkText {
        let (first, second, third) = (self.below(4), self.below(4), self.below(8));
        let declarations = format!(
            "const int N = 3;\ntypedef int[0,N-1] idx;\ntypedef struct {{ int[0,3] a; int[0,3] b; bool on; }} pair_t;\n\
             const int[0,3] table[4] = {{ {first}, 2, 0, {second} }};\nint[0,7] x = {third};\nint[-2,2] y;\nbool flag = {};\n\
             int[0,3] arr[idx] = {{ 0, {first}, 1 }};\nint[0,2] grid[2][idx];\npair_t p = {{ 1, {second}, true }}, q;\n\
             chan c[N], d;\nurgent chan u;\nbroadcast chan b, bb[2];\n{FUNCTIONS}",
            self.pick(&["true", "false"])
        );
        let count = 1 + self.below(2);
        let templates: Vec<TemplateText> = (0..count).map(|number| self.template(number)).collect();
        let mut system = String::new();
        let mut processes = Vec::new();
        for number in 0..count {
            match self.below(3) {
                0 => {
                    system += &format!("F{number}(const idx i) = T{number}(i, x);\n");
                    processes.push((format!("F{number}(1)"), format!("F{number}")));
                }
                other => {
                    let variable = if other == 1 { "x" } else { "z" };
                    for copy in 0..2 {
                        let name = format!("P{number}_{copy}");
                        system += &format!("{name} = T{number}({}, {variable});\n", self.below(3));
                        processes.push((name.clone(), name));
                    }
                }
            }
        }
        let list: Vec<&str> = processes.iter().map(|(_, line)| line.as_str()).collect();
        system += &format!("system {};\n", list.join(", "));
        let mut text =
            NetworkText { declarations: declarations + "int[0,7] z;\n", templates, system, queries: Vec::new() };
        let (process, _) = &processes[self.below(processes.len())];
        let location = format!("{process}.l{}", self.below(3));
        let condition = self.condition(false);
        text.queries = vec![
            format!("E<> {location} and {condition}"),
            format!("A[] {} or not {process}.own > 1", self.condition(false)),
            "E<> deadlock".to_owned(),
            format!("A[] forall (k : idx) arr[k] <= {}", self.below(4)),
        ];
        if self.fails_often {
            let (location, number) = (self.below(3), self.below(4));
            text.queries.extend([
                format!("E<> {process}.l{location}"),
                format!("E<> arr[x] == {number} and not flag"),
                format!("A[] 7 / z != {number}"),
                format!("A[] {process}.l{location} imply {process}.own < {}", number + 1),
            ]);
        }
        text
    }

    fn template(&mut self, number: usize) -> TemplateText {
        let mut template = TemplateText {
            name: format!("T{number}"),
            parameters: "const idx id, int[0,7] &r".to_owned(),
            declarations: "int[0,3] own = id;\nconst int next = (id + 1) % N;\n\
                           void bump() { own = own < 3 ? own + 1 : 0; }\n"
                .to_owned(),
            ..TemplateText::default()
        };
        let locations = 3 + self.below(2);
        for at in 0..locations {
            let invariant = if at > 0 && self.chance(20) { self.condition(true) } else { String::new() };
            template.locations.push(LocationText {
                name: format!("l{at}"),
                invariant,
                committed: at > 0 && self.chance(12),
                urgent: at > 0 && self.chance(12),
            });
        }
        for _ in 0..locations + 2 + self.below(3) {
            let edge = self.edge(locations);
            template.edges.push(edge);
        }
        template
    }

    fn edge(&mut self, locations: usize) -> EdgeText {
        let selects = self.chance(25);
        let mut edge = EdgeText { source: self.below(locations), target: self.below(locations), ..EdgeText::default() };
        if selects {
            edge.select = "s : idx".to_owned();
        }
        if self.chance(60) {
            edge.guard = self.condition(true);
            if selects {
                edge.guard += " and arr[s] != table[s + 1]";
            }
        }
        if self.fails_often && self.chance(5) {
            edge.guard = self.pick(&["arr[x] < 3", "7 / x > 1", "table[y] != 1"]).to_owned();
        }
        if self.chance(55) {
            let index = if selects { "s" } else { self.pick(&["id", "next", "0", "x % N", "own"]) };
            let channel = match self.below(7) {
                0 | 1 => format!("c[{index}]"),
                2 => "d".to_owned(),
                3 => "u".to_owned(),
                4 | 5 => "b".to_owned(),
                _ => "bb[own % 2]".to_owned(),
            };
            edge.sync = channel + self.pick(&["!", "?"]);
        }
        let updates = self.below(3);
        edge.update = (0..updates).map(|_| self.update(selects)).collect::<Vec<_>>().join(",\n");
        edge
    }

    fn update(&mut self, selects: bool) -> String {
        let number = self.below(4);
        let choices = [
            format!("x = step(x, {number})"),
            format!("r = (r + {number}) % 8"),
            "own++".to_owned(),
            "own = (own + 1) % 4".to_owned(),
            format!("y = {number} - 2"),
            "y--".to_owned(),
            "flag = !flag".to_owned(),
            "flag := x > 3 && y <= 0".to_owned(),
            "arr[id] = own".to_owned(),
            format!("arr[next] = arr[id] <? {number}"),
            "rotate(arr[0], arr[id])".to_owned(),
            "bump()".to_owned(),
            format!("fill({number})"),
            "q = p".to_owned(),
            "p = swapped(q)".to_owned(),
            format!("p.a = table[{number}]"),
            "p.on ^= flag".to_owned(),
            "grid[own % 2][id] = (grid[own % 2][id] + 1) % 3".to_owned(),
            "grid[0] = grid[1]".to_owned(),
            "x = total()".to_owned(),
            "arr[own] = 1".to_owned(),
            "x = 7 / own".to_owned(),
            format!("z = (x << 1 | {number}) & 7"),
        ];
        if self.fails_often && self.chance(15) {
            let failing =
                ["x = x + 3", "r = r - 1", "arr[x] = 1", "y = 6 / y", "own++", "x = 7 / z", "z = arr[r]", "z++"];
            return self.pick(&failing).to_owned();
        }
        // Updates that often fail come last and are rarer.
        let bound = if self.chance(90) { choices.len() - 4 } else { choices.len() };
        if selects && self.chance(40) {
            return "arr[s] = s".to_owned();
        }
        choices[self.below(bound)].clone()
    }

    /// A condition over the variables of the network, and over those of a process if there is one.
    fn condition(&mut self, in_process: bool) -> String {
        let number = self.below(4);
        let simple = [
            format!("x >= {number}"),
            format!("y != {}", number as i32 - 2),
            "flag".to_owned(),
            "not flag".to_owned(),
            format!("arr[{}] < 3", number % 3),
            "full()".to_owned(),
            format!("total() <= {}", number + 3),
            "p == q".to_owned(),
            format!("p.a + q.b < {}", number + 3),
            "exists (k : idx) arr[k] == 0".to_owned(),
            format!("sum (k : idx) grid[0][k] < {}", number + 2),
            format!("(x > {number} imply y < 2)"),
            format!("(flag ? x : y) <= {}", number + 1),
        ];
        let own = [
            format!("own < {}", number + 1),
            "r > 0".to_owned(),
            "own != id".to_owned(),
            "arr[next] >= arr[id]".to_owned(),
            "table[own] > 0".to_owned(),
        ];
        let mut text = if in_process && self.chance(40) {
            own[self.below(own.len())].clone()
        } else {
            simple[self.below(simple.len())].clone()
        };
        if self.chance(25) && !text.starts_with("exists") && !text.starts_with("sum") {
            let other = self.condition(in_process);
            text = format!("{text} {} ({other})", self.pick(&["and", "or", "&&", "||"]));
        }
        text
    }
}
