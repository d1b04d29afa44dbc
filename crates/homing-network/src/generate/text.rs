//! A network as text, in either format.

use std::fmt::Write;

use crate::{Format, Input};

/// A network to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkText {
    /// The declarations of the network.
    pub declarations: String,
    /// The templates.
    pub templates: Vec<TemplateText>,
    /// The instances and the `system` line.
    pub system: String,
    /// The queries.
    pub queries: Vec<String>,
}

/// A template to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateText {
    /// Its name.
    pub name: String,
    /// Its parameters, without parentheses.
    pub parameters: String,
    /// Its declarations.
    pub declarations: String,
    /// Its locations. The first one is initial.
    pub locations: Vec<LocationText>,
    /// Its edges.
    pub edges: Vec<EdgeText>,
}

/// A location to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationText {
    /// Its name.
    pub name: String,
    /// Its invariant, or nothing.
    pub invariant: String,
    /// Whether it is committed.
    pub committed: bool,
    /// Whether it is urgent.
    pub urgent: bool,
}

/// An edge to be written. A label without text is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeText {
    /// The place of its source among the locations.
    pub source: usize,
    /// The place of its target.
    pub target: usize,
    /// `i : int[0,2]`
    pub select: String,
    /// `x > 0`
    pub guard: String,
    /// `c!`
    pub sync: String,
    /// `x = 1, y = 2`
    pub update: String,
}

impl TemplateText {
    /// A template with plain locations.
    pub fn new(name: impl Into<String>, parameters: impl Into<String>, locations: &[String]) -> Self {
        let location = |name: &String| LocationText { name: name.clone(), ..LocationText::default() };
        TemplateText {
            name: name.into(),
            parameters: parameters.into(),
            locations: locations.iter().map(location).collect(),
            ..TemplateText::default()
        }
    }

    /// Adds an edge between locations given by name, with a synchronisation or none.
    ///
    /// # Panics
    /// If there is no such location.
    pub fn edge(&mut self, source: &str, sync: impl Into<String>, target: &str) {
        let place = |name: &str| {
            let at = self.locations.iter().position(|location| location.name == name);
            at.unwrap_or_else(|| panic!("template {} has a location {name}", self.name))
        };
        let (source, target) = (place(source), place(target));
        self.edges.push(EdgeText { source, target, sync: sync.into(), ..EdgeText::default() });
    }
}

impl NetworkText {
    /// The network as an `.xta` file. Its queries are [a file of their own](NetworkText::to_queries).
    pub fn to_xta(&self) -> String {
        let mut out = String::new();
        let write = &mut out;
        let _ = writeln!(write, "{}\n", self.declarations.trim_end());
        for template in &self.templates {
            let _ = writeln!(write, "process {}({}) {{", template.name, template.parameters);
            if !template.declarations.is_empty() {
                let _ = writeln!(write, "{}", template.declarations.trim_end());
            }
            let location = |location: &LocationText| match location.invariant.as_str() {
                "" => location.name.clone(),
                invariant => format!("{} {{ {invariant} }}", location.name),
            };
            let names = |pick: fn(&LocationText) -> bool| {
                let picked = template.locations.iter().filter(|location| pick(location));
                picked.map(|location| location.name.clone()).collect::<Vec<_>>().join(", ")
            };
            let locations: Vec<String> = template.locations.iter().map(location).collect();
            let _ = writeln!(write, "state {};", locations.join(", "));
            for (word, marked) in [("commit", names(|it| it.committed)), ("urgent", names(|it| it.urgent))] {
                if !marked.is_empty() {
                    let _ = writeln!(write, "{word} {marked};");
                }
            }
            let _ = writeln!(write, "init {};", template.locations[0].name);
            let name = |at: usize| &template.locations[at].name;
            let edge = |edge: &EdgeText| {
                let labels =
                    [("select", &edge.select), ("guard", &edge.guard), ("sync", &edge.sync), ("assign", &edge.update)];
                let labels = labels.iter().filter(|(_, text)| !text.is_empty());
                let labels: String = labels.map(|(word, text)| format!(" {word} {text};")).collect();
                format!("  {} -> {} {{{labels} }}", name(edge.source), name(edge.target))
            };
            let edges: Vec<String> = template.edges.iter().map(edge).collect();
            if !edges.is_empty() {
                let _ = writeln!(write, "trans\n{};", edges.join(",\n"));
            }
            let _ = writeln!(write, "}}\n");
        }
        let _ = writeln!(write, "{}", self.system.trim_end());
        out
    }

    /// The network as an `.xml` file, with its queries.
    pub fn to_xml(&self) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' \
             'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>\n<nta>\n",
        );
        let write = &mut out;
        let _ = writeln!(write, "<declaration>{}</declaration>", escaped(&self.declarations));
        for template in &self.templates {
            let _ = writeln!(write, "<template>\n<name>{}</name>", template.name);
            if !template.parameters.is_empty() {
                let _ = writeln!(write, "<parameter>{}</parameter>", escaped(&template.parameters));
            }
            if !template.declarations.is_empty() {
                let _ = writeln!(write, "<declaration>{}</declaration>", escaped(&template.declarations));
            }
            for (at, location) in template.locations.iter().enumerate() {
                let _ = write!(write, "<location id=\"id{at}\"><name>{}</name>", location.name);
                write_label(write, "invariant", &location.invariant);
                write.push_str(if location.urgent { "<urgent/>" } else { "" });
                write.push_str(if location.committed { "<committed/>" } else { "" });
                write.push_str("</location>\n");
            }
            write.push_str("<init ref=\"id0\"/>\n");
            for edge in &template.edges {
                let (source, target) = (edge.source, edge.target);
                let _ = write!(write, "<transition><source ref=\"id{source}\"/><target ref=\"id{target}\"/>");
                write_label(write, "select", &edge.select);
                write_label(write, "guard", &edge.guard);
                write_label(write, "synchronisation", &edge.sync);
                write_label(write, "assignment", &edge.update);
                write.push_str("</transition>\n");
            }
            write.push_str("</template>\n");
        }
        let _ = writeln!(write, "<system>{}</system>", escaped(&self.system));
        write.push_str("<queries>\n");
        for query in &self.queries {
            let _ = writeln!(write, "<query><formula>{}</formula><comment></comment></query>", escaped(query));
        }
        write.push_str("</queries>\n</nta>\n");
        out
    }

    /// The queries as a `.q` file.
    pub fn to_queries(&self) -> String {
        self.queries.iter().map(|query| format!("{query}\n")).collect()
    }

    /// The network as the input of the reader, with its queries.
    pub fn to_input(&self, format: Format) -> Input {
        match format {
            Format::Xta => {
                Input::new("generated.xta", self.to_xta(), format).query_file("generated.q", self.to_queries())
            }
            Format::Xml => Input::new("generated.xml", self.to_xml(), format),
        }
    }
}

fn write_label(out: &mut String, kind: &str, text: &str) {
    if !text.is_empty() {
        let _ = write!(out, "<label kind=\"{kind}\">{}</label>", escaped(text));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
