//! Cuts a model down while it stays interesting: greedy, coarse cuts first.

use super::tree::{Expr, Item, Model, Piece, Stmt};

/// The smallest model found that `is_interesting` still accepts, after at most `budget` questions.
pub fn shrink(model: &Model, budget: usize, mut is_interesting: impl FnMut(&Model) -> bool) -> Model {
    let mut best = model.clone();
    let mut asked = 0;
    loop {
        let before = best.clone();
        let mut k = 0;
        let mut cuts = cuts(&best);
        while let Some(candidate) = cuts.get(k) {
            if asked == budget {
                return best;
            }
            asked += 1;
            if is_interesting(candidate) {
                best = candidate.clone();
                cuts = self::cuts(&best); // what came after this cut is now at about the same place
            } else {
                k += 1;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// All models one cut smaller, coarse cuts first.
fn cuts(model: &Model) -> Vec<Model> {
    let mut found = Vec::new();
    for k in 0..model.items.len() {
        let mut cut = model.clone();
        cut.items.remove(k);
        found.push(cut);
    }
    for (k, item) in model.items.iter().enumerate() {
        for smaller in item_cuts(item) {
            let mut cut = model.clone();
            cut.items[k] = smaller;
            found.push(cut);
        }
    }
    found
}

fn item_cuts(item: &Item) -> Vec<Item> {
    let mut found = Vec::new();
    if let Item::Process(process) = item {
        if process.active > 1 {
            found.push(Item::Process(super::tree::Process { active: 1, ..process.clone() }));
        }
        if process.provided.is_some() {
            found.push(Item::Process(super::tree::Process { provided: None, ..process.clone() }));
        }
        if process.priority.is_some() {
            found.push(Item::Process(super::tree::Process { priority: None, ..process.clone() }));
        }
    }
    if let Item::Ltl { name, formula } = item {
        let smaller = expr_cuts(formula).into_iter();
        found.extend(smaller.map(|formula| Item::Ltl { name: name.clone(), formula }));
    }
    let mut cut = item.clone();
    let Some(body) = cut.body_mut().cloned() else { return found };
    for smaller in list_cuts(&body) {
        let mut cut = item.clone();
        if let Some(body) = cut.body_mut() {
            *body = smaller;
        }
        found.push(cut);
    }
    found
}

fn list_cuts(list: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    if list.len() > 3 {
        let (left, right) = list.split_at(list.len() / 2);
        found.extend([left.to_vec(), right.to_vec()]);
    }
    let replaced = |k: usize, by: &[Stmt]| [&list[..k], by, &list[k + 1..]].concat();
    for k in 0..list.len() {
        found.push(replaced(k, &[]));
    }
    for (k, stmt) in list.iter().enumerate() {
        found.extend(stmt.bodies().into_iter().map(|body| replaced(k, body)));
        found.extend(statement_cuts(stmt).into_iter().map(|smaller| replaced(k, &[smaller])));
    }
    found
}

fn statement_cuts(stmt: &Stmt) -> Vec<Stmt> {
    let mut found = Vec::new();
    match stmt {
        Stmt::Simple(pieces) => found.extend(piece_cuts(pieces).into_iter().map(Stmt::Simple)),
        Stmt::Labelled(label, inner) => {
            found.push((**inner).clone());
            found.extend(statement_cuts(inner).into_iter().map(|cut| Stmt::Labelled(label.clone(), Box::new(cut))));
        }
        Stmt::Choice(kind, options) => {
            for k in 0..options.len() {
                if options.len() > 1 {
                    let mut fewer = options.clone();
                    fewer.remove(k);
                    found.push(Stmt::Choice(*kind, fewer));
                }
            }
        }
        Stmt::For(head, body) => {
            found.extend(piece_cuts(head).into_iter().map(|head| Stmt::For(head, body.clone())));
        }
        Stmt::Block(..) | Stmt::Unless(..) => {}
    }
    if !matches!(stmt, Stmt::Labelled(..)) {
        for (k, body) in stmt.bodies().into_iter().enumerate() {
            for smaller in list_cuts(body) {
                let mut cut = stmt.clone();
                *cut.bodies_mut()[k] = smaller;
                found.push(cut);
            }
        }
    }
    found
}

fn piece_cuts(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut found = Vec::new();
    for (k, piece) in pieces.iter().enumerate() {
        let Piece::Expr(expr) = piece else { continue };
        for smaller in expr_cuts(expr) {
            let mut cut = pieces.to_vec();
            cut[k] = Piece::Expr(smaller);
            found.push(cut);
        }
    }
    found
}

fn expr_cuts(expr: &Expr) -> Vec<Expr> {
    let children: Vec<&Expr> = match expr {
        Expr::Atom(_) => return Vec::new(),
        Expr::Unary(_, operand) => vec![operand],
        Expr::Binary(left, _, right) => vec![left, right],
        Expr::Conditional(parts) => parts.iter().collect(),
        Expr::Within(_, inner, _) => vec![inner],
    };
    let mut found = Vec::new();
    if !matches!(expr, Expr::Within(..)) {
        found.extend([Expr::atom("1"), Expr::atom("0")]);
        found.extend(children.iter().map(|child| (*child).clone()));
    }
    for (k, child) in children.iter().enumerate() {
        for smaller in expr_cuts(child) {
            let mut cut = expr.clone();
            match &mut cut {
                Expr::Atom(_) => {}
                Expr::Unary(_, operand) => **operand = smaller,
                Expr::Binary(left, _, right) => **(if k == 0 { left } else { right }) = smaller,
                Expr::Conditional(parts) => parts[k] = smaller,
                Expr::Within(_, inner, _) => **inner = smaller,
            }
            found.push(cut);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;

    #[test]
    fn keeps_what_matters_and_nothing_else() {
        let mut models = (0..).map(|seed| generate(seed).model);
        let model = models.find(|model| model.to_string().contains("assert(")).expect("some model has an assertion");
        let small = shrink(&model, 10_000, |candidate| candidate.to_string().contains("assert("));
        assert_eq!(small.items.len(), 1);
        assert!(small.to_string().lines().count() <= 3, "{small}");
    }

    #[test]
    fn stops_at_the_budget() {
        let mut asked = 0;
        shrink(&generate(7).model, 5, |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 5);
    }
}
