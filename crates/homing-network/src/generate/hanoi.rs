//! The towers of Hanoi: a disk asks the next smaller one whether all smaller disks are out of its way.

use super::text::{NetworkText, TemplateText};

/// How disks talk to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// A request is taken only where it can be granted.
    A,
    /// A request is taken everywhere and refused if need be. The nearest to the paper's figures.
    B,
    /// As `A`, but the smallest disk decides alone: one process for each disk.
    C,
}

/// The network of the towers with so many disks; disk 0 is the smallest. All are on column 0 and shall come to column
/// 2, which takes 2^(disks + 2) - 2 · disks - 4 steps.
pub fn hanoi(disks: u32, variant: Variant) -> NetworkText {
    let mut text = NetworkText {
        declarations: format!(
            "chan req[{disks}][3], ok[{disks}]{};\n",
            match variant {
                Variant::B => format!(", no[{disks}]"),
                Variant::A | Variant::C => String::new(),
            }
        ),
        ..NetworkText::default()
    };
    let mut processes: Vec<String> = (0..disks).map(|disk| format!("Disk{disk}")).collect();
    let goal: Vec<String> = processes.iter().map(|disk| format!("{disk}.at_2")).collect();
    text.queries = vec![format!("E<> {}", goal.join(" and "))];
    for disk in 0..disks {
        let is_largest = disk + 1 == disks;
        let is_alone = variant == Variant::C && disk == 0;
        let template = match (is_largest, is_alone) {
            (false, false) => "Disk",
            (true, false) => "Largest",
            (false, true) => "Smallest",
            (true, true) => "Only",
        };
        text.system += &format!("Disk{disk} = {template}({disk});\n");
        if !text.templates.iter().any(|known| known.name == template) {
            text.templates.push(self::disk(template, variant, is_largest, is_alone));
        }
    }
    if variant != Variant::C {
        text.templates.push(top());
        processes.push("Top".to_owned());
    }
    text.system += &format!("system {};\n", processes.join(", "));
    text
}

const COLUMNS: [u32; 3] = [0, 1, 2];

/// All pairs of different columns.
fn moves() -> impl Iterator<Item = (u32, u32)> {
    COLUMNS.into_iter().flat_map(|x| COLUMNS.into_iter().filter(move |y| *y != x).map(move |y| (x, y)))
}

fn disk(name: &str, variant: Variant, is_largest: bool, is_alone: bool) -> TemplateText {
    let mut locations: Vec<String> = COLUMNS.iter().map(|x| format!("at_{x}")).collect();
    if !is_alone {
        locations.extend(moves().map(|(x, y)| format!("ask_{x}_{y}")));
    }
    if variant == Variant::C {
        locations.extend(moves().map(|(x, y)| format!("move_{x}_{y}")));
    }
    if !is_largest {
        let kinds: &[&str] = match (variant, is_alone) {
            (Variant::B, _) => &["got", "pass", "grant", "refuse"],
            (_, false) => &["got", "pass", "grant"],
            (_, true) => &["got", "grant"],
        };
        locations.extend(kinds.iter().flat_map(|kind| COLUMNS.iter().map(move |x| format!("{kind}_{x}"))));
    }
    let mut disk = TemplateText::new(name, "const int i", &locations);
    for (x, y) in moves() {
        let (at, ask, move_) = (format!("at_{x}"), format!("ask_{x}_{y}"), format!("move_{x}_{y}"));
        let there = format!("at_{y}");
        match variant {
            Variant::C if is_alone => {
                disk.edge(&at, "", &move_);
                disk.edge(&move_, "", &there);
            }
            Variant::C => {
                disk.edge(&at, format!("req[i][{}]!", 3 - x - y), &ask);
                disk.edge(&ask, "ok[i]?", &move_);
                disk.edge(&move_, "", &there);
            }
            Variant::A | Variant::B => {
                disk.edge(&at, format!("req[i][{}]!", 3 - x - y), &ask);
                disk.edge(&ask, "ok[i]?", &there);
                if variant == Variant::B {
                    disk.edge(&ask, "no[i]?", &at);
                }
            }
        }
    }
    if !is_largest {
        COLUMNS.into_iter().for_each(|x| answer(&mut disk, x, variant, is_alone));
    }
    disk
}

/// What a disk at column `x` does for the next larger one.
fn answer(disk: &mut TemplateText, x: u32, variant: Variant, is_alone: bool) {
    let name = |kind: &str| format!("{kind}_{x}");
    for z in COLUMNS {
        if z == x {
            disk.edge(&name("at"), format!("req[i+1][{z}]?"), &name("got"));
        } else if variant == Variant::B {
            disk.edge(&name("at"), format!("req[i+1][{z}]?"), &name("refuse"));
        }
    }
    if is_alone {
        disk.edge(&name("got"), "", &name("grant"));
    } else {
        disk.edge(&name("got"), format!("req[i][{x}]!"), &name("pass"));
        disk.edge(&name("pass"), "ok[i]?", &name("grant"));
    }
    if variant == Variant::B {
        disk.edge(&name("pass"), "no[i]?", &name("refuse"));
    }
    disk.edge(&name("grant"), "ok[i+1]!", &name("at"));
    if variant == Variant::B {
        disk.edge(&name("refuse"), "no[i+1]!", &name("at"));
    }
}

/// The process above the smallest disk, which always agrees.
fn top() -> TemplateText {
    let mut top = TemplateText::new("Top", "", &["free", "busy"].map(String::from));
    for z in COLUMNS {
        top.edge("free", format!("req[0][{z}]?"), "busy");
    }
    top.edge("busy", "ok[0]!", "free");
    top
}
