//! The arbiter tree: inner nodes pass requests to the root and grants back. One client releases what it does not hold.

use super::text::{NetworkText, TemplateText};

/// An arbiter tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arbiter {
    /// The height of the tree: it has 2^height clients. From 1 to 16.
    pub height: u32,
    /// The clients that must not work at the same time.
    pub pair: (u32, u32),
    /// The client that sends too many releases.
    pub faulty: u32,
}

impl Arbiter {
    /// The tree of the paper: client 0 is faulty, and the pair has one client in each half.
    pub fn new(height: u32) -> Self {
        Arbiter { height, pair: (1, 1 << (height.max(1) - 1)), faulty: 0 }
    }
}

/// The network of an arbiter tree. With the default pair a shortest path to the error has 5 · height + 2 steps.
pub fn arbiter(tree: Arbiter) -> NetworkText {
    let clients = 1u32 << tree.height;
    let inner = clients - 1;
    let edges = 2 * inner + 1;
    let mut system = String::new();
    for node in 0..inner {
        system += &format!("Arbiter{node} = Arbiter({node});\n");
    }
    for client in 0..clients {
        let template = if client == tree.faulty { "FaultyClient" } else { "Client" };
        system += &format!("Client{client} = {template}({});\n", inner + client);
    }
    let processes = (0..inner).map(|node| format!("Arbiter{node}"));
    let processes = processes.chain((0..clients).map(|client| format!("Client{client}")));
    system += &format!("system Owner, {};\n", processes.collect::<Vec<_>>().join(", "));
    NetworkText {
        declarations: format!("chan req[{edges}], gr[{edges}], rel[{edges}];\n"),
        templates: vec![owner(), node(), client("Client"), faulty_client()],
        system,
        queries: vec![format!("E<> Client{}.working and Client{}.working", tree.pair.0, tree.pair.1)],
    }
}

fn owner() -> TemplateText {
    let mut owner = TemplateText::new("Owner", "", &["idle", "asked", "given"].map(String::from));
    owner.edge("idle", "req[0]?", "asked");
    owner.edge("asked", "gr[0]!", "given");
    owner.edge("given", "rel[0]?", "idle");
    owner
}

fn node() -> TemplateText {
    let locations = ["wait", "left1", "left2", "left3", "right1", "right2", "right3", "granted", "release", "second"];
    let mut node = TemplateText::new("Arbiter", "const int i", &locations.map(String::from));
    let (left, right) = ("2*i+1", "2*i+2");
    for (side, child) in [("left", left), ("right", right)] {
        node.edge("wait", format!("req[{child}]?"), &format!("{side}1"));
        node.edge(&format!("{side}1"), "req[i]!", &format!("{side}2"));
        node.edge(&format!("{side}2"), "gr[i]?", &format!("{side}3"));
        node.edge(&format!("{side}3"), format!("gr[{child}]!"), "granted");
    }
    node.edge("granted", format!("rel[{left}]?"), "release");
    node.edge("granted", format!("rel[{right}]?"), "release");
    node.edge("release", "rel[i]!", "wait");
    node.edge("granted", format!("req[{left}]?"), "second");
    node.edge("granted", format!("req[{right}]?"), "second");
    node.edge("second", format!("rel[{right}]?"), "left3");
    node.edge("second", format!("rel[{left}]?"), "right3");
    node.edge("wait", format!("rel[{left}]?"), "release");
    node.edge("wait", format!("rel[{right}]?"), "release");
    node
}

fn client(name: &str) -> TemplateText {
    let locations = ["idle", "waiting", "working", "bounce"].map(String::from);
    let mut client = TemplateText::new(name, "const int e", &locations);
    client.edge("idle", "req[e]!", "waiting");
    client.edge("waiting", "gr[e]?", "working");
    client.edge("working", "rel[e]!", "idle");
    client.edge("idle", "gr[e]?", "bounce");
    client.edge("bounce", "rel[e]!", "idle");
    client
}

fn faulty_client() -> TemplateText {
    let mut client = client("FaultyClient");
    client.edge("idle", "rel[e]!", "idle");
    client
}
