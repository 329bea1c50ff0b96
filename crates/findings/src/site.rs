//! Finds the line to edit for a finding, and the source texts of its lines. The search starts from a heavy stack.

use crate::archived_classes::ArchivedClasses;
use crate::candidates::Candidate;
use crate::detector::Detector;
use crate::matching::{Family, Matches};
use crate::stacks::{AnchorPlace, Stacks};
use crate::trial::{KnownClasses, trial};
use crate::trial_answer::TrialAnswer;
use crate::view::{Finding, SiteAnswer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeMap;
use whittle_bytecode::class_file::ClassFile;
use whittle_bytecode::edit_site::{
    CallPlace, ClassFiles, EditSite, OtherSite, SiteKind, SiteQuestion, SiteRule, find_site, locking_line,
    refine_with_source,
};
use whittle_model::{ArchiveTable, FrameIndex, FunctionIndex, FunctionKind, FunctionTable, StackIndex};
use whittle_profile::roles::{Role, class_of};
use whittle_views::source::{CodeSource, JavaClass};

/// Class files and sources. A class outside the archive is requested only once for all findings.
pub(crate) struct Code<'a> {
    classes: ArchivedClasses<'a>,
    /// Archived classes that are the program's own.
    own_classes: &'a FxHashSet<&'a str>,
    sources: &'a dyn CodeSource,
}

impl<'a> Code<'a> {
    pub(crate) fn new(
        archive: &'a ArchiveTable,
        own_classes: &'a FxHashSet<&'a str>,
        sources: &'a dyn CodeSource,
    ) -> Self {
        Self { classes: ArchivedClasses::new(archive, Some(sources)), own_classes, sources }
    }
}

impl Code<'_> {
    /// The class files.
    pub(crate) fn classes(&self) -> &dyn ClassFiles {
        &self.classes
    }
}

/// Finds lines to edit and source texts.
pub(crate) struct Sites<'a> {
    stacks: Stacks<'a>,
    matches: &'a Matches,
    observed: &'a [StackIndex],
    /// CPU time of each observed stack.
    cpu_by_stack: &'a [f64],
    code: &'a Code<'a>,
    /// The lines of the blocks at which threads wait in a frame. Missing: the frame is in no block's header.
    locking_lines: RefCell<FxHashMap<FrameIndex, Option<u32>>>,
}

impl<'a> Sites<'a> {
    pub(crate) fn new(
        stacks: Stacks<'a>,
        matches: &'a Matches,
        (observed, cpu_by_stack): (&'a [StackIndex], &'a [f64]),
        code: &'a Code<'a>,
    ) -> Self {
        Self { stacks, matches, observed, cpu_by_stack, code, locking_lines: RefCell::default() }
    }

    /// The class files.
    pub(crate) fn classes(&self) -> &dyn ClassFiles {
        self.code.classes()
    }

    /// Adds the line to edit. Also adds the texts of all lines in the finding, if the source is found.
    pub(crate) fn add(
        &self,
        finding: &mut Finding,
        (rule, candidate, heaviest): (&SiteRule, &Candidate, &AnchorPlace),
    ) {
        finding.site = match rule.kind {
            SiteKind::None => SiteAnswer::None,
            _ => match self.find(rule, candidate, heaviest) {
                Ok(mut site) => {
                    self.prefer_own(&mut site);
                    SiteAnswer::Found(Box::new(self.own_call(heaviest, site)))
                }
                Err(reason) => SiteAnswer::NotFound { reason },
            },
        };
        let calling = self.find_from(&SiteRule::calling_line(), heaviest, heaviest.anchor);
        finding.call = calling.ok().map(|call| call.as_other());
        if let SiteAnswer::Found(site) = &mut finding.site
            && let Some(source) = self.source(&site.class, site.file.as_deref())
        {
            refine_with_source(site, &source);
        }
        let own = self.stacks.own_row(heaviest.calling).unwrap_or(heaviest.calling);
        let class = place(&self.stacks, own).map(|place| place.class);
        self.add_file(&mut finding.calling.file, class);
        if let Some(library) = &mut finding.calling.library {
            self.add_file(&mut library.file, place(&self.stacks, heaviest.calling).map(|place| place.class));
        }
        finding.calling.text = class.and_then(|class| {
            let source = self.source(class, finding.calling.file.as_deref())?;
            let line = source.lines().nth(usize::try_from(finding.calling.line?).ok()?.checked_sub(1)?)?;
            Some(line.trim().to_owned())
        });
    }

    /// Whether the fix of a finding can be tried. The finding has its line to edit.
    pub(crate) fn trial(&self, finding: &Finding, detector: &Detector) -> TrialAnswer {
        let archive = &self.stacks.tables.archive;
        let is_archived = |class: &str| {
            let mut rows = archive.class_name.iter().zip(&archive.bytes);
            rows.any(|(name, bytes)| name == class && bytes.is_some())
        };
        let is_own = |class: &str| self.code.own_classes.contains(class);
        trial(finding, detector, &KnownClasses { is_archived: &is_archived, is_own: &is_own })
    }

    /// The line of a frame of a place. A thread that waits for the lock of a `synchronized` block is at the line that locks.
    pub(crate) fn line(&self, kind: SiteKind, place: &AnchorPlace, row: StackIndex) -> Option<u32> {
        let line = self.stacks.line(row);
        let is_waiting = || row == place.calling && !calls_java(&self.stacks, place);
        if kind != SiteKind::Lock || !is_waiting() {
            return line;
        }
        let mut known = self.locking_lines.borrow_mut();
        let found = known.entry(self.stacks.frame(row)).or_insert_with(|| {
            let place = self::place(&self.stacks, row)?;
            locking_line(&place, &self.code.classes)
        });
        found.or(line)
    }

    /// Reads the name of the source file from the class file, if the recording does not contain it.
    fn add_file(&self, file: &mut Option<String>, class: Option<&str>) {
        if file.is_none() {
            let bytes = class.and_then(|class| self.code.classes.class_file(class));
            *file = bytes.and_then(|bytes| Some(ClassFile::parse(bytes).ok()?.source_file?.into_owned()));
        }
    }

    /// Prefers a line in the program's own code. Places in libraries that use the same class are listed after this
    /// line.
    fn prefer_own(&self, site: &mut EditSite) {
        let class_of_other =
            |other: &OtherSite| other.function.rsplit_once('.').map(|(class, _)| class.replace('.', "/"));
        let is_own = |class: &str| self.code.own_classes.contains(class);
        let own = site.others.iter().position(|other| class_of_other(other).is_some_and(|class| is_own(&class)));
        if let (false, Some(position)) = (is_own(&site.class), own) {
            let listed = site.as_other();
            let chosen = std::mem::replace(&mut site.others[position], listed);
            if let Some((class, method)) = chosen.function.rsplit_once('.') {
                (site.class, site.method) = (class.replace('.', "/"), method.to_owned());
            }
            (site.file, site.line, site.what) = (chosen.file, chosen.line, chosen.what);
            site.instruction = chosen.instruction;
        }
    }

    /// The own line that calls a library, if the line to edit is in the library. Users cannot edit a library, so its line
    /// is listed after this line.
    fn own_call(&self, heaviest: &AnchorPlace, site: EditSite) -> EditSite {
        let archive = &self.stacks.tables.archive;
        let is_library =
            archive.class_name.contains(&site.class) && !self.code.own_classes.contains(site.class.as_str());
        let calling = self.stacks.own_row(heaviest.calling).filter(|_| is_library);
        let Some(calling) = calling else { return site };
        let place_of_own = AnchorPlace { calling, ..*heaviest };
        let own = self.find_from(&SiteRule::calling_line(), &place_of_own, heaviest.anchor);
        let Ok(mut own) = own else { return site };
        own.others = vec![site.as_other()];
        own.others.extend(site.others);
        own.steps = site.steps;
        own
    }

    /// The constant that a site passes. The detector's rule names the argument.
    pub(crate) fn argument_value(&self, rule: &SiteRule, candidate: &Candidate, heaviest: &AnchorPlace) -> Option<f64> {
        let rule = SiteRule { kind: SiteKind::Argument, ..rule.clone() };
        self.find(&rule, candidate, heaviest).ok()?.constant
    }

    fn find(&self, rule: &SiteRule, candidate: &Candidate, heaviest: &AnchorPlace) -> Result<EditSite, String> {
        let leaf = match rule.kind {
            SiteKind::HashCode => self.heaviest_callback(candidate).unwrap_or(heaviest.anchor),
            _ => heaviest.anchor,
        };
        let found = self.find_from(rule, heaviest, leaf);
        match rule.or_call && found.is_err() {
            true => self.find_from(&SiteRule::calling_line(), heaviest, leaf),
            false => found,
        }
    }

    fn find_from(&self, rule: &SiteRule, from: &AnchorPlace, leaf: StackIndex) -> Result<EditSite, String> {
        // No developer wrote the code that the JVM generates to link calls.
        let is_written = |row: &StackIndex| self.stacks.role(*row) != Role::Glue;
        let places = |rows: Vec<StackIndex>| {
            rows.into_iter().filter(is_written).filter_map(|row| place(&self.stacks, row)).collect()
        };
        let callers: Vec<CallPlace<'_>> = places(self.stacks.upwards(from.calling).collect());
        let called: Vec<CallPlace<'_>> = places(self.stacks.called(from.calling, leaf));
        if callers.is_empty() {
            return Ok(self.native_site(from));
        }
        // The code of the line can be a loop that only waits.
        if from.anchor == from.calling && rule.kind != SiteKind::Waiting {
            return Ok(self.own_code_site(from.calling));
        }
        let rule = rule.of_call(called.first().map_or("", |place| place.class));
        find_site(&SiteQuestion { rule: &rule, callers: &callers, called: &called }, &self.code.classes)
    }

    /// The calling line of native code. Native code has no class files to search further.
    fn native_site(&self, heaviest: &AnchorPlace) -> EditSite {
        let name = |row: StackIndex| self.stacks.tables.functions.display_name[self.stacks.function(row).row()].clone();
        let called = self.stacks.called(heaviest.calling, heaviest.anchor);
        let what = called.first().map_or_else(String::new, |row| format!("the call of {}", name(*row)));
        self.line_site(heaviest.calling, (String::new(), name(heaviest.calling)), what)
    }

    /// The line whose own code has the cost.
    fn own_code_site(&self, row: StackIndex) -> EditSite {
        let place = place(&self.stacks, row);
        let name = place.map(|place| (place.class.to_owned(), place.method.to_owned())).unwrap_or_default();
        let mut site = self.line_site(row, name, "the code of this line".to_owned());
        self.add_file(&mut site.file, place.map(|place| place.class));
        site
    }

    /// The line of a frame as the line to edit.
    fn line_site(&self, row: StackIndex, (class, method): (String, String), what: String) -> EditSite {
        EditSite {
            class,
            method,
            file: self.stacks.tables.functions.source_file[self.stacks.function(row).row()].clone(),
            line: self.stacks.line(row),
            what,
            text: None,
            steps: Vec::new(),
            others: Vec::new(),
            field: None,
            constant: None,
            instruction: None,
        }
    }

    /// A stack in which a library calls back into the application: the heaviest of the class that is called most. This stack
    /// has the same calling frame as the candidate's other stacks.
    fn heaviest_callback(&self, candidate: &Candidate) -> Option<StackIndex> {
        let owners = self.matches.owners(Family::Time).iter().zip(self.observed).zip(self.cpu_by_stack);
        let is_callback = |place: u32, stack: StackIndex| {
            candidate.has(place) && self.stacks.application[stack.row()] > self.matches.places[place as usize].anchor.0
        };
        let callbacks = owners.filter(|((place, stack), _)| is_callback(**place, **stack));
        let mut by_class: BTreeMap<&str, (f64, f64, StackIndex)> = BTreeMap::new();
        for ((_, stack), cpu) in callbacks {
            let function = self.stacks.application_function(*stack)?;
            let class = class_of(&self.stacks.tables.functions.internal_name[function.row()]);
            let (sum, most, heaviest) = by_class.entry(class).or_insert((0.0, *cpu, *stack));
            *sum += cpu;
            if *cpu > *most {
                (*most, *heaviest) = (*cpu, *stack);
            }
        }
        let (_, _, heaviest) = by_class.into_values().max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(heaviest)
    }

    fn source(&self, class: &str, file: Option<&str>) -> Option<String> {
        let archive = &self.stacks.tables.archive;
        let row = archive.class_name.iter().position(|name| name == class);
        let origin = row.map(|row| archive.origin[row].as_str()).filter(|origin| !origin.is_empty());
        Some(self.code.sources.java_source(&JavaClass { name: class, source_file: file?, origin }).ok()?.text)
    }
}

/// A Java frame as a place in bytecode.
pub(crate) fn place<'a>(stacks: &Stacks<'a>, row: StackIndex) -> Option<CallPlace<'a>> {
    let (tables, frame) = (stacks.tables, stacks.frame(row).row());
    let WrittenMethod { class, name: method, descriptor } = java_method(&tables.functions, stacks.function(row))?;
    let (bytecode_index, line) = (tables.frames.bytecode_index[frame], tables.frames.line[frame]);
    Some(CallPlace { class, method, descriptor, bytecode_index, line })
}

/// True if there is Java code between the calling frame of a place and its anchor, or in the anchor.
pub(crate) fn calls_java(stacks: &Stacks<'_>, at: &AnchorPlace) -> bool {
    stacks.called(at.calling, at.anchor).into_iter().any(|row| place(stacks, row).is_some())
}

/// The parts of a Java method's name, as in class files.
pub(crate) struct WrittenMethod<'a> {
    pub(crate) class: &'a str,
    pub(crate) name: &'a str,
    /// Empty if the recording does not contain it.
    pub(crate) descriptor: &'a str,
}

/// The parts of a Java function's name. `None`: it is no Java function.
pub(crate) fn java_method(functions: &FunctionTable, function: FunctionIndex) -> Option<WrittenMethod<'_>> {
    if functions.kind[function.row()] != FunctionKind::Java {
        return None;
    }
    let written = functions.internal_name[function.row()].as_str();
    let (name, descriptor) = written.find('(').map_or((written, ""), |at| written.split_at(at));
    let name = name.rsplit_once('.').map_or(name, |(_, method)| method);
    Some(WrittenMethod { class: class_of(written), name, descriptor })
}
