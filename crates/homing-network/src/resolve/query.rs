//! Queries: conditions over the whole network.

use super::Resolver;
use crate::ast;
use crate::network::{Condition, Query};

impl Resolver<'_> {
    pub(super) fn queries(&mut self, queries: &[ast::Query]) {
        self.in_query = true;
        for query in queries {
            let (expr, frame) = self.with_frame(|resolver| resolver.pure_number(&query.formula, "a query"));
            let Ok(expr) = expr else { continue };
            let condition = Condition { expr, frame };
            let text = plain(self.sources.text(query.span));
            self.network.queries.push(Query { quantifier: query.quantifier, condition, text, span: query.span });
        }
        self.in_query = false;
    }
}

/// The text of a query on one line, without the entities of XML.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| *word != "\\"); // a line that is continued
    let line = words.collect::<Vec<_>>().join(" ");
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(line, |line, (entity, character)| line.replace(entity, character))
}
