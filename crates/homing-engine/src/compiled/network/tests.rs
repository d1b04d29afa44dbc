//! The steps of random networks, by both engines.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use homing_core::{Purpose, Seed, Selected, Selection, SleepSet, State, Stream, Target, TransitionSystem};
use homing_ir::{
    Action, BinaryOp, Block, BlockNode, Checked, CheckedRole, Edge, Expr, Invariant, Model, NodeId, Place, Scope,
    Signal, Table, VarId, VarRef,
};

use super::GROUP;
use crate::CompiledEngine;
use crate::compiled::testing::{agree_on, code};
use crate::testing::networks::{edge, is, network, update, variable, x};

/// Channels 0 and 1 are binary, 2 and 3 are broadcast channels.
const CHANNELS: u32 = 4;

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

fn number(value: i32) -> Expr {
    Expr::constant(value)
}

/// The array `a` of three cells from -2 to 5.
fn element(index: Expr) -> VarRef {
    VarRef { scope: Scope::Global, var: VarId(1), indices: vec![index] }
}

fn scratch(var: u32) -> VarRef {
    VarRef { scope: Scope::Scratch, var: VarId(var), indices: Vec::new() }
}

/// A block of statements and choices, node by node.
fn block(nodes: Vec<BlockNode>) -> Block {
    Block { nodes, entry: NodeId(0), guards: Vec::new(), line: 1 }
}

fn assign(target: VarRef, value: Expr, next: u32) -> BlockNode {
    BlockNode::Do { action: Action::Assign { target, value }, place: Place::default(), next: NodeId(next) }
}

fn condition(condition: Expr, next: u32) -> BlockNode {
    BlockNode::Do { action: Action::Condition(condition), place: Place::default(), next: NodeId(next) }
}

/// The sum of the first cells of `a`, by a loop over scratch cells; it fails if the sum is greater than 9.
fn sum(count: Expr) -> Expr {
    let (at, total) = (|| Expr::Var(scratch(0)), || Expr::Var(scratch(1)));
    let otherwise = BlockNode::Do { action: Action::Else, place: Place::default(), next: NodeId(7) };
    let nodes = vec![
        assign(scratch(0), number(0), 1),
        assign(scratch(1), number(0), 2),
        BlockNode::Select { options: vec![NodeId(3), NodeId(6)], place: Place::default() },
        condition(binary(BinaryOp::Less, at(), count), 4),
        assign(scratch(1), binary(BinaryOp::Add, total(), Expr::Var(element(at()))), 5),
        assign(scratch(0), binary(BinaryOp::Add, at(), number(1)), 2),
        otherwise,
        BlockNode::Exit,
    ];
    Expr::Computed { block: Box::new(block(nodes)), value: Box::new(total()), text: "sum".into() }
}

struct Generator(Stream);

impl Generator {
    fn below(&mut self, bound: u64) -> i32 {
        self.0.below(bound) as i32
    }

    fn value(&mut self) -> Expr {
        let x = || Expr::Var(x());
        match self.below(30) {
            0..9 => number(self.below(4)),
            9..14 => x(),
            14..17 => binary(BinaryOp::Add, x(), number(self.below(3) - 1)),
            17..20 => Expr::Var(element(number(self.below(3)))),
            20..23 => Expr::Var(element(binary(BinaryOp::Remainder, x(), number(3)))),
            23..26 => sum(number(self.below(4))),
            26..29 => Expr::Element { table: 0, index: Box::new(binary(BinaryOp::Remainder, x(), number(4))) },
            _ => binary(BinaryOp::Divide, number(6), Expr::Var(element(x()))), // often fails
        }
    }

    fn guard(&mut self) -> Expr {
        let op = [BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::NotEqual, BinaryOp::Equal][self.below(4) as usize];
        binary(op, self.value(), number(self.below(4)))
    }

    fn signal(&mut self) -> Signal {
        let kind = self.below(2) as u32; // of two channels, the first or second pair
        let (channel, channels) = match self.below(3) {
            0 => {
                let value = Box::new(self.value());
                let index =
                    Checked { value: *value, least: 0, greatest: 1, role: CheckedRole::Index, name: "c".into() };
                let index = Expr::Checked(Box::new(index));
                (binary(BinaryOp::Add, number(2 * kind as i32), index), 2 * kind..2 * kind + 2)
            }
            _ => {
                let channel = 2 * kind + self.below(2) as u32;
                (number(channel as i32), channel..channel + 1)
            }
        };
        Signal { channel, channels, emits: self.below(2) == 0, broadcast: kind == 1 }
    }

    fn update(&mut self) -> Block {
        let count = 1 + self.below(2) as u32;
        let mut nodes: Vec<BlockNode> = Vec::new();
        for at in 0..count {
            let target = match self.below(3) {
                0 => x(),
                1 => element(number(self.below(3))),
                _ => element(Expr::Var(x())),
            };
            let value = binary(BinaryOp::BitAnd, self.value(), number(3 + 4 * i32::from(self.below(9) == 0)));
            nodes.push(assign(target, value, at + 1));
        }
        nodes.push(BlockNode::Exit);
        block(nodes)
    }

    fn edge(&mut self) -> Edge {
        Edge {
            guard: (self.below(3) == 0).then(|| self.guard()),
            signal: (self.below(5) > 1).then(|| self.signal()),
            update: (self.below(2) == 0).then(|| self.update()),
        }
    }

    fn network(&mut self) -> Model {
        let processes = 2 + self.below(3);
        let mut edges = || {
            let count = 4 + self.below(6);
            let ends = (0..count).map(|_| (1 + self.below(3) as u32, 1 + self.below(3) as u32, self.edge()));
            ends.collect()
        };
        let processes = (0..processes).map(|_| edges()).collect();
        let mut model = network(processes, |_, _, _| {});
        model.globals.push(variable("a", vec![3], (-2, 5)));
        model.scratch = ["k", "sum"].map(|name| variable(name, Vec::new(), (-9, 9))).to_vec();
        model.tables = vec![Table { name: "t".to_owned(), values: vec![3, 0, 2] }];
        model.signals = (0..CHANNELS).map(|channel| format!("c{channel}")).collect();
        for proctype in &mut model.proctypes {
            for location in proctype.automaton.locations.iter_mut().skip(2) {
                location.committed = self.below(8) == 0;
                location.invariant = (self.below(5) == 0).then(|| self.guard());
            }
        }
        if self.below(2) == 0 {
            let expr = match self.below(3) {
                0 => binary(BinaryOp::And, Expr::Timeout, self.guard()),
                _ => self.guard(),
            };
            model.invariants = vec![Invariant { text: "of the model".to_owned(), expr }];
        }
        model
    }
}

#[test]
fn random_networks_have_the_same_steps_in_both_engines() {
    let mut states = 0;
    for seed in 0..200 {
        let model = Generator(Seed::of_run(seed, 0).stream(Purpose::Order)).network();
        states += agree_on(&model, &format!("seed {seed}"), 300);
    }
    assert!(states > 2_000, "{states} states are too few to compare");
}

/// The states that a breadth-first search visits, and how many steps they have, those in sleep sets included; and how many were left
/// out. `select` says which steps are shown of a state with a sleep set.
fn visit(model: &Model, select: impl Fn(SleepSet) -> Selection) -> (HashSet<Box<State>>, u32, u32) {
    let engine = CompiledEngine::new(model).expect("an initial state");
    let mut open = VecDeque::from([(engine.initial(), SleepSet::EMPTY)]);
    let mut visited = HashSet::from([engine.initial()]);
    let (mut steps, mut all_left_out) = (0, 0);
    while let Some((state, sleep)) = open.pop_front() {
        let selected = engine.for_each_step(&state, select(sleep), |step| {
            steps += 1;
            if let Target::State(target) = step.target
                && visited.insert(target.into())
            {
                open.push_back((target.into(), step.sleep));
            }
            ControlFlow::Continue(())
        });
        if let Selected::Shown { left_out } = selected {
            (steps, all_left_out) = (steps + left_out, all_left_out + left_out);
        }
    }
    (visited, steps, all_left_out)
}

#[test]
fn sleep_sets_lose_no_state_and_no_step() {
    let mut all_left_out = 0;
    for seed in 0..200 {
        let mut model = Generator(Seed::of_run(seed, 1).stream(Purpose::Order)).network();
        for location in model.proctypes.iter_mut().flat_map(|proctype| &mut proctype.automaton.locations) {
            location.committed &= seed % 4 == 0;
            location.invariant = location.invariant.take().filter(|_| seed % 4 == 1);
        }
        let (states, steps, _) = visit(&model, |_| Selection::All);
        let (found, counted, left_out) = visit(&model, Selection::Outside);
        assert_eq!((found == states, counted), (true, steps), "seed {seed}");
        all_left_out += left_out;
    }
    assert!(all_left_out > 500, "{all_left_out} steps were left out");
}

#[test]
fn a_step_with_several_partners_does_not_sleep() {
    // Process 2 comes to a second receiver of channel 1, so that the step of process 3 has another partner afterwards.
    let sender = vec![(1, 2, edge("1!", None, None))];
    let receiver = vec![(1, 2, edge("1?", None, None))];
    let late = vec![(1, 2, edge("", None, None)), (2, 3, edge("1?", None, None))];
    let model = network(vec![receiver, late.clone(), late, sender], |_, _, _| {});
    let ((states, steps, _), (found, counted, left_out)) =
        (visit(&model, |_| Selection::All), visit(&model, Selection::Outside));
    assert_eq!((found, counted), (states, steps));
    assert!(left_out > 0);
}

#[test]
fn a_location_with_many_edges_has_several_groups() {
    let many = |signal: &str| (0..GROUP as u32 + 9).map(|at| (1, 1 + at % 3, edge(signal, None, None))).collect();
    for (sends, receives) in [("1!", "1?"), ("1!!", "1??"), ("", "")] {
        let model = network(vec![many(sends), vec![(1, 2, edge(receives, Some(is(0)), None))], many("")], |_, _, _| {});
        agree_on(&model, sends, usize::MAX);
    }
    let receivers: Vec<_> = (0..GROUP as i32 + 9)
        .map(|at| (1, 2, edge("1?", (at % 7 > 3).then(|| is(at % 4)), Some(update(1, at % 3)))))
        .collect();
    let model = network(vec![receivers, vec![(1, 1, edge("1!", None, None))]], |_, _, _| {});
    assert!(agree_on(&model, "many receivers", usize::MAX) > 1);
}

#[test]
fn only_what_depends_on_variables_has_code() {
    let sender = vec![(1, 2, edge("1!", None, None)), (2, 1, edge("2!", Some(is(0)), Some(update(1, 1))))];
    let receiver = vec![(1, 2, edge("1?", None, None)), (2, 1, edge("2?", None, None))];
    let model = network(vec![sender, receiver.clone(), receiver], |_, _, _| {});
    let code = code(&model);
    let network = code.network.as_ref().expect("it is compiled");
    assert_eq!((&network.partners.active[..], &network.partners.guarded[..]), (&[0][..], &[0][..]));
    assert!(network.partners.committing.is_empty() && network.partners.constrained.is_empty());
    let pids = |channel| network.partners.listeners(channel).iter().map(|listener| listener.pid).collect::<Vec<_>>();
    assert_eq!([pids(0), pids(1), pids(2), pids(3), pids(-1)], [vec![], vec![1, 2], vec![1, 2], vec![], vec![]]);
}
