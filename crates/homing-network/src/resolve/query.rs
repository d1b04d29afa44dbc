//! Queries: conditions over the whole network.

use super::Resolver;
use crate::ast;
use crate::network::{Condition, Query};
use crate::source::on_one_line;

impl Resolver<'_> {
    /// Resolves the queries. Those that are faulty are left out and returned, unless they must be right (`strict`).
    pub(super) fn queries(&mut self, queries: &[ast::Query], strict: bool) -> Vec<ast::RefusedQuery> {
        let mut refused = Vec::new();
        self.in_query = true;
        for query in queries {
            let mark = self.diagnostics.mark();
            let (expr, frame) = self.with_frame(|resolver| resolver.pure_number(&query.formula, "a query"));
            let &ast::Query { number, quantifier, span, .. } = query;
            match expr {
                Ok(expr) => {
                    let text = on_one_line(self.sources.text(span));
                    let condition = Condition { expr, frame };
                    self.network.queries.push(Query { number, quantifier, condition, text, span });
                }
                Err(_) if strict => {}
                Err(_) => {
                    let (refusal, reason) = self.diagnostics.demote_query_since(mark);
                    refused.push(ast::RefusedQuery { number, span, refusal, reason });
                }
            }
        }
        self.in_query = false;
        refused
    }
}
