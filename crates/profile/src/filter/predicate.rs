//! Compiles a filter's expression to a fast test of samples. Conditions about threads, stacks and kinds of sample are
//! evaluated once. Then a test only reads the result from a table.

use crate::code_owner::{CodeOwner, CodeOwners};
use crate::files;
use crate::filter::parser::Expression;
use crate::filter::{Filter, FilterError};
use crate::fragment::Fragment;
use crate::function_name::FunctionGroup;
use crate::lexer::Quoted;
use crate::object_classes;
use crate::pools::Pools;
use crate::reduction::FunctionNames;
use crate::requests::{self, RequestIndex};
use crate::samples::{SampleKind, Samples};
use crate::sides::Side;
use crate::target::Target;
use crate::waits::{self, StackMeaning, WaitMeaning};
use std::ops::Range;
use std::sync::Arc;
use whittle_model::{
    CpuMode, EventKind, FileIndex, FileTable, ObjectClassIndex, ObjectClassTable, RequestTable, Table, ThreadTable,
};

/// The information that a filter needs about an experiment.
pub trait FilterContext {
    /// The threads.
    fn threads(&self) -> &ThreadTable;
    /// The pools of threads.
    fn pools(&self) -> &Pools;
    /// The side of each thread; empty if nothing is compared.
    fn sides(&self) -> &[Side];
    /// The functions, packages and binaries.
    fn names(&self) -> FunctionNames<'_>;
    /// The functions of a fragment, or the reason why they do not exist.
    fn fragment(&self, fragment: &Fragment) -> Result<Vec<FunctionGroup>, String>;
    /// For every observed stack, true if one of the functions occurs in it.
    fn stacks_with(&self, is_member: &[bool]) -> Vec<bool>;
    /// For every observed stack, true if the functions call each other directly in the shown stack.
    fn stacks_with_fragment(&self, groups: &[FunctionGroup]) -> Vec<bool>;
    /// The classes of objects.
    fn object_classes(&self) -> &ObjectClassTable;
    /// The files and peers of sockets.
    fn files(&self) -> &FileTable;
    /// The requests.
    fn requests(&self) -> &RequestTable;
    /// Which request a thread answered at a time.
    fn request_index(&self) -> &Arc<RequestIndex>;
    /// For every observed stack, what a wait on it means.
    fn wait_meanings(&self) -> &[StackMeaning];
    /// For every observed stack, the owner of its last recorded frame.
    fn code_owners(&self) -> &[CodeOwner];
    /// For every observed stack, true if its last shown frame is one of the functions.
    fn stacks_ending_in(&self, is_member: &[bool]) -> Vec<bool>;
}

/// A test of a sample.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// True for these threads.
    Threads(Vec<bool>),
    /// True for these observed stacks.
    Stacks(Vec<bool>),
    /// True for these kinds of sample: event, mode and reason.
    Kinds(Vec<bool>),
    /// True for objects of these classes.
    Classes(Vec<bool>),
    /// True for these files and peers.
    Files(Vec<bool>),
    /// True for samples of these requests, by row of requests. False for samples that belong to no request.
    Requests(Vec<bool>, Arc<RequestIndex>),
    /// True from the first time (inclusive) to the second time (exclusive).
    Time(u64, u64),
    /// True if all of these tests are true.
    All(Vec<Predicate>),
    /// True if at least one of these tests is true.
    Any(Vec<Predicate>),
    /// True if this test is false.
    Not(Box<Predicate>),
}

impl Predicate {
    /// Compiles a filter.
    pub fn new(filter: &Filter, context: &impl FilterContext) -> Result<Self, FilterError> {
        Compiler { filter, context }.compile(&filter.expression)
    }

    /// Combines tests: all of them must be true. Missing if there are no tests.
    pub fn all(mut parts: Vec<Self>) -> Option<Self> {
        if parts.len() > 1 { Some(Self::All(Self::merged(parts, |a, b| a && b))) } else { parts.pop() }
    }

    /// A time range that contains all kept samples.
    pub fn time_range(&self) -> (u64, u64) {
        match self {
            Self::Time(from, to) => (*from, *to),
            Self::All(parts) => parts
                .iter()
                .map(Self::time_range)
                .fold((0, u64::MAX), |range, part| (range.0.max(part.0), range.1.min(part.1))),
            _ => (0, u64::MAX),
        }
    }

    /// A range of samples that contains all kept samples. The range is narrow if the filter requires a time range and
    /// the samples are sorted by time.
    pub fn sample_range(&self, samples: &Samples) -> Range<usize> {
        match self {
            Self::Time(from, to) if samples.is_in_time_order => {
                let first_at = |time: u64| samples.time_ns.partition_point(|other| *other < time);
                first_at(*from)..first_at(*to)
            }
            Self::All(parts) => parts.iter().fold(0..samples.len(), |range, part| {
                let other = part.sample_range(samples);
                range.start.max(other.start)..range.end.min(other.end)
            }),
            _ => 0..samples.len(),
        }
    }

    /// Tests a block of samples. Writes one answer per sample to the start of `answers`. The test reads column by
    /// column, so the kind of test is checked once per block.
    pub fn test(&self, samples: &Samples, block: Range<usize>, answers: &mut [bool]) {
        let answers = &mut answers[..block.len()];
        match self {
            Self::Threads(is_kept) => fill(answers, &samples.thread[block], |thread| is_kept[thread.row()]),
            Self::Stacks(is_kept) => fill(answers, &samples.observed[block], |stack| is_kept[*stack as usize]),
            Self::Time(from, to) => fill(answers, &samples.time_ns[block], |time| *from <= *time && *time < *to),
            Self::Kinds(is_kept) => fill(answers, &samples.kind[block], |kind| is_kept[usize::from(*kind)]),
            Self::Classes(is_kept) => match samples.object_classes() {
                Some(classes) => fill(answers, &classes[block], |class| is_kept[class.row()]),
                None => answers.fill(is_kept[ObjectClassIndex::UNKNOWN.row()]),
            },
            Self::Files(is_kept) => match samples.files() {
                Some(files) => fill(answers, &files[block], |file| is_kept[file.row()]),
                None => answers.fill(is_kept[FileIndex::NONE.row()]),
            },
            Self::Requests(is_kept, index) => answers.iter_mut().zip(block).for_each(|(answer, sample)| {
                *answer = index.of_sample(samples, sample).is_some_and(|row| is_kept[row]);
            }),
            Self::All(parts) => combine(parts, (samples, block), answers, |a, b| a & b),
            Self::Any(parts) => combine(parts, (samples, block), answers, |a, b| a | b),
            Self::Not(inner) => {
                inner.test(samples, block, answers);
                answers.iter_mut().for_each(|answer| *answer = !*answer);
            }
        }
    }

    /// The kept threads, if the filter tests only threads.
    pub fn threads_alone(&self) -> Option<Vec<bool>> {
        self.table_alone(|test| match test {
            Self::Threads(is_kept) => Some(is_kept),
            _ => None,
        })
    }

    /// The kept rows of requests, if the filter tests only requests.
    pub fn requests_alone(&self) -> Option<Vec<bool>> {
        self.table_alone(|test| match test {
            Self::Requests(is_kept, _) => Some(is_kept),
            _ => None,
        })
    }

    /// The joined table of a filter, if all its tests have a table of this type.
    fn table_alone(&self, table: fn(&Self) -> Option<&Vec<bool>>) -> Option<Vec<bool>> {
        let joined = |parts: &[Self], operator: fn(bool, bool) -> bool| {
            let mut tables = parts.iter().map(|part| part.table_alone(table));
            let first = tables.next()??;
            tables.try_fold(first, |mut all, table| {
                all.iter_mut().zip(table?).for_each(|(a, b)| *a = operator(*a, b));
                Some(all)
            })
        };
        match self {
            Self::All(parts) => joined(parts, |a, b| a & b),
            Self::Any(parts) => joined(parts, |a, b| a | b),
            Self::Not(inner) => Some(inner.table_alone(table)?.into_iter().map(|is_kept| !is_kept).collect()),
            test => table(test).cloned(),
        }
    }

    /// The opposite test. A test with a table gets an inverted table.
    fn negated(self) -> Self {
        let turned = |table: Vec<bool>| table.into_iter().map(|is_kept| !is_kept).collect();
        match self {
            Self::Threads(table) => Self::Threads(turned(table)),
            Self::Stacks(table) => Self::Stacks(turned(table)),
            Self::Kinds(table) => Self::Kinds(turned(table)),
            Self::Classes(table) => Self::Classes(turned(table)),
            Self::Files(table) => Self::Files(turned(table)),
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// Merges tables of the same kind, so that each sample needs one lookup per kind.
    fn merged(parts: Vec<Self>, combine: fn(bool, bool) -> bool) -> Vec<Self> {
        let mut merged: Vec<Self> = Vec::new();
        for part in parts {
            let is_absorbed = merged.iter_mut().any(|known| match (known, &part) {
                (Self::Threads(a), Self::Threads(b))
                | (Self::Stacks(a), Self::Stacks(b))
                | (Self::Kinds(a), Self::Kinds(b))
                | (Self::Classes(a), Self::Classes(b))
                | (Self::Files(a), Self::Files(b))
                | (Self::Requests(a, _), Self::Requests(b, _)) => {
                    a.iter_mut().zip(b).for_each(|(a, b)| *a = combine(*a, *b));
                    true
                }
                _ => false,
            });
            if !is_absorbed {
                merged.push(part);
            }
        }
        merged
    }
}

fn fill<T>(answers: &mut [bool], column: &[T], test: impl Fn(&T) -> bool) {
    answers.iter_mut().zip(column).for_each(|(answer, cell)| *answer = test(cell));
}

fn combine(
    parts: &[Predicate],
    (samples, block): (&Samples, Range<usize>),
    answers: &mut [bool],
    operator: fn(bool, bool) -> bool,
) {
    let Some((first, rest)) = parts.split_first() else { return };
    first.test(samples, block.clone(), answers);
    let mut more = vec![false; answers.len()];
    for part in rest {
        part.test(samples, block.clone(), &mut more);
        answers.iter_mut().zip(&more).for_each(|(answer, more)| *answer = operator(*answer, *more));
    }
}

struct Compiler<'a, C> {
    filter: &'a Filter,
    context: &'a C,
}

impl<C: FilterContext> Compiler<'_, C> {
    fn compile(&self, expression: &Expression) -> Result<Predicate, FilterError> {
        Ok(match expression {
            Expression::All(parts) => Predicate::All(Predicate::merged(self.compile_all(parts)?, |a, b| a && b)),
            Expression::Any(parts) => Predicate::Any(Predicate::merged(self.compile_all(parts)?, |a, b| a || b)),
            Expression::Not(inner) => self.compile(inner)?.negated(),
            Expression::ThreadMatches(pattern) => {
                Predicate::Threads(self.context.threads().name.iter().map(|name| pattern.is_match(name)).collect())
            }
            Expression::ThreadIs(name) => self.thread_is(name)?,
            Expression::Time(from, to) => Predicate::Time(*from, *to),
            Expression::ThreadIsRow(row, position) => self.thread_is_row(*row, *position)?,
            Expression::PoolIs(name) => self.pool_is(name)?,
            Expression::ProcessIs(id, position) => self.process_is(*id, *position)?,
            Expression::PoolIsOfRow(row, position) => self.pool_is_of_row(*row, *position)?,
            Expression::StackHas(code) => Predicate::Stacks(self.context.stacks_with(&self.members(code)?)),
            Expression::StackHasFragment(fragment, quoted) => {
                let groups = self.context.fragment(fragment);
                let groups = groups.map_err(|problem| self.filter.error(quoted.position, problem))?;
                Predicate::Stacks(self.context.stacks_with_fragment(&groups))
            }
            Expression::LeafIs(code) => Predicate::Stacks(self.context.stacks_ending_in(&self.members(code)?)),
            Expression::Mode(mode) => kinds(|kind| kind.mode == *mode),
            Expression::Event(event) => kinds(|kind| kind.event == *event),
            Expression::Reason(reason) => kinds(|kind| kind.reason == *reason),
            Expression::Wait(meaning) => self.wait_is(*meaning),
            // No filter has this condition if the owners are unknown.
            Expression::Code(owner) if CodeOwners::ARE_KNOWN => self.code_is(*owner),
            Expression::Code(_) => Predicate::All(Vec::new()),
            Expression::Class(name) => self.class_is(name)?,
            Expression::File(name) => self.file_is(name)?,
            Expression::RequestIs(name) => self.requests(name.position, |table| requests::named(table, &name.text))?,
            Expression::RequestContains(part) => {
                self.requests(part.position, |table| requests::containing(table, &part.text))?
            }
            Expression::RequestLongerThan(length_ns, position) => {
                self.requests(*position, |table| requests::longer(table, *length_ns))?
            }
            Expression::Side(side, position) => self.side_is(*side, *position)?,
        })
    }

    fn compile_all(&self, parts: &[Expression]) -> Result<Vec<Predicate>, FilterError> {
        parts.iter().map(|part| self.compile(part)).collect()
    }

    /// The waits with a meaning.
    fn wait_is(&self, meaning: WaitMeaning) -> Predicate {
        let stacks = self.context.wait_meanings();
        // The kinds of waits that have the meaning if their stack says this.
        let with = |stack: StackMeaning| {
            kinds(move |kind| kind.event == EventKind::OffCpu && waits::meaning(stack, kind.reason) == Some(meaning))
        };
        let told_by_kernel = kinds(|kind| {
            let is_told = kind.event == EventKind::OffCpu && WaitMeaning::is_told_by_kernel(kind.reason);
            is_told && WaitMeaning::of_reason(kind.reason) == Some(meaning)
        });
        let known = StackMeaning::Known(meaning);
        let is_known = Predicate::Stacks(stacks.iter().map(|stack| *stack == known).collect());
        let is_open = |stack: &StackMeaning| !matches!(stack, StackMeaning::Known(_));
        let is_open = Predicate::Stacks(stacks.iter().map(is_open).collect());
        Predicate::Any(vec![
            Predicate::All(vec![with(known), is_known]),
            Predicate::All(vec![with(StackMeaning::NoRule), is_open]),
            told_by_kernel,
        ])
    }

    /// The samples in code of an owner, as [`CodeOwner::of_sample`] decides.
    fn code_is(&self, owner: CodeOwner) -> Predicate {
        let of_stack = self.context.code_owners();
        let by_stack = |wanted: CodeOwner| Predicate::Stacks(of_stack.iter().map(|owner| *owner == wanted).collect());
        let classes = &self.context.threads().class;
        let by_thread = |wanted: Option<CodeOwner>| {
            Predicate::Threads(classes.iter().map(|class| CodeOwner::of_thread(*class) == wanted).collect())
        };
        let in_kernel = Predicate::Any(vec![kinds(|kind| kind.mode == CpuMode::System), by_stack(CodeOwner::Kernel)]);
        if owner == CodeOwner::Kernel {
            return in_kernel;
        }
        let of_program = Predicate::All(vec![by_thread(None), by_stack(owner)]);
        Predicate::All(vec![in_kernel.negated(), Predicate::Any(vec![by_thread(Some(owner)), of_program])])
    }

    /// The allocations of objects of a class.
    fn class_is(&self, name: &Quoted) -> Result<Predicate, FilterError> {
        let is_kept = object_classes::named(self.context.object_classes(), &name.text);
        let is_kept = is_kept.map_err(|problem| self.filter.error(name.position, problem))?;
        Ok(match is_kept[ObjectClassIndex::UNKNOWN.row()] {
            // Samples without an object have no class.
            true => Predicate::All(vec![kinds(|kind| kind.event == EventKind::Alloc), Predicate::Classes(is_kept)]),
            false => Predicate::Classes(is_kept),
        })
    }

    /// Waits for a file or peer, and calls on it.
    fn file_is(&self, name: &Quoted) -> Result<Predicate, FilterError> {
        let is_kept = files::named(self.context.files(), &name.text);
        is_kept.map(Predicate::Files).map_err(|problem| self.filter.error(name.position, problem))
    }

    /// The samples of requests. `is_kept`: for each row of requests, or the reason why the filter is wrong.
    fn requests(
        &self,
        position: usize,
        is_kept: impl FnOnce(&RequestTable) -> Result<Vec<bool>, String>,
    ) -> Result<Predicate, FilterError> {
        let is_kept = is_kept(self.context.requests()).map_err(|problem| self.filter.error(position, problem))?;
        Ok(Predicate::Requests(is_kept, self.context.request_index().clone()))
    }

    fn side_is(&self, side: Side, position: usize) -> Result<Predicate, FilterError> {
        let sides = self.context.sides();
        if sides.is_empty() {
            let problem = "nothing is compared here, so there are no sides";
            let error = self.filter.error(position, problem.to_owned());
            return Err(FilterError { needs_comparison: true, ..error });
        }
        Ok(Predicate::Threads(sides.iter().map(|other| *other == side).collect()))
    }

    fn thread_is(&self, name: &Quoted) -> Result<Predicate, FilterError> {
        let names = &self.context.threads().name;
        let is_kept = names.iter().map(|other| *other == name.text).collect();
        let problem = format!("no thread is called \"{}\"; `whittle threads` lists all", name.text);
        self.some_threads(is_kept, (name.position, problem))
    }

    fn thread_is_row(&self, row: usize, position: usize) -> Result<Predicate, FilterError> {
        self.check_row(row, position)?;
        Ok(self.threads_of(&[row]))
    }

    fn check_row(&self, row: usize, position: usize) -> Result<(), FilterError> {
        let count = self.context.threads().len();
        let problem = || format!("there is no thread {row}; the {count} threads are numbered from 0");
        if row < count { Ok(()) } else { Err(self.filter.error(position, problem())) }
    }

    fn threads_of<'t>(&self, rows: impl IntoIterator<Item = &'t usize>) -> Predicate {
        let mut is_kept = vec![false; self.context.threads().len()];
        rows.into_iter().for_each(|row| is_kept[*row] = true);
        Predicate::Threads(is_kept)
    }

    fn pool_is(&self, name: &Quoted) -> Result<Predicate, FilterError> {
        let named = |pools: &Pools| -> Vec<usize> {
            let named = pools.iter().filter(|pool| pool.name == name.text);
            named.flat_map(|pool| pool.threads.iter().copied()).collect()
        };
        let mut threads = named(self.context.pools());
        // A comparison has other pools than its runs: names without numbers, and pools of one thread. Its filters are also used
        // on its runs. A report file contains no comparison, so its engine is smaller without this.
        if threads.is_empty() && !cfg!(target_arch = "wasm32") {
            threads = named(&Pools::of_comparison(self.context.threads()));
        }
        if threads.is_empty() {
            let problem = format!("no pool is called \"{}\"; `whittle threads` lists all", name.text);
            return Err(self.filter.error(name.position, problem));
        }
        Ok(self.threads_of(&threads))
    }

    fn pool_is_of_row(&self, row: usize, position: usize) -> Result<Predicate, FilterError> {
        self.check_row(row, position)?;
        let pool = self.context.pools().of_thread(row);
        let pool = pool.ok_or_else(|| self.filter.error(position, format!("thread {row} is in no pool")))?;
        Ok(self.threads_of(&pool.threads))
    }

    fn process_is(&self, id: usize, position: usize) -> Result<Predicate, FilterError> {
        let is_kept = self.context.threads().process_id.iter().map(|process| *process == Some(id as u32)).collect();
        self.some_threads(is_kept, (position, "no thread is of this process".to_owned()))
    }

    /// The threads that are kept. If there are none, the filter is wrong.
    fn some_threads(&self, is_kept: Vec<bool>, problem: (usize, String)) -> Result<Predicate, FilterError> {
        if is_kept.contains(&true) {
            Ok(Predicate::Threads(is_kept))
        } else {
            Err(self.filter.error(problem.0, problem.1))
        }
    }

    fn members(&self, code: &Target) -> Result<Vec<bool>, FilterError> {
        let members = code.members(self.context.names());
        let members = members.map_err(|problem| self.filter.error(code.name().position, problem))?;
        Ok(members.is_member)
    }
}

fn kinds(is_kept: impl Fn(SampleKind) -> bool) -> Predicate {
    Predicate::Kinds(SampleKind::all().map(is_kept).collect())
}
