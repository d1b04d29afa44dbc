//! The labels of a body: found by name from where a jump stands, and by the element they mark. A generated model has tens
//! of thousands of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::flow::ElementId;
use super::symbols::BlockPath;
use crate::ast::Name;
use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Label {
    pub name: Name,
    pub block: Arc<BlockPath>,
    pub element: ElementId,
    pub span: Span,
}

#[derive(Debug, Default)]
pub struct LabelTable {
    labels: Vec<Label>,
    /// By name and block: there is at most one.
    in_block: HashMap<(Name, u32), usize>,
    last_named: HashMap<Name, usize>,
    at_element: HashMap<ElementId, Vec<usize>>,
}

impl LabelTable {
    /// In the order they were written.
    pub fn iter(&self) -> impl Iterator<Item = &Label> {
        self.labels.iter()
    }

    pub fn get(&self, at: usize) -> &Label {
        &self.labels[at]
    }

    /// Fails with the label of that name that the block has already.
    pub fn add(&mut self, label: Label) -> Result<(), &Label> {
        let at = self.labels.len();
        let known = *self.in_block.entry((label.name.clone(), label.block.number)).or_insert(at);
        if known != at {
            return Err(&self.labels[known]);
        }
        self.last_named.insert(label.name.clone(), at);
        self.at_element.entry(label.element).or_default().push(at);
        self.labels.push(label);
        Ok(())
    }

    /// The labels of an element, the one written last first.
    pub fn of(&self, element: ElementId) -> impl Iterator<Item = &Label> {
        self.at_element.get(&element).into_iter().flatten().rev().map(|&at| &self.labels[at])
    }

    /// Lets the label of `from` that was written last mark `to` instead.
    pub fn shift_last(&mut self, from: ElementId, to: ElementId) {
        if let Some(at) = self.at_element.get_mut(&from).and_then(Vec::pop) {
            self.labels[at].element = to;
            self.at_element.entry(to).or_default().push(at);
        }
    }

    /// The label of that name that was written last.
    pub fn last_named(&self, name: &str) -> Option<usize> {
        self.last_named.get(name).copied()
    }

    /// The label a jump means: of the same block, else of the nearest enclosing one, else of any.
    pub fn find(&self, name: &Name, block: &BlockPath) -> Option<usize> {
        let mut around = block.numbers();
        around.find_map(|number| self.in_block.get(&(name.clone(), number)).copied()).or_else(|| self.last_named(name))
    }
}
