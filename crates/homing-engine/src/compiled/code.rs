//! The code of a model: for each location a function that tells which transitions can be taken, and for each transition
//! one that takes it.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, Signature, Type, UserFuncName, Value, types,
};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use homing_ir::{Action, ArgPattern, Expr, Location, Model, ProctypeId, Queueing, ReceiveFrom, Transition};

use super::channels::KnownChannels;
use super::context::{self, ANYWHERE, Context, KEEP, MOST_FIELDS};
use super::translate::{Helpers, Translated, Translator, Unsupported};
use crate::layout::Layout;

/// A compiled function: the context, the bytes of the state, and where the process begins in them.
pub type Compiled = unsafe extern "C" fn(*mut Context, *mut u8, u32) -> u64;

/// How a transition is taken.
#[derive(Clone, Copy)]
pub enum Taking {
    /// By compiled code, which leaves the process at its target.
    Compiled(Compiled),
    /// When no other can: otherwise as compiled.
    Else(Compiled),
    /// A send by compiled code, unless the channel is a rendezvous, which only the run tells.
    Send(Compiled),
    /// A send over a rendezvous channel.
    Rendezvous,
    /// By the interpreter.
    Interpreted,
}

/// The code of a location.
pub struct LocationCode {
    /// A bit for each transition that can be taken; `else` always counts as one.
    pub guards: Compiled,
    pub taking: Vec<Taking>,
}

/// The code of a model, by process type and location. Where there is none the interpreter has to do.
pub struct Code {
    pub locations: Vec<Vec<Option<LocationCode>>>,
    /// Owns the memory that the code is in.
    module: Option<JITModule>,
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the functions are reached through `self.locations` only, which nobody can use any more.
            unsafe { module.free_memory() };
        }
    }
}

/// Functions that were translated, before they have an address.
struct Drafted {
    guards: FuncId,
    taking: Vec<Draft>,
}

enum Draft {
    Compiled(FuncId),
    Else(FuncId),
    Send(FuncId),
    Rendezvous,
    Interpreted,
}

impl Code {
    /// None where there is no code generator for this machine.
    pub fn generate(model: &Model, layout: &Layout) -> Option<Code> {
        let mut generator = Generator::new(model, layout)?;
        let mut drafts: Vec<Vec<Option<Drafted>>> = Vec::new();
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let proctype_id = ProctypeId(at as u32);
            let locations = proctype.automaton.locations.iter();
            drafts.push(locations.map(|location| generator.location(proctype_id, location)).collect());
        }
        generator.module.finalize_definitions().ok()?;
        let module = generator.module;
        let address = |id: FuncId| {
            // SAFETY: every function is declared with this signature, and lives as long as the module.
            unsafe { std::mem::transmute::<*const u8, Compiled>(module.get_finalized_function(id)) }
        };
        let taking = |draft: Draft| match draft {
            Draft::Compiled(id) => Taking::Compiled(address(id)),
            Draft::Else(id) => Taking::Else(address(id)),
            Draft::Send(id) => Taking::Send(address(id)),
            Draft::Rendezvous => Taking::Rendezvous,
            Draft::Interpreted => Taking::Interpreted,
        };
        let finished = |draft: Drafted| LocationCode {
            guards: address(draft.guards),
            taking: draft.taking.into_iter().map(taking).collect(),
        };
        let locations =
            drafts.into_iter().map(|drafts| drafts.into_iter().map(|draft| draft.map(finished)).collect()).collect();
        Some(Code { locations, module: Some(module) })
    }
}

struct Generator<'m> {
    model: &'m Model,
    layout: &'m Layout,
    known: KnownChannels,
    module: JITModule,
    scratch: FunctionBuilderContext,
    helpers: [FuncId; 8],
    pointer: Type,
}

/// The names of the helpers, their addresses, the types of their arguments behind the context, and whether they answer.
fn helper_table() -> [(&'static str, *const u8, usize, bool); 8] {
    [
        ("can_send", context::can_send as *const u8, 1, true),
        ("send", context::send as *const u8, 3, false),
        ("find_message", context::find_message as *const u8, 4, true),
        ("load_message", context::load_message as *const u8, 2, false),
        ("remove_message", context::remove_message as *const u8, 2, false),
        ("length", context::length as *const u8, 1, true),
        ("is_full", context::is_full as *const u8, 1, true),
        ("note", context::note as *const u8, 2, false),
    ]
}

impl<'m> Generator<'m> {
    fn new(model: &'m Model, layout: &'m Layout) -> Option<Self> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for (name, address, ..) in helper_table() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let pointer = module.target_config().pointer_type();
        let mut helpers = Vec::new();
        for (name, _, arguments, answers) in helper_table() {
            let mut signature = module.make_signature();
            signature.params.push(AbiParam::new(pointer));
            signature.params.extend((0..arguments).map(|_| AbiParam::new(types::I32)));
            if answers {
                signature.returns.push(AbiParam::new(types::I32));
            }
            helpers.push(module.declare_function(name, Linkage::Import, &signature).ok()?);
        }
        let helpers = helpers.try_into().expect("one for each name");
        let known = KnownChannels::of(model, layout);
        Some(Generator { model, layout, known, module, scratch: FunctionBuilderContext::new(), helpers, pointer })
    }

    fn signature(&self) -> Signature {
        let mut signature = self.module.make_signature();
        signature.params.extend([self.pointer, self.pointer, types::I32].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    /// The code of a location, or none if its choice is beyond it.
    fn location(&mut self, proctype: ProctypeId, location: &Location) -> Option<Drafted> {
        let transitions = &location.transitions;
        let is_plain = transitions.iter().all(|transition| transition.escape == 0);
        if transitions.is_empty() || transitions.len() > 64 || !is_plain {
            return None;
        }
        let guards = self.function(proctype, |translator| translator.guards(transitions)).ok()?;
        let taking = transitions.iter().map(|transition| self.transition(proctype, *transition)).collect();
        Some(Drafted { guards, taking })
    }

    fn transition(&mut self, proctype: ProctypeId, transition: Transition) -> Draft {
        let action = &self.model.proctype(proctype).automaton.statement(transition.statement).action;
        let has_rendezvous = self.model.shapes.iter().any(|shape| shape.capacity == 0);
        let mut may_meet = false;
        if let Action::Send { channel, .. } = action {
            match self.known.find(self.model, channel) {
                Some(known) if self.model.shape(known.shape).capacity == 0 => return Draft::Rendezvous,
                Some(_) => {}
                None => may_meet = has_rendezvous,
            }
        }
        let translated = self.function(proctype, |translator| translator.effect(action, transition));
        match translated {
            Ok(id) if matches!(action, Action::Else) => Draft::Else(id),
            Ok(id) if may_meet => Draft::Send(id),
            Ok(id) => Draft::Compiled(id),
            Err(Unsupported) => Draft::Interpreted,
        }
    }

    /// Translates a function whose value `body` computes.
    fn function(
        &mut self,
        proctype: ProctypeId,
        body: impl FnOnce(&mut Translator<'_, '_>) -> Translated<Value>,
    ) -> Translated<FuncId> {
        let mut context = self.module.make_context();
        context.func = Function::with_name_signature(UserFuncName::default(), self.signature());
        let helpers = self.helpers.map(|id| self.module.declare_func_in_func(id, &mut context.func));
        let [can_send, send, find_message, load_message, remove_message, length, is_full, note] = helpers;
        let mut builder = FunctionBuilder::new(&mut context.func, &mut self.scratch);
        let entry = builder.create_block();
        let faulty = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let [of_context, bytes, frame] = builder.block_params(entry)[..] else { unreachable!("three parameters") };
        let mut translator = Translator {
            model: self.model,
            layout: self.layout,
            known: &self.known,
            proctype,
            builder,
            helpers: Helpers { can_send, send, find_message, load_message, remove_message, length, is_full, note },
            pointer: self.pointer,
            context: of_context,
            bytes,
            frame,
            faulty,
        };
        let result = body(&mut translator);
        let mut builder = translator.builder;
        let result = match result {
            Ok(value) => value,
            Err(Unsupported) => {
                self.scratch = FunctionBuilderContext::new();
                return Err(Unsupported);
            }
        };
        builder.ins().return_(&[result]);
        builder.switch_to_block(faulty);
        builder.seal_block(faulty);
        let one = builder.ins().iconst(types::I32, 1);
        let at = std::mem::offset_of!(Context, fault) as i32;
        builder.ins().store(MemFlagsData::trusted(), one, of_context, at);
        let zero = builder.ins().iconst(types::I64, 0);
        builder.ins().return_(&[zero]);
        builder.finalize(self.module.target_config());
        let id = self.module.declare_anonymous_function(&context.func.signature).map_err(|_| Unsupported)?;
        self.module.define_function(id, &mut context).map_err(|_| Unsupported)?;
        Ok(id)
    }
}

impl Translator<'_, '_> {
    /// A bit for each transition that can be taken.
    fn guards(&mut self, transitions: &[Transition]) -> Translated<Value> {
        let mut mask = self.builder.ins().iconst(types::I64, 0);
        for (at, transition) in transitions.iter().enumerate() {
            let action = &self.model.proctype(self.proctype).automaton.statement(transition.statement).action;
            let holds = match self.guard(action)? {
                None => self.builder.ins().iconst(types::I64, 1 << at),
                Some(condition) => {
                    let wide = self.builder.ins().uextend(types::I64, condition);
                    self.builder.ins().ishl_imm_u(wide, at as i64)
                }
            };
            mask = self.builder.ins().bor(mask, holds);
        }
        Ok(mask)
    }

    /// A condition of one bit's width, or none for what can always be executed.
    fn guard(&mut self, action: &Action) -> Translated<Option<Value>> {
        Ok(match action {
            Action::Skip(_)
            | Action::Assign { .. }
            | Action::Discard(_)
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::PrintMtype(_)
            | Action::Run { .. }
            | Action::Else => None,
            Action::Condition(guard) => Some(self.condition(guard)?),
            Action::Send { channel, .. } => {
                let id = self.expr(channel)?;
                let answer = self.call(self.helpers.can_send, &[id]).expect("it answers");
                self.fault_if_helper_did();
                let can = self.builder.ins().icmp_imm_s(IntCC::NotEqual, answer, 0);
                Some(can)
            }
            Action::Receive { channel, args, from } => {
                let (_, slot) = self.find(channel, args, *from)?;
                let can = self.builder.ins().icmp_imm_s(IntCC::NotEqual, slot, 0);
                Some(can)
            }
            Action::End => {
                let processes = std::mem::offset_of!(Context, processes) as i32;
                let pid = std::mem::offset_of!(Context, pid) as i32;
                let processes = self.builder.ins().load(types::I32, MemFlagsData::trusted(), self.context, processes);
                let pid = self.builder.ins().load(types::I32, MemFlagsData::trusted(), self.context, pid);
                let next = self.builder.ins().iadd_imm_s(pid, 1);
                Some(self.builder.ins().icmp(IntCC::Equal, next, processes))
            }
            _ => return Err(Unsupported),
        })
    }

    /// The channel of a receive, and the slot of the message it takes.
    fn find(&mut self, channel: &Expr, args: &[ArgPattern], from: ReceiveFrom) -> Translated<(Value, Value)> {
        if args.len() > MOST_FIELDS {
            return Err(Unsupported);
        }
        let id = self.expr(channel)?;
        let mut matched = 0u32;
        for (at, arg) in args.iter().enumerate() {
            if let ArgPattern::Match { value, .. } = arg {
                let value = self.expr(value)?;
                self.set_field(at, value);
                matched |= 1 << at;
            }
        }
        let mode = if from.anywhere { ANYWHERE } else { 0 } | if from.keep { KEEP } else { 0 };
        let arguments = [args.len() as i32, matched as i32, mode as i32].map(|value| self.int(value));
        let slot =
            self.call(self.helpers.find_message, &[id, arguments[0], arguments[1], arguments[2]]).expect("it answers");
        self.fault_if_helper_did();
        Ok((id, slot))
    }

    /// Executes the action and puts the process at its target.
    fn effect(&mut self, action: &Action, transition: Transition) -> Translated<Value> {
        if transition.target == 0 {
            return Err(Unsupported);
        }
        match action {
            Action::Skip(_) | Action::Condition(_) | Action::Else => {}
            Action::Assign { target, value } => {
                let value = self.expr(value)?;
                let (offset, cell) = self.offset(target)?;
                self.store(offset, cell, value);
            }
            Action::Discard(value) | Action::PrintMtype(value) => {
                self.expr(value)?;
            }
            Action::Print { args, .. } => {
                for arg in args {
                    self.expr(arg)?;
                }
            }
            Action::Assert(condition) => {
                let value = self.expr(condition)?;
                let fails = self.builder.ins().icmp_imm_s(IntCC::Equal, value, 0);
                self.fault_if(fails);
            }
            Action::Send { channel, args, queueing } => {
                if args.len() > MOST_FIELDS {
                    return Err(Unsupported);
                }
                let id = self.expr(channel)?;
                for (at, arg) in args.iter().enumerate() {
                    let value = self.expr(arg)?;
                    self.set_field(at, value);
                }
                let count = self.int(args.len() as i32);
                let sorted = self.int(i32::from(*queueing == Queueing::Sorted));
                self.call(self.helpers.send, &[id, count, sorted]);
                self.fault_if_helper_did();
            }
            Action::Receive { channel, args, from } => {
                let (id, slot) = self.find(channel, args, *from)?;
                self.call(self.helpers.load_message, &[id, slot]);
                self.fault_if_helper_did();
                for (at, arg) in args.iter().enumerate() {
                    if let ArgPattern::Bind(var) = arg {
                        let value = self.field(at);
                        let (offset, cell) = self.offset(var)?;
                        self.store(offset, cell, value);
                    }
                }
                if !from.keep {
                    self.call(self.helpers.remove_message, &[id, slot]);
                }
            }
            _ => return Err(Unsupported),
        }
        self.reset(transition);
        self.go_to(transition.target);
        Ok(self.builder.ins().iconst(types::I64, 1))
    }

    /// Sets to zero what is dead behind the transition.
    fn reset(&mut self, transition: Transition) {
        for var in self.model.proctype(self.proctype).automaton.resets(&transition) {
            let slot = self.layout.processes[self.proctype.index()].locals[var.index()];
            let offset = self.builder.ins().iadd_imm_s(self.frame, i64::from(slot.offset));
            let zero = self.int(0);
            self.store(offset, slot.cell, zero);
        }
    }

    fn go_to(&mut self, target: u32) {
        let at = self.layout.type_width;
        let offset = self.builder.ins().iadd_imm_s(self.frame, i64::from(at));
        let width = self.layout.location_width;
        let of_width = self.int(width as i32);
        self.call(self.helpers.note, &[offset, of_width]);
        let value = self.int(target as i32);
        let address = self.at(offset);
        let flags = MemFlagsData::trusted();
        match width {
            1 => self.builder.ins().istore8(flags, value, address, 0),
            2 => self.builder.ins().istore16(flags, value, address, 0),
            _ => self.builder.ins().store(flags, value, address, 0),
        };
    }
}
