//! Kernels: WGSL, compiled when they are loaded.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::naga::{self, AddressSpace, Expression, ShaderStage, StorageAccess};

use super::Wgpu;
use super::queue::{CALL_BYTES, Shared};
use crate::backend::Launch;
use crate::driver::{DriverError, Named};
use crate::kernel::{Language, Source};

/// Threads of a workgroup, as the convention for kernels has it.
const GROUP: usize = 64;
/// How many sets of bound buffers are kept.
const KEPT: usize = 64;

/// A compiled kernel.
pub struct Program {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    entry: String,
    /// Of each binding before `call`, whether the kernel may write to it.
    writes: Vec<bool>,
    /// How many words of `call` it reads by a fixed number.
    words: usize,
    shared: Arc<Shared>,
    /// Buffers as they were bound before, by the numbers of their memories.
    bound: Mutex<HashMap<Vec<u64>, wgpu::BindGroup>>,
}

impl Program {
    pub(super) fn new(shared: &Arc<Shared>, source: &Source) -> Result<Self, DriverError> {
        let device = &shared.found.name;
        let Some(text) = &source.wgsl else {
            return Err(DriverError::NoText {
                device: device.clone(),
                reason: source.not_in(Language::Wgsl),
            });
        };
        let wrong = |log: String| DriverError::Compile {
            device: device.clone(),
            kernel: source.entry.to_string(),
            log: log.trim().to_owned(),
        };
        let module = naga::front::wgsl::parse_str(text).map_err(|error| wrong(error.emit_to_string(text)))?;
        let (writes, words) = bindings(&module, &source.entry).map_err(&wrong)?;
        let layout = shared.scoped(|| layout(&shared.device, &writes)).map_err(&wrong)?;
        let pipeline = shared.scoped(|| {
            let module = shared.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(&source.entry),
                source: wgpu::ShaderSource::Wgsl(text.as_ref().into()),
            });
            let all = shared.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            shared.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&source.entry),
                layout: Some(&all),
                module: &module,
                entry_point: Some(&source.entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        });
        Ok(Program {
            pipeline: pipeline.map_err(&wrong)?,
            layout,
            entry: source.entry.to_string(),
            writes,
            words,
            shared: Arc::clone(shared),
            bound: Mutex::default(),
        })
    }

    pub(super) fn launch(&self, shared: &Shared, launch: &Launch<'_, Wgpu>) -> Result<(), DriverError> {
        self.shared.owns(shared, "the use of a kernel")?;
        let named = Named { device: &shared.found.name, kernel: &self.entry };
        let spans = || launch.inputs.iter().chain(launch.outputs);
        self.check(&named, launch)?;
        let mut words = vec![named.threads(launch.threads)?];
        for span in spans() {
            shared.owns(&span.place.memory.shared, "the use of device memory")?;
            words.push(named.first_item(span, span.place.memory.bytes)?);
        }
        words.extend(named.words(launch.constants)?);
        if words.len() < self.words {
            let (constants, lacking) = (launch.constants.len() / 4, self.words - words.len());
            return Err(named.wrong(format!("{constants} constants are given, and it reads {lacking} more")));
        }
        if words.len() * 4 > CALL_BYTES {
            let (given, room) = (words.len(), CALL_BYTES / 4);
            return Err(named.wrong(format!(
                "its threads, first items and constants are {given} words, more than {room}"
            )));
        }
        if launch.threads == 0 {
            return Ok(());
        }
        let groups = launch.threads.div_ceil(GROUP);
        let widest = (shared.limits.max_compute_workgroups_per_dimension as usize).max(1);
        let x = groups.min(widest);
        let y = groups.div_ceil(x);
        if y > widest {
            let most = widest.saturating_mul(widest).saturating_mul(GROUP);
            return Err(named.wrong(format!("{} threads are more than {most}", launch.threads)));
        }

        let key = spans().map(|span| span.place.memory.number).collect::<Vec<_>>();
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        if bound.len() >= KEPT && !bound.contains_key(&key) {
            bound.clear();
        }
        let group = bound.entry(key).or_insert_with(|| self.bind(launch));
        shared.dispatch(&words, |pass, offset| {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &*group, &[offset]);
            pass.dispatch_workgroups(x as u32, y as u32, 1);
        })
    }

    /// Checks that there are as many inputs and outputs as the kernel has, and that none is both.
    fn check(&self, named: &Named<'_>, launch: &Launch<'_, Wgpu>) -> Result<(), DriverError> {
        let (inputs, outputs) = (launch.inputs.len(), launch.outputs.len());
        if inputs + outputs != self.writes.len() {
            let takes = self.writes.len();
            let text = format!(
                "it has {takes} bindings before the last, and {inputs} inputs and {outputs} outputs are given"
            );
            return Err(named.wrong(text));
        }
        if let Some(output) = (0..outputs).find(|output| !self.writes[inputs + output]) {
            let binding = inputs + output;
            return Err(named.wrong(format!("it only reads binding {binding}, which is output {output}")));
        }
        let memories = launch.inputs.iter().chain(launch.outputs).map(|span| span.place.memory.number);
        let bound: Vec<_> = memories.zip(&self.writes).enumerate().collect();
        for (later, (memory, writes)) in &bound {
            let clash = bound[..*later].iter().find(|(_, (other, wrote))| other == memory && wrote != writes);
            if let Some((earlier, _)) = clash {
                return Err(named.wrong(format!(
                    "bindings {earlier} and {later} lie in the same memory, and it writes to only one of them, which \
                     WebGPU does not allow"
                )));
            }
        }
        Ok(())
    }

    fn bind(&self, launch: &Launch<'_, Wgpu>) -> wgpu::BindGroup {
        let spans = launch.inputs.iter().chain(launch.outputs);
        let mut entries: Vec<_> = (0..)
            .zip(spans)
            .map(|(binding, span)| wgpu::BindGroupEntry {
                binding,
                resource: span.place.memory.buffer.as_entire_binding(),
            })
            .collect();
        entries.push(wgpu::BindGroupEntry {
            binding: self.writes.len() as u32,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.shared.calls,
                offset: 0,
                size: NonZeroU64::new(CALL_BYTES as u64),
            }),
        });
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &self.layout, entries: &entries };
        self.shared.device.create_bind_group(&descriptor)
    }
}

/// For each binding before the last, whether the kernel may write to it; and how many words of the last it reads. An error
/// says what the kernel lacks.
fn bindings(module: &naga::Module, entry: &str) -> Result<(Vec<bool>, usize), String> {
    let point =
        module.entry_points.iter().find(|point| point.name == entry && point.stage == ShaderStage::Compute);
    let Some(point) = point else {
        let there: Vec<_> = module.entry_points.iter().map(|point| point.name.as_str()).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        return Err(format!("there is no @compute function of this name, only {there}"));
    };
    if point.workgroup_size != [GROUP as u32, 1, 1] {
        return Err(format!(
            "its workgroups have {:?} threads, and must have {GROUP} in one dimension",
            point.workgroup_size
        ));
    }
    let mut found = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(place) = &variable.binding else { continue };
        let name = variable.name.as_deref().unwrap_or("a variable");
        let AddressSpace::Storage { access } = variable.space else {
            return Err(format!("{name} is no var<storage>, as all bindings must be"));
        };
        if place.group != 0 {
            return Err(format!("{name} is in group {}, and all bindings must be in group 0", place.group));
        }
        found.push((place.binding, handle, access.contains(StorageAccess::STORE)));
    }
    found.sort_unstable_by_key(|(binding, ..)| *binding);
    let numbers: Vec<_> = found.iter().map(|(binding, ..)| *binding).collect();
    if !numbers.iter().copied().eq(0..numbers.len() as u32) {
        return Err(format!("its bindings are {numbers:?}, and must be numbered from 0 on without gaps"));
    }
    match found.pop() {
        Some((_, call, false)) => {
            let words = words_read(&point.function, call);
            Ok((found.into_iter().map(|(.., writes)| writes).collect(), words))
        }
        Some(_) => Err("its last binding must be var<storage, read>: the numbers of the call".to_owned()),
        None => Err("it has no binding, and needs at least that for the numbers of the call".to_owned()),
    }
}

/// One more than the highest fixed index at which the function reads a variable.
fn words_read(function: &naga::Function, variable: naga::Handle<naga::GlobalVariable>) -> usize {
    let indices = function.expressions.iter().filter_map(|(_, expression)| match *expression {
        Expression::AccessIndex { base, index } => {
            matches!(function.expressions[base], Expression::GlobalVariable(base) if base == variable)
                .then_some(index)
        }
        _ => None,
    });
    indices.max().map_or(0, |index| index as usize + 1)
}

fn layout(device: &wgpu::Device, writes: &[bool]) -> wgpu::BindGroupLayout {
    let entry = |binding: usize, read_only: bool, has_dynamic_offset: bool| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset,
            min_binding_size: None,
        },
        count: None,
    };
    let mut entries: Vec<_> =
        writes.iter().enumerate().map(|(binding, writes)| entry(binding, !writes, false)).collect();
    entries.push(entry(writes.len(), true, true));
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}
