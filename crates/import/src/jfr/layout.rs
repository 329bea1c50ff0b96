//! Compiled field layouts: the steps to read the wanted fields of a value and skip all other fields.
//!
//! A layout is a short list of steps. Adjacent unwanted integers become one step. Nested types are expanded in place,
//! so reading a value needs neither recursion nor lookups.

use super::bytes::{Cursor, Malformed};
use super::metadata::{Metadata, Type};

/// Maximum depth of nested types. Real recordings have three levels.
const MAX_NESTING: usize = 8;
/// Maximum number of fields in one layout, including nested types. Real recordings have some dozens. Without this
/// limit, the number of fields could grow exponentially. For example, a type contains a second type twice, the second
/// type contains a third type twice, and so on.
const MAX_FIELDS: usize = 1_024;
/// Maximum number of fields that can be read from one value.
pub(crate) const MAX_SLOTS: usize = 8;

/// The result of reading a value. A slot contains the value of an integer, or the position of a string or array. The
/// slot is 0 if the type does not have the field.
pub(crate) type Slots = [u64; MAX_SLOTS];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    SkipVarints(u32),
    SkipBytes(u32),
    SkipString,
    /// Reads a count, and repeats the next `body_steps` steps that many times.
    SkipArray {
        body_steps: usize,
    },
    ReadVarint(usize),
    ReadByte(usize),
    /// Records the position of the next value, and does not move.
    MarkPosition(usize),
}

/// The type has no layout: it refers to an unknown type or to itself, or it is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoLayout;

/// The steps to read a value of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    steps: Vec<Step>,
    /// Number of steps up to the last step that reads a wanted field.
    wanted_steps: usize,
    /// One bit per slot: set if the type has the field.
    found: u8,
}

impl Layout {
    /// Makes the layout of the type `of`. It reads the n-th of the `wanted` fields into slot n.
    pub(crate) fn compile(metadata: &Metadata<'_>, of: &Type, wanted: &[&str]) -> Result<Self, NoLayout> {
        let mut compiler = Compiler { metadata, steps: Vec::new(), found: 0, field_count: 0, merge_from: 0 };
        compiler.add_fields(of, wanted, 0)?;
        Ok(Self::new(compiler.steps, compiler.found))
    }

    /// The layout of entries in the string pool. Slot 0 is the string's position.
    pub(crate) fn of_string() -> Self {
        Self::new(vec![Step::MarkPosition(0), Step::SkipString], 1)
    }

    fn new(steps: Vec<Step>, found: u8) -> Self {
        let picks = |step: &Step| matches!(step, Step::ReadVarint(_) | Step::ReadByte(_) | Step::MarkPosition(_));
        let wanted_steps = steps.iter().rposition(picks).map_or(0, |last| last + 1);
        Self { steps, wanted_steps, found }
    }

    /// True if the type has the field for this slot.
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.found & (1 << slot) != 0
    }

    /// Reads the wanted fields of a value, and skips all other fields.
    #[inline]
    pub(crate) fn read(&self, cursor: &mut Cursor<'_>) -> Result<Slots, Malformed> {
        let mut slots = [0; MAX_SLOTS];
        walk(&self.steps, cursor, &mut slots, 0)?;
        Ok(slots)
    }

    /// Reads the wanted fields, and stops after the last wanted field.
    #[inline]
    pub(crate) fn read_wanted(&self, cursor: &mut Cursor<'_>) -> Result<Slots, Malformed> {
        let mut slots = [0; MAX_SLOTS];
        walk(&self.steps[..self.wanted_steps], cursor, &mut slots, 0)?;
        Ok(slots)
    }

    /// True if the value ends with the array in `slot`.
    pub(crate) fn ends_with_array(&self, slot: usize) -> bool {
        let array = self.steps.iter().position(|step| *step == Step::MarkPosition(slot)).map(|mark| mark + 1);
        let Some((array, Step::SkipArray { body_steps })) = array.and_then(|row| Some((row, self.steps.get(row)?)))
        else {
            return false;
        };
        array + body_steps + 1 == self.steps.len()
    }

    /// The number of integers and the positions of the slots' fields, if the value has only integers.
    pub(crate) fn as_varints(&self) -> Option<VarintLayout> {
        let mut varints = VarintLayout { count: 0, positions: [None; MAX_SLOTS] };
        for step in &self.steps {
            match step {
                Step::SkipVarints(count) => varints.count += *count as usize,
                Step::ReadVarint(slot) => {
                    varints.positions[*slot] = Some(varints.count);
                    varints.count += 1;
                }
                _ => return None,
            }
        }
        Some(varints)
    }
}

/// A value that consists only of compressed integers, such as a stack frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VarintLayout {
    /// Number of integers.
    pub(crate) count: usize,
    /// For each slot, the position of its integer.
    pub(crate) positions: [Option<usize>; MAX_SLOTS],
}

/// Executes the steps. Recursion is limited, because arrays are nested at most `MAX_NESTING` levels deep.
fn walk(steps: &[Step], cursor: &mut Cursor<'_>, slots: &mut Slots, depth: usize) -> Result<(), Malformed> {
    let mut next = 0;
    while let Some(step) = steps.get(next) {
        next += 1;
        match step {
            Step::SkipVarints(count) => {
                for _ in 0..*count {
                    cursor.varint()?;
                }
            }
            Step::SkipBytes(count) => cursor.skip(u64::from(*count))?,
            Step::SkipString => cursor.skip_string()?,
            Step::SkipArray { body_steps } => {
                let body = steps.get(next..next + body_steps).unwrap_or(&[]);
                next += body_steps;
                skip_array(body, cursor, depth)?;
            }
            Step::ReadVarint(slot) => slots[*slot] = cursor.varint()?,
            Step::ReadByte(slot) => slots[*slot] = u64::from(cursor.byte()?),
            Step::MarkPosition(slot) => slots[*slot] = cursor.position() as u64,
        }
    }
    Ok(())
}

fn skip_array(body: &[Step], cursor: &mut Cursor<'_>, depth: usize) -> Result<(), Malformed> {
    let too_long = Malformed { position: cursor.position(), wanted: "a shorter array" };
    let count = cursor.varint()?;
    match body {
        // The elements have no bytes, so there is nothing to read, even if the count is large.
        [] => Ok(()),
        [Step::SkipVarints(each)] => cursor.skip_varints(count.checked_mul(u64::from(*each)).ok_or(too_long)?),
        [Step::SkipBytes(each)] => cursor.skip(count.checked_mul(u64::from(*each)).ok_or(too_long)?),
        _ if depth >= MAX_NESTING => Err(too_long),
        _ => {
            // Every element takes at least one byte, so reading ends even if the count is wrong.
            for _ in 0..count {
                walk(body, cursor, &mut [0; MAX_SLOTS], depth + 1)?;
            }
            Ok(())
        }
    }
}

struct Compiler<'m, 'a> {
    metadata: &'m Metadata<'a>,
    steps: Vec<Step>,
    found: u8,
    field_count: usize,
    /// Steps before this position are part of an array and must not be extended.
    merge_from: usize,
}

impl Compiler<'_, '_> {
    fn add_fields(&mut self, of: &Type, wanted: &[&str], depth: usize) -> Result<(), NoLayout> {
        if depth > MAX_NESTING {
            return Err(NoLayout);
        }
        for field in &of.fields {
            self.field_count += 1;
            if self.field_count > MAX_FIELDS {
                return Err(NoLayout);
            }
            let name = self.metadata.field_name(field);
            let slot = wanted.iter().position(|wanted| *wanted == name);
            if let Some(slot) = slot {
                self.found |= 1 << slot;
            }
            if field.is_array {
                self.add_array(field.type_id, field.is_constant, (slot, depth))?;
            } else if field.is_constant {
                self.add_varint(slot);
            } else {
                self.add_value(field.type_id, slot, depth)?;
            }
        }
        Ok(())
    }

    fn add_array(
        &mut self,
        type_id: u64,
        is_constant: bool,
        (slot, depth): (Option<usize>, usize),
    ) -> Result<(), NoLayout> {
        if let Some(slot) = slot {
            self.steps.push(Step::MarkPosition(slot));
        }
        let array = self.steps.len();
        self.steps.push(Step::SkipArray { body_steps: 0 });
        if is_constant {
            self.steps.push(Step::SkipVarints(1));
        } else {
            self.add_value(type_id, None, depth)?;
        }
        let body_steps = self.steps.len() - array - 1;
        self.steps[array] = Step::SkipArray { body_steps };
        self.merge_from = self.steps.len();
        Ok(())
    }

    fn add_value(&mut self, type_id: u64, slot: Option<usize>, depth: usize) -> Result<(), NoLayout> {
        let of = self.metadata.by_id(type_id).ok_or(NoLayout)?;
        match (self.metadata.type_name(of), slot) {
            ("boolean" | "byte", Some(slot)) => self.steps.push(Step::ReadByte(slot)),
            ("boolean" | "byte", None) => self.add_bytes(1),
            ("float", _) => self.add_bytes(4),
            ("double", _) => self.add_bytes(8),
            ("char" | "short" | "int" | "long", slot) => self.add_varint(slot),
            ("java.lang.String", slot) => {
                self.steps.extend(slot.map(Step::MarkPosition));
                self.steps.push(Step::SkipString);
            }
            _ => {
                self.steps.extend(slot.map(Step::MarkPosition));
                self.add_fields(of, &[], depth + 1)?;
            }
        }
        Ok(())
    }

    fn add_varint(&mut self, slot: Option<usize>) {
        match (slot, self.growing_step()) {
            (Some(slot), _) => self.steps.push(Step::ReadVarint(slot)),
            (None, Some(Step::SkipVarints(count))) => *count += 1,
            (None, _) => self.steps.push(Step::SkipVarints(1)),
        }
    }

    fn add_bytes(&mut self, count: u32) {
        match self.growing_step() {
            Some(Step::SkipBytes(before)) => *before += count,
            _ => self.steps.push(Step::SkipBytes(count)),
        }
    }

    /// The last step, unless it is part of a complete array.
    fn growing_step(&mut self) -> Option<&mut Step> {
        if self.steps.len() > self.merge_from { self.steps.last_mut() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, type id, and "c" for a constant or "a" for an array.
    type TestField<'t> = (&'t str, u64, &'t str);
    /// Name, id and fields.
    type TestType<'t> = (&'t str, u64, &'t [TestField<'t>]);

    fn metadata(types: &[TestType<'_>]) -> Metadata<'static> {
        let mut texts = vec!["class", "field", "name", "id", "constantPool", "true", "dimension", "1"]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
        let mut text = |text: &str| {
            let known = texts.iter().position(|known| known == text);
            known.unwrap_or_else(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            }) as u8
        };
        let mut elements = vec![0, 0, types.len() as u8];
        for (name, id, fields) in types {
            elements.extend([0, 2, 2, text(name), 3, text(&id.to_string()), fields.len() as u8]);
            for (name, type_id, flag) in *fields {
                elements.extend([1, if flag.is_empty() { 2 } else { 3 }, 2, text(name), 0, text(&type_id.to_string())]);
                match *flag {
                    "c" => elements.extend([4, 5]),
                    "a" => elements.extend([6, 7]),
                    _ => {}
                }
                elements.push(0);
            }
        }
        let mut bytes = vec![0, 0, 0, texts.len() as u8];
        for text in &texts {
            // The word "class" is the name of a type's element, and also the name of a field's attribute. Both use the
            // first text.
            bytes.extend([3, text.len() as u8]);
            bytes.extend(text.as_bytes());
        }
        bytes.extend(elements);
        Metadata::parse(Cursor::at(bytes.leak(), 0)).unwrap()
    }

    const LONG: u64 = 1;
    const BOOLEAN: u64 = 2;
    const STRING: u64 = 3;
    const PRIMITIVES: [TestType<'_>; 3] =
        [("long", LONG, &[]), ("boolean", BOOLEAN, &[]), ("java.lang.String", STRING, &[])];

    fn compile(types: &[TestType<'_>], wanted: &[&str]) -> Result<Layout, NoLayout> {
        let metadata = metadata(&[&PRIMITIVES, types].concat());
        Layout::compile(&metadata, metadata.by_name("T").unwrap(), wanted)
    }

    #[test]
    fn wanted_fields_are_read_and_the_rest_is_skipped() {
        let pair: TestType<'_> = ("Pair", 10, &[("left", LONG, ""), ("right", LONG, "")]);
        let fields: &[TestField<'_>] = &[
            ("a", LONG, ""),
            ("flag", BOOLEAN, ""),
            ("pair", 10, ""),
            ("pairs", 10, "a"),
            ("b", LONG, ""),
            ("text", STRING, ""),
            ("last", STRING, "c"),
        ];
        let layout = compile(&[pair, ("T", 11, fields)], &["last", "flag", "text", "absent"]).unwrap();
        let bytes = [0x81, 1, 1, 5, 6, 2, 1, 2, 3, 4, 9, 3, 1, b'x', 42];
        let mut cursor = Cursor::at(&bytes, 0);
        let slots = layout.read(&mut cursor).unwrap();
        assert_eq!(slots[..4], [42, 1, 11, 0]);
        assert_eq!(cursor.remaining(), 0);
        assert!(layout.has(0) && layout.has(2) && !layout.has(3));
        assert_eq!(layout.as_varints(), None);
    }

    #[test]
    fn integers_only() {
        let fields: &[TestField<'_>] = &[("a", LONG, ""), ("b", LONG, ""), ("c", STRING, "c")];
        let varints = compile(&[("T", 11, fields)], &["c", "a"]).unwrap().as_varints().unwrap();
        assert_eq!(varints.count, 3);
        assert_eq!(varints.positions[..2], [Some(2), Some(0)]);
    }

    #[test]
    fn types_without_end_have_no_layout() {
        assert_eq!(compile(&[("T", 11, &[("self", 11, "")])], &[]), Err(NoLayout));
        assert_eq!(compile(&[("T", 11, &[("unknown", 99, "")])], &[]), Err(NoLayout));
        // There are four levels of ten fields each: 10 000 fields in total.
        let fields: Vec<Vec<TestField<'_>>> = (0..4).map(|level| vec![("x", 21 + level, ""); 10]).collect();
        let mut types: Vec<TestType<'_>> = ["L0", "L1", "L2", "L3"]
            .into_iter()
            .zip(20..)
            .zip(&fields)
            .map(|((name, id), fields)| (name, id, fields.as_slice()))
            .collect();
        types.push(("Last", 24, &[("x", LONG, "")]));
        types.push(("T", 11, &[("x", 20, "")]));
        assert_eq!(compile(&types, &[]), Err(NoLayout));
    }

    #[test]
    fn array_lengths_beyond_the_bytes_fail_and_empty_elements_cost_nothing() {
        let bytes = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        let integers = compile(&[("T", 11, &[("x", LONG, "a")])], &[]).unwrap();
        assert!(integers.read(&mut Cursor::at(&bytes, 0)).is_err());
        let empty = compile(&[("E", 10, &[]), ("T", 11, &[("x", 10, "a")])], &[]).unwrap();
        assert!(empty.read(&mut Cursor::at(&bytes, 0)).is_ok());
    }
}
