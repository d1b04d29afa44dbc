//! The JIT module, and the functions that are generated in it: declared, translated, and shared where they are equal.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Type, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use homing_ir::{Model, ProctypeId, Resets, StatementId};

use super::access::ModelAccess;
use super::channels::Channels;
use super::context::Context;
use super::log::ROOM;
use super::rendezvous::Known;
use super::runtime::{self, Declaration, Parameters, RUNTIME_FUNCTIONS};
use super::translate::{FAULT, Translated, Translator, Unsupported};
use crate::layout::Layout;

/// What a function is generated from: where that is equal, the function is shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shared {
    /// A statement that only changes the location of its process.
    OnlyMoves {
        target: u32,
    },
    Chain {
        proctype: ProctypeId,
        statement: StatementId,
        target: u32,
        resets: Resets,
        side: Side,
        chained: bool,
    },
    Offer {
        proctype: ProctypeId,
        statement: StatementId,
    },
    Depart {
        target: u32,
        /// The process type and the locals that are set to zero, if there are any.
        resets: Option<(ProctypeId, Resets)>,
    },
}

/// How a transition is taken: by itself, or as the receiver of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    Effect,
    Accept,
}

/// The functions of a model.
pub struct Functions<'m> {
    model: &'m Model,
    layout: &'m Layout,
    channels: Channels,
    pub accesses: ModelAccess<'m>,
    pub module: JITModule,
    /// The function that is translated; its memory is used again for the next.
    context: cranelift_codegen::Context,
    scratch: FunctionBuilderContext,
    /// The signature of [`super::code::Compiled`].
    signature: Signature,
    runtime: [FuncId; RUNTIME_FUNCTIONS],
    pointer: Type,
    /// None for what cannot be compiled.
    shared: HashMap<Shared, Option<FuncId>>,
}

impl<'m> Functions<'m> {
    /// An empty module; `None` where there is no code generator for this machine.
    pub fn new(model: &'m Model, layout: &'m Layout) -> Option<Self> {
        if cfg!(target_endian = "big") {
            return None; // the bytes of a state are little-endian
        }
        let mut flags = settings::builder();
        // Optimising takes a quarter longer and gains nothing that could be measured.
        flags.set("opt_level", "none").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for Declaration { name, address, .. } in runtime::declarations() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let pointer = module.target_config().pointer_type();
        let runtime = declare_runtime(&mut module)?;
        let mut signature = module.make_signature();
        signature.params.extend([pointer, pointer, types::I64].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I64));
        Some(Functions {
            model,
            layout,
            channels: Channels::of(model, layout),
            accesses: ModelAccess::of(model),
            context: module.make_context(),
            module,
            signature,
            scratch: FunctionBuilderContext::new(),
            runtime,
            pointer,
            shared: HashMap::new(),
        })
    }

    /// What is known of the channels of the model.
    pub fn known(&self) -> Known<'_> {
        Known { model: self.model, layout: self.layout, channels: &self.channels }
    }

    /// A function that may be shared: the one that was generated from an equal key, or a new one. None if it cannot be
    /// compiled.
    pub fn shared(
        &mut self,
        key: Shared,
        proctype: ProctypeId,
        body: impl FnOnce(&mut Translator<'_, '_>) -> Translated<Value>,
    ) -> Option<FuncId> {
        if let Some(known) = self.shared.get(&key) {
            return *known;
        }
        let translated = self.define(proctype, body).ok();
        self.shared.insert(key, translated);
        translated
    }

    /// Generates a function that returns the value that `body` computes, or [`FAULT`] where that gives up.
    pub fn define(
        &mut self,
        proctype: ProctypeId,
        body: impl FnOnce(&mut Translator<'_, '_>) -> Translated<Value>,
    ) -> Translated<FuncId> {
        self.module.clear_context(&mut self.context);
        self.context.func.signature = self.signature.clone();
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.scratch);
        let entry = builder.create_block();
        let faulty = builder.create_block();
        builder.set_cold_block(faulty);
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let [of_context, bytes, frame] = builder.block_params(entry)[..] else { unreachable!("three parameters") };
        let process = builder.ins().iadd(bytes, frame);
        let log = builder.declare_var(self.pointer);
        let mut translator = Translator {
            model: self.model,
            layout: self.layout,
            channels: &self.channels,
            accesses: &self.accesses,
            proctype,
            builder,
            module: &mut self.module,
            runtime: &self.runtime,
            imported: [None; RUNTIME_FUNCTIONS],
            pointer: self.pointer,
            context: of_context,
            bytes,
            frame,
            process,
            log,
            records: 0,
            offered: false,
            faulty,
        };
        // A rendezvous calls two functions without a check of the log in between; the first appends few records.
        let fits = |records: usize| if records + 8 <= ROOM { Ok(()) } else { Err(Unsupported) };
        let result = body(&mut translator).and_then(|value| fits(translator.records).map(|()| value));
        let Ok(result) = result else {
            self.scratch = FunctionBuilderContext::new();
            return Err(Unsupported);
        };
        translator.end_log();
        translator.builder.ins().return_(&[result]);
        translator.finish_faulty();
        translator.builder.finalize(translator.module.target_config());
        let id = self.module.declare_anonymous_function(&self.signature).map_err(|_| Unsupported)?;
        self.module.define_function(id, &mut self.context).map_err(|_| Unsupported)?;
        Ok(id)
    }
}

impl Translator<'_, '_> {
    /// Translates the end of a function that gives up: it resets the fault of the context and returns [`FAULT`].
    fn finish_faulty(&mut self) {
        self.enter(self.faulty);
        self.end_log();
        let none = self.int(0);
        self.set_shared(offset_of!(Context<'_>, fault), none);
        let fault = self.builder.ins().iconst(types::I64, FAULT as i64);
        self.builder.ins().return_(&[fault]);
    }
}

/// Declares the runtime functions in the module.
fn declare_runtime(module: &mut JITModule) -> Option<[FuncId; RUNTIME_FUNCTIONS]> {
    let pointer = module.target_config().pointer_type();
    let mut functions = Vec::new();
    for Declaration { name, parameters, returns, .. } in runtime::declarations() {
        let mut signature = module.make_signature();
        signature.params.push(AbiParam::new(pointer));
        match parameters {
            Parameters::Numbers(count) => signature.params.extend((0..count).map(|_| AbiParam::new(types::I32))),
            Parameters::Expression => signature.params.push(AbiParam::new(pointer)),
        }
        if returns {
            signature.returns.push(AbiParam::new(types::I32));
        }
        functions.push(module.declare_function(name, Linkage::Import, &signature).ok()?);
    }
    Some(functions.try_into().expect("one for each declaration"))
}

#[cfg(test)]
mod tests {
    use crate::compiled::testing::{code, model};

    #[test]
    fn functions_are_shared_where_they_do_the_same() {
        let model = model("byte a; init { if :: a == 1 :: a == 2 :: a = 3 :: a = 3; a = 4 fi }");
        let compiled = code(&model);
        let choice = compiled.locations.iter().find(|location| location.count == 4).expect("the choice");
        let functions: Vec<usize> = (choice.first..choice.first + choice.count)
            .map(|transition| compiled.transitions[transition as usize].effect.expect("it is compiled").code as usize)
            .collect();
        assert_eq!(functions[0], functions[1], "two conditions that lead to the same location");
        assert_ne!(functions[1], functions[2], "an assignment does more");
        assert_ne!(functions[2], functions[3], "they lead to different locations");
    }
}
