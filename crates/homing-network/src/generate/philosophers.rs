//! Dining philosophers, as the Promela model of the same name: forks are processes, taken and put down by rendezvous.

use super::text::{NetworkText, TemplateText};

/// So many philosophers, each of whom takes the left fork first; all can starve together.
pub fn philosophers(count: u32) -> NetworkText {
    let locations = ["think", "one", "eat", "down"].map(String::from);
    let mut philosopher = TemplateText::new("Philosopher", "const id_t i", &locations);
    philosopher.edge("think", "take[i]!", "one");
    philosopher.edge("one", "take[(i+1)%N]!", "eat");
    philosopher.edge("eat", "put[(i+1)%N]!", "down");
    philosopher.edge("down", "put[i]!", "think");
    let mut fork = TemplateText::new("Fork", "const id_t i", &["free", "taken"].map(String::from));
    fork.edge("free", "take[i]?", "taken");
    fork.edge("taken", "put[i]?", "free");
    NetworkText {
        declarations: format!("const int N = {count};\ntypedef int[0,N-1] id_t;\nchan take[N], put[N];\n"),
        templates: vec![philosopher, fork],
        system: "system Philosopher, Fork;\n".to_owned(),
        queries: vec!["A[] not deadlock".to_owned()],
    }
}
