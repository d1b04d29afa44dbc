//! Queries: conditions over the whole network.

use super::Resolver;
use crate::ast;
use crate::network::{Condition, Query};
use crate::source::on_one_line;

impl Resolver<'_> {
    pub(super) fn queries(&mut self, queries: &[ast::Query]) {
        self.in_query = true;
        for query in queries {
            let (expr, frame) = self.with_frame(|resolver| resolver.pure_number(&query.formula, "a query"));
            let Ok(expr) = expr else { continue };
            let condition = Condition { expr, frame };
            let text = on_one_line(self.sources.text(query.span));
            self.network.queries.push(Query { quantifier: query.quantifier, condition, text, span: query.span });
        }
        self.in_query = false;
    }
}
